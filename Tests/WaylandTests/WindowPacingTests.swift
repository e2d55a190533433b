import FrameTiming
import Framepace
import Simulation
import TestLength
import WaylandTesting
import WindowScripts
import XCTest

@testable import Wayland

/// The frames of a window on compositors that tell of them badly.
final class WindowPacingTests: XCTestCase {
  private static let count: Int64 = 300

  private struct Case {
    var name: String
    var globals = CompositorGlobals.all
    var clock = WaylandTesting.CompositorClock.monotonic
    var faults = DisplayFaults()
    var rate = RefreshRate.hertz60
    var policy = CompositorPolicy()
    /// The part of the answers that are lost after the first second.
    var lostFeedback = 0.0
    /// The frames that may be missing of `count`.
    var mostMissing = 0
    /// How far the time that is told of a frame may be from its vblank.
    var mostError = Nanoseconds.microseconds(1)
  }

  private var cases: [Case] {
    var cases: [Case] = [Case(name: "as it should be")]
    let raw = WaylandTesting.CompositorClock.raw(ahead: .seconds(-700), gain: 30)
    cases.append(Case(name: "stamps of another clock", clock: raw, mostError: .microseconds(5)))
    var noisy = Case(name: "noise", mostMissing: 2, mostError: .milliseconds(1))
    noisy.faults.noise = .microseconds(30)
    cases.append(noisy)
    noisy.clock = raw
    noisy.name = "noise on another clock"
    cases.append(noisy)
    for (part, mostMissing) in [(0.1, 3), (0.5, 6)] {
      cases.append(
        Case(
          name: "\(part) of the answers are lost", lostFeedback: part, mostMissing: mostMissing, mostError: .milliseconds(1))
      )
    }
    var late = Case(name: "late answers", mostMissing: 2)
    late.policy.feedback = .told(after: .milliseconds(9))
    cases.append(late)
    var swapped = Case(name: "answers in the wrong order", mostMissing: 2, mostError: .milliseconds(1))
    swapped.policy.feedback = .swapped
    cases.append(swapped)
    var lying = Case(name: "another interval than is told", mostMissing: 2)
    lying.policy.toldRefresh = .milliseconds(10)
    cases.append(lying)
    for globals in [CompositorGlobals.sway, .weston] {
      cases.append(Case(name: "\(globals.versions.count) globals", globals: globals))
    }
    for hertz in [50.0, 119.88, 144] {
      if let rate = RefreshRate(hertz: hertz) { cases.append(Case(name: "\(rate)", rate: rate, mostMissing: 2)) }
    }
    var early = Case(name: "pictures are taken early", mostMissing: 2)
    early.policy.compositionTime = .milliseconds(7)
    cases.append(early)
    var copying = Case(name: "buffers come back at once")
    copying.policy.release = .copied
    cases.append(copying)
    var slow = Case(name: "buffers come back late")
    slow.policy.release = .replaced(vblanksLater: 1)
    cases.append(slow)
    return cases
  }

  func testAFrameAtEveryVBlank() throws {
    for entry in cases {
      for index in 0..<(isLongRun ? 20 : 1) {
        let seed = UInt64(runSeed) &* 100 &+ UInt64(index)
        try MainActor.assumeIsolated {
          let stage = try WindowStage(
            globals: entry.globals, clock: entry.clock, outputs: [CompositorOutput(rate: entry.rate)], faults: entry.faults,
            policy: entry.policy,
            seed: seed)
          let note = "\(entry.name), seed \(seed)"
          stage.animate()
          stage.run(for: .seconds(1))
          stage.compositor.policy.lostFeedback = entry.lostFeedback
          stage.run(for: .milliseconds(1007))
          XCTAssertTrue(stage.display.reason.hasPrefix("presentation feedback"), "\(note): \(stage.display.reason)")
          stage.forget()
          stage.run(for: entry.rate.offset(ofInterval: Self.count))
          XCTAssertGreaterThanOrEqual(stage.shown.count, Int(Self.count) - entry.mostMissing, note)
          XCTAssertLessThanOrEqual(stage.lostFrames, entry.mostMissing, note)
          XCTAssertGreaterThanOrEqual(stage.presented.count, stage.shown.count - 3 - entry.mostMissing, note)
          var place = 0
          let errors = stage.presented.compactMap(\.presented).map { time -> Int64 in
            while place + 1 < stage.shown.count, stage.shown[place + 1].time - time < time - stage.shown[place].time {
              place += 1
            }
            return stage.shown.isEmpty ? .max : abs((time - stage.shown[place].time).count)
          }
          let inRange = errors.dropFirst(2).filter { $0 > entry.mostError.count }
          XCTAssertLessThanOrEqual(inRange.count, entry.mostMissing, "\(note): \(inRange.prefix(3))")
          try stage.checkPicture(note)
          try stage.end()
        }
      }
    }
  }
}
