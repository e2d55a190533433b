import FrameTiming
import LinuxSystem
import RunLoops

/// The vblanks of a window, learned from the compositor's feedback: see `FeedbackGrid`. It makes their requests and alarms.
@MainActor
final class FeedbackClock: VBlankSource {
  /// "presentation feedback, 60.00 Hz".
  var name: String { "presentation feedback, \(refreshRate)" }
  var onVBlank: (@MainActor (VBlank) -> Void)?
  private(set) var grid: FeedbackGrid
  private let clock: SystemClock
  private lazy var alarm = FrameLoop.Alarm(.onMain { [weak self] in self?.fire() })

  /// - Parameter grid: as far as it is known.
  init(grid: FeedbackGrid, clock: SystemClock) { (self.grid, self.clock) = (grid, clock) }

  var refreshRate: RefreshRate { grid.refreshRate }
  /// A screen has the rate that its output is said to have. A compositor without one composites some time after a commit.
  var followsFrames: Bool { grid.refreshRate != grid.told }
  var loopItem: any FrameLoop.Item { alarm }

  func requestVBlank() {
    if grid.request(at: clock.now) { alarm.fireTime = grid.fireTime }
  }

  func newestVBlank() -> VBlank? { grid.newest(at: clock.now).map(Self.vblank) }

  /// Takes the stamp of a frame that was seen.
  func observe(_ stamp: MonotonicTime) {
    let vblank = grid.observe(stamp)
    if alarm.fireTime != grid.fireTime { alarm.fireTime = grid.fireTime }
    if let vblank { onVBlank?(Self.vblank(at: vblank)) }
  }

  func tell(_ rate: RefreshRate) { grid.tell(rate) }

  func invalidate() {
    alarm.invalidate()
    onVBlank = nil
  }

  /// Numbers are not known: compositors count as they like, or not at all.
  private static func vblank(at time: MonotonicTime) -> VBlank { VBlank(timestamp: time, sequence: 0) }

  private func fire() {
    if let vblank = grid.fire(at: clock.now) { onVBlank?(Self.vblank(at: vblank)) } else { alarm.fireTime = grid.fireTime }
  }
}
