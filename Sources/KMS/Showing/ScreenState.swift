import RenderTree
import Glibc

/// The changes of one commit, plane by plane. A plane that is nil stays as it is: a commit without a picture is a
/// commit of the cursor alone.
struct ScreenState {
  struct Picture {
    let framebuffer: UInt32
    /// The pixels that were painted in this framebuffer since it was last on the screen.
    var damage = DamageRegion()
  }

  var picture: Picture?
  var cursor: CursorSetting?
}

/// A setting of the cursor's plane.
enum CursorSetting {
  case hidden
  case shown(DumbBuffer, CursorPlane.Look)
}

/// The ways to commit.
enum CommitWay: Equatable {
  /// Sets the mode and everything else that a picture depends on.
  case modeSet
  /// Takes effect at the next vblank.
  case flip
  /// Takes effect at once, in the middle of a refresh perhaps.
  case asynchronousFlip
}

/// The answer to a commit that the kernel refused: a pure value.
enum CommitAnswer: Equatable {
  /// Commit the same once more at the next vblank: what is in the way passes.
  case retryAtVBlank
  /// Commit at once, without the parts that a driver need not take.
  case retryWithoutExtras
  /// Another program is the card's master, or the device was removed.
  case lost
  /// Report the error.
  case refused

  /// - Parameters:
  ///   - isFlip: false for a mode-set, which is never retried as it is: it may take long and make the screen dark.
  ///   - hasExtras: whether the commit has parts that can be left out.
  init(errno number: Int32, isFlip: Bool, hasExtras: Bool) {
    switch number {
    case ENODEV, EACCES: self = .lost
    // Another commit pends on the CRTC, such as the previous program's; or memory is short for a moment.
    case EBUSY where isFlip, ENOMEM where isFlip: self = .retryAtVBlank
    case EINVAL, ENOSPC, ERANGE, ENOMEM: self = hasExtras ? .retryWithoutExtras : .refused
    default: self = .refused
    }
  }
}
