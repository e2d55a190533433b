import LinuxSystem

/// Tells when a frame can be in the compositor's next picture. A pure value.
///
/// Most compositors send callbacks after they have taken a picture. A frame that is committed then is seen at the vblank after the next, and
/// so is one that waits for the tick at the next, which is newer; and the next frame is not late behind it. Others send them before the
/// picture, as sway does with a `max_render_time`. Which it is shows when a frame is seen that was committed in the second half of an interval.
struct PictureTiming: Hashable, Sendable {
  /// A frame that was committed in the second half of an interval, and the vblank at its end.
  private struct LateFrame: Hashable, Sendable {
    var serial: UInt64
    var vblank: MonotonicTime
  }

  /// The frame whose answer is awaited. The next one is committed before that.
  private var awaited: LateFrame?
  private var isMissed = false
  private var heldUntil: MonotonicTime?

  /// The number of frames after which an answer counts as lost.
  private static let patience: UInt64 = 4

  /// False while a frame would be seen no sooner than one that waits for the next tick.
  func mayDraw(at now: MonotonicTime) -> Bool { heldUntil.map { now >= $0 } ?? true }

  /// - Parameters:
  ///   - serial: its number; another connection counts from 1 again.
  ///   - next: the vblank after `now`.
  mutating func committed(_ serial: UInt64, at now: MonotonicTime, next: MonotonicTime, interval: Nanoseconds) {
    guard next - now < interval / 2, awaited.map({ serial &- $0.serial > Self.patience }) ?? true else { return }
    awaited = LateFrame(serial: serial, vblank: next)
  }

  mutating func seen(_ serial: UInt64, at time: MonotonicTime, interval: Nanoseconds) {
    guard let frame = awaited, frame.serial == serial else { return }
    isMissed = time - frame.vblank > interval / 2
    awaited = nil
  }

  /// A callback has come.
  ///
  /// - Parameter next: the vblank after `now`; nil where that is not known well enough to wait for it.
  mutating func callback(at now: MonotonicTime, next: MonotonicTime?, interval: Nanoseconds) {
    heldUntil = nil
    // A little before the vblank, whose tick may come so early.
    if let next, isMissed, next - now < interval / 2 { heldUntil = next - interval / 32 }
  }

  /// The window has another size: a frame is to be drawn at once.
  mutating func resized() { heldUntil = nil }
}
