import FrameTiming
import Framepace
import Simulation
import WaylandTesting
import XCTest

@testable import Wayland

/// The measurement of a compositor's feedback, by `framepace vblank --display wayland`.
final class WindowProbeTests: XCTestCase {
  /// The stamps that a probe told of, and the times at which the compositor showed its frames.
  private struct Measurement {
    var stamps: [MonotonicTime] = []
    var failures: [String] = []
    var shown: [MonotonicTime] = []
  }

  /// Asks for vblanks until `count` have come, or for ten seconds.
  @MainActor
  private static func measure(
    _ count: Int, globals: CompositorGlobals = .all, rate: RefreshRate, policy: CompositorPolicy = CompositorPolicy()
  ) throws -> Measurement {
    var result = Measurement()
    let clock = ManualClock(start: MonotonicTime(nanoseconds: 1_000_000_000_000))
    let loop = FrameLoop(clock: .manual(clock))
    let compositor = try ScriptedCompositor(
      outputs: [CompositorOutput(rate: rate, toldRate: .hertz60)], globals: globals, policy: policy, loop: loop)
    compositor.onShown = { _, frame in result.shown.append(frame.time) }
    let connection = try WaylandConnection(descriptor: compositor.connect(), clock: .manual(clock))
    let probe = WindowProbe(WaylandDisplay(connection: connection, options: WindowOptions(width: 16, height: 9)))
    probe.onVBlank = { vblank in
      result.stamps.append(vblank.timestamp)
      if result.stamps.count < count { probe.requestVBlank() } else { loop.stop() }
    }
    probe.onLost = { error in
      result.failures.append("\(error)")
      loop.stop()
    }
    probe.add(to: loop, mode: .default)
    probe.requestVBlank()
    loop.run(mode: .default, until: clock.now + .seconds(10))
    probe.invalidate()
    loop.run(mode: .default, until: clock.now + .milliseconds(1))
    XCTAssertEqual(compositor.violations.map { "\($0)" }, [])
    compositor.invalidate()
    return result
  }

  /// Each stamp is that of a frame, whatever rate the output is said to have.
  func testStampsAreThoseOfTheFrames() throws {
    try MainActor.assumeIsolated {
      for hertz in [60.0, 39.7, 120] {
        let result = try Self.measure(100, rate: try XCTUnwrap(RefreshRate(hertz: hertz)))
        XCTAssertEqual(result.failures, [], "\(hertz)")
        XCTAssertEqual(result.stamps.count, 100, "\(hertz)")
        XCTAssertEqual(result.stamps, Array(result.shown.prefix(100)), "\(hertz)")
      }
    }
  }

  /// The times at which frames are guessed to be seen are no measurement.
  func testASilentCompositorHasNothingToMeasure() throws {
    try MainActor.assumeIsolated {
      var silent = CompositorPolicy()
      silent.feedback = .withheld
      for globals in [CompositorGlobals.sway, .all] {
        let result = try Self.measure(100, globals: globals, rate: .hertz60, policy: silent)
        XCTAssertEqual(result.stamps, [])
        XCTAssertEqual(result.failures, [WindowProbe.Failure.silent.description])
        XCTAssertFalse(result.shown.isEmpty)
      }
    }
  }
}
