import FrameTiming
import Framepace
import Simulation
import TestLength
import WaylandTesting
import WindowScripts
import XCTest

@testable import Wayland

/// The vblanks that a window's frames are made for, and those at which they are seen.
final class WindowTargetTests: XCTestCase {
  private struct Case {
    var name: String
    var feedback: CompositorPolicy.Feedback
    /// The rate of the output, which is told to be 60 Hz.
    var hertz = 60.0
    /// How long the loop is held up soon after the beginning, as by fonts that are loaded.
    var disturbance = Nanoseconds.zero
    var isCommitted = false
  }

  private static var cases: [Case] {
    var cases: [Case] = []
    for disturbance in [Nanoseconds.zero, .milliseconds(25)] {
      for isCommitted in [false, true] {
        // As sway without a screen: its timer has whole milliseconds, so that callbacks come at any time between two ticks.
        for hertz in [60, 60.98] {
          cases.append(
            Case(
              name: "silent", feedback: .withheld, hertz: hertz, disturbance: disturbance, isCommitted: isCommitted))
        }
        for (delay, name) in [(0, "at once"), (160, "soon"), (9_000, "late")] as [(Int64, String)] {
          cases.append(
            Case(
              name: "told \(name)", feedback: .told(after: .microseconds(delay)), disturbance: disturbance,
              isCommitted: isCommitted))
        }
      }
    }
    return cases
  }

  /// A frame is made for the vblank at which it is seen, whatever happened at the beginning, and however late the window hears of it.
  func testFramesAreMadeForTheVBlankAtWhichTheyAreSeen() throws {
    let interval = RefreshRate.hertz60.interval
    for entry in Self.cases {
      try MainActor.assumeIsolated {
        var policy = CompositorPolicy()
        policy.feedback = entry.feedback
        let output = CompositorOutput(rate: try XCTUnwrap(RefreshRate(hertz: entry.hertz)), toldRate: .hertz60)
        let stage = try WindowStage(globals: .sway, outputs: [output], policy: policy, seed: UInt64(runSeed))
        stage.run(for: .milliseconds(50))
        stage.forget()
        entry.isCommitted ? stage.animate() : stage.play()
        let disturbance = FrameLoop.Timer(
          fireTime: stage.clock.now + .milliseconds(30), .onMain { _ in stage.clock.advance(by: entry.disturbance) })
        stage.loop.add(disturbance, to: .common)
        stage.run(for: .seconds(isLongRun ? 30 : 2))
        let note = "\(entry), seed \(runSeed)"
        let early = stage.presented.indices.filter { stage.presented[$0].isEarly(interval: interval) }
        // When eight frames are known, the one that was held up counts for much: one or two are made for a later vblank.
        XCTAssertTrue(early.isEmpty || entry.disturbance > .zero && early.count <= 2, "frames \(early): \(note)")
        try stage.end()
      }
    }
  }

  /// Frames that take most of an interval, and whose callbacks come at any time: two may be handed over between two vblanks. They are seen
  /// at two, so that none is taken for seen before the vblank that it was made for.
  func testASilentCompositorShowsOneFrameAtAVBlank() throws {
    let interval = RefreshRate.hertz60.interval
    for work in [8, 12, 14, 15, 20] as [Int64] {
      try MainActor.assumeIsolated {
        var policy = CompositorPolicy()
        policy.feedback = .withheld
        let output = CompositorOutput(rate: try XCTUnwrap(RefreshRate(hertz: 60.98)), toldRate: .hertz60)
        let stage = try WindowStage(globals: .sway, outputs: [output], policy: policy, seed: UInt64(runSeed))
        stage.run(for: .milliseconds(50))
        stage.play()
        let link = stage.engine.makeDisplayLink { _ in stage.clock.advance(by: .milliseconds(work)) }
        stage.run(for: .seconds(3))
        link.invalidate()
        let times = stage.presented.map(\.presented)
        let early = stage.presented.indices.filter { stage.presented[$0].isEarly(interval: interval) }
        let note = "\(work) ms, seed \(runSeed)"
        XCTAssertEqual(zip(times, times.dropFirst()).count { $1 - $0 < interval / 2 }, 0, note)
        XCTAssertEqual(early, [], note)
        try stage.end()
      }
    }
  }

  /// While nobody sees the window its clock ticks once a second. Time for animations does not run ahead with it.
  func testAnAnimationOfAHiddenWindowMovesWhenItIsSeen() throws {
    for wait in stride(from: 50 as Int64, through: 1_050, by: 100) {
      try MainActor.assumeIsolated {
        let stage = try WindowStage(seed: UInt64(runSeed))
        stage.animate()
        stage.run(for: .milliseconds(200))
        stage.rest()
        stage.window.isHidden = true
        stage.animate()
        stage.run(for: .milliseconds(300))
        stage.rest()
        XCTAssertEqual(stage.display.state, .waiting(.hidden))
        stage.play()
        stage.run(for: .milliseconds(wait))
        stage.window.isHidden = false
        stage.forget()
        stage.run(for: .milliseconds(300))
        XCTAssertGreaterThanOrEqual(stage.shown.count, 15, "\(wait) ms, seed \(runSeed)")
        try stage.end()
      }
    }
  }
}
