internal import LinuxSystem

/// The bounds of one decoding, and the reason why it is to end.
final class DecodingWatch {
  let name: String
  let limits: ImageLimits
  private let clock: SystemClock
  private let (half, end): (MonotonicTime, MonotonicTime)
  private let isCancelled: () -> Bool
  /// The reason, once there is one.
  private(set) var failure: ImageFileError?

  init(name: String, limits: ImageLimits, clock: SystemClock, isCancelled: @escaping () -> Bool) {
    (self.name, self.limits, self.clock, self.isCancelled) = (name, limits, clock, isCancelled)
    let now = clock.now
    (half, end) = (now + limits.duration / 2, now + limits.duration)
  }

  /// True once half of the time has passed.
  var isHalfOver: Bool { clock.now > half }

  /// Looks at the time and the caller's check; true if the decoding is to end.
  func shouldStop() -> Bool {
    if failure == nil {
      if isCancelled() {
        failure = .cancelled
      } else if clock.now > end {
        failure = .tookTooLong(name: name, limit: limits.duration)
      }
    }
    return failure != nil
  }

  func check() throws(ImageFileError) {
    if shouldStop(), let failure { throw failure }
  }

  /// Throws if so many bytes are more than allowed, or than there are.
  func take(_ bytes: Int) throws(ImageFileError) {
    guard bytes <= limits.memory else { throw .needsMemory(name: name, limit: limits.memory) }
    guard Memory.hasRoom(for: bytes) else { throw .outOfMemory(name: name) }
  }
}
