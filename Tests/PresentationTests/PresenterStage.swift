import FrameTiming
import Geometry
import LinuxSystem
import Presentation
import Raster
import RenderTree
import RunLoops
import Simulation
import XCTest

/// A display with simulated vblanks on manual time, and what its presenter tells.
@MainActor
final class PresenterStage<Screen: Display> {
  let clock = ManualClock(start: MonotonicTime(nanoseconds: 1_000_000_000))
  let loop: FrameLoop
  /// Vblank 0 is at the start.
  let vblanks: SimulatedVBlankSource
  let display: Screen
  private(set) var feedback: [PresentationFeedback] = []
  /// The times at which it came.
  private(set) var told: [MonotonicTime] = []

  init(hertz: Double, _ makeDisplay: (SimulatedVBlankSource, SystemClock) throws -> Screen) throws {
    let clock = SystemClock.manual(clock)
    loop = FrameLoop(clock: clock)
    vblanks = SimulatedVBlankSource(refreshRate: try XCTUnwrap(RefreshRate(hertz: hertz)), clock: clock)
    display = try makeDisplay(vblanks, clock)
    display.presenter.onEvent = { [unowned self] event in
      guard case .presented(let feedback) = event else { return }
      self.feedback.append(feedback)
      told.append(clock.now)
    }
    display.add(to: loop, mode: .default)
  }

  func run(_ time: Nanoseconds) { run(until: clock.now + time) }

  func run(until time: MonotonicTime) {
    loop.run(mode: .default, until: time)
    clock.advance(to: time)
  }

  /// Hands over a frame all of whose bytes are `value`.
  func present(_ value: UInt8 = 0) throws {
    let buffer = try XCTUnwrap(display.presenter.acquireBuffer())
    let bitmap = try XCTUnwrap(buffer.target.bitmap)
    memset(bitmap.base, Int32(value), bitmap.bytesPerRow * bitmap.height)
    try display.presenter.present(
      buffer, damage: DamageRegion(IntRect(x: 0, y: 0, width: bitmap.width, height: bitmap.height)), target: nil)
  }
}
