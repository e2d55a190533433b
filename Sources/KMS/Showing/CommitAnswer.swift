import Glibc

/// What to do about a mode-set or flip that the kernel refused: a pure value.
enum CommitAnswer: Equatable {
  /// Hand the same frame over once more at the next vblank: what is in the way passes.
  case retryAtVBlank
  /// Hand it over once more at once, without what a driver need not take.
  case retryWithoutExtras
  /// The screen is another program's, or the device was removed.
  case lost
  /// Tell it.
  case refused

  /// - Parameters:
  ///   - isFlip: otherwise a mode-set, which is not handed over again as it is: it may take long and make the screen dark.
  ///   - hasExtras: whether there is something that could be left out.
  init(errno number: Int32, isFlip: Bool, hasExtras: Bool) {
    switch number {
    case ENODEV, EACCES: self = .lost
    // Another flip pends on the CRTC, such as that of the program before; or memory is short for a moment.
    case EBUSY where isFlip, ENOMEM where isFlip: self = .retryAtVBlank
    case EINVAL, ENOSPC, ERANGE, ENOMEM: self = hasExtras ? .retryWithoutExtras : .refused
    default: self = .refused
    }
  }
}
