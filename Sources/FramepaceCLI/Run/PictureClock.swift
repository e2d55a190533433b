import Framepace

/// Vblanks for pictures: one refresh interval before each picture, so that the tick's target is exactly the picture's time.
///
/// Picture k is seen at `start` + k / rate, rounded once. (A grid of vblanks rounds each vblank instead, and a target is a
/// vblank plus a rounded interval: of most rates that is a nanosecond beside k / rate, and another picture.)
@MainActor
final class PictureClock: VBlankSource {
  let name = "manual clock"
  let refreshRate: RefreshRate
  var onVBlank: (@MainActor (VBlank) -> Void)?

  /// When picture 0 is seen.
  private let start: MonotonicTime
  private let clock: SystemClock
  private var alarm: FrameLoop.Alarm?
  private var isRequested = false

  init(refreshRate: RefreshRate, start: MonotonicTime, clock: SystemClock) {
    self.refreshRate = refreshRate
    self.start = start
    self.clock = clock
    alarm = FrameLoop.Alarm(.onMain { [weak self] in self?.fire() })
  }

  /// The vblank at which a picture is asked for; at the next one it is seen.
  func vblank(beforePicture picture: Int64) -> MonotonicTime {
    start + refreshRate.offset(ofInterval: picture) - refreshRate.interval
  }

  func requestVBlank() {
    isRequested = true
    alarm?.fireTime = vblank(beforePicture: latestPicture + 1)
  }

  func add(to loop: FrameLoop, mode: FrameLoop.Mode) {
    if let alarm { loop.add(alarm, to: mode) }
  }

  func remove(from loop: FrameLoop, mode: FrameLoop.Mode) {
    if let alarm { loop.remove(alarm, from: mode) }
  }

  func invalidate() {
    alarm?.invalidate()
    alarm = nil
    onVBlank = nil
  }

  /// The picture whose vblank is the latest one that is not after now.
  private var latestPicture: Int64 { refreshRate.intervals(in: clock.now + refreshRate.interval - start) }

  private func fire() {
    guard isRequested else { return }
    isRequested = false
    let picture = latestPicture
    onVBlank?(VBlank(timestamp: vblank(beforePicture: picture), sequence: UInt64(bitPattern: picture)))
  }
}
