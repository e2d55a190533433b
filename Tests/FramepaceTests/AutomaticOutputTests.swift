import Framepace
import FramepaceTesting
import XCTest

/// Outputs that become slower by themselves when work takes longer than an interval, in simulated time.
@preconcurrency @MainActor final class AutomaticOutputTests: XCTestCase {
  private static let interval = RefreshRate.hertz60.interval
  private static let phases: [FrameRecord.Phase] = [.callbacks, .layout, .display]

  /// Loads that come and go, at any number of intervals and at those that suit them. (Swappy's figures. A return takes 60 ms of short
  /// frames, in which three vblanks are left out.)
  func testLoadsThatComeAndGo() throws {
    for isAutomatic in [false, true] {
      for phase in Self.phases {
        for kind in WorkStage.Kind.allCases {
          let stage = try WorkStage(hertz: 60, .double, on: kind)
          if isAutomatic { stage.engine.output.automaticInterval = AutomaticInterval() }
          let counts = [5, 30, 5].map { work in
            stage.work[phase] = .milliseconds(Int64(work))
            return stage.frames(in: .seconds(2))
          }
          let name = "\(phase.name) on \(kind), automatic \(isAutomatic)"
          XCTAssertEqual(counts, [120, 60, isAutomatic ? 117 : 120], name)
          stage.work[phase] = .milliseconds(30)
          XCTAssertEqual(stage.frames(in: .seconds(5)), 150, accuracy: 1, name)
          stage.end()
        }
      }
    }
  }

  /// Work that is long from the first frame on, for which no tick asked: the frames of ticks do not queue up behind it. An automatic
  /// interval has them in time within a second.
  func testALongFirstFrameLeavesNoQueue() throws {
    try forEachWay { name, kind, buffering, policy, phase in
      for isAutomatic in [false, true] {
        var work = FrameRecord.PhaseDurations()
        work[phase] = .milliseconds(30)
        let stage = try WorkStage(hertz: 60, buffering, on: kind, work: work)
        stage.engine.output.policy = policy
        if isAutomatic { stage.engine.output.automaticInterval = AutomaticInterval() }
        let count = stage.frames(in: .seconds(5))
        let name = "\(name), automatic \(isAutomatic)"
        XCTAssertEqual(count, 149, accuracy: 1, name)
        XCTAssertEqual(stage.discarded, .zero, name)
        let late = stage.shown.filter { $0.isLate(interval: Self.interval) }
        if isAutomatic {
          XCTAssertLessThan(late.count, 22, name)
          XCTAssertFalse(stage.shown.dropFirst(30).contains { $0.isLate(interval: Self.interval) }, name)
        }
        let longest = stage.shown.dropFirst(3).map { $0.presented - $0.tickTimestamp }.max() ?? .zero
        XCTAssertLessThan(longest, .milliseconds(34), name)
        stage.end()
      }
    }
  }

  /// A frame that misses its vblank at every second interval: those after it are in time again, and no work is for no frame.
  func testASlowerOutputRecoversFromALongFrame() throws {
    try forEachWay { name, kind, buffering, policy, phase in
      for long in [32_900, 34_000, 45_000, 60_000] as [Int64] {
        let stage = try WorkStage(hertz: 60, buffering, on: kind)
        stage.engine.output.policy = policy
        stage.engine.output.automaticInterval = AutomaticInterval()
        stage.work[phase] = .milliseconds(30)
        _ = stage.frames(in: .seconds(3))
        XCTAssertEqual(stage.engine.output.automaticInterval?.intervals, 2)
        let before = stage.shown.count
        stage.work[phase] = .microseconds(long)
        let name = "\(name), \(long) us"
        stage.run(name) { stage.shown.last?.work ?? .zero >= .microseconds(long) }
        stage.work[phase] = .milliseconds(30)
        _ = stage.frames(in: .milliseconds(400))
        let late = stage.shown[before...].count { $0.isLate(interval: Self.interval) }
        XCTAssertLessThanOrEqual(late, 3, name)
        XCTAssertFalse(stage.shown.suffix(5).contains { $0.isLate(interval: Self.interval) }, name)
        XCTAssertEqual(stage.engine.output.automaticInterval?.intervals, 2, name)
        XCTAssertEqual(stage.discarded, .zero, name)
        stage.end()
      }
    }
  }

  /// A short frame behind one that missed its vblank, at every third interval: it is held back until the vblank that it was promised.
  func testAShortFrameBehindALateOneIsNotSeenEarly() throws {
    try forEachWay { name, kind, buffering, policy, phase in
      let stage = try WorkStage(hertz: 60, buffering, on: kind)
      stage.engine.output.policy = policy
      stage.engine.output.automaticInterval = AutomaticInterval()
      stage.work[phase] = .milliseconds(45)
      _ = stage.frames(in: .seconds(3))
      XCTAssertEqual(stage.engine.output.automaticInterval?.intervals, 3, name)
      let (worked, before) = (stage.worked, stage.shown.count)
      // The screen is left 0.2 of the 50 ms of three intervals, and needs 0.5 to take a frame over. A display of memory shows whatever
      // comes before the vblank: its frame takes 2 ms more than the 50.
      let long = Nanoseconds.microseconds(kind == .screen ? 49_800 : 52_000)
      stage.work[phase] = long
      stage.run(name) { stage.worked - worked >= long }
      stage.work[phase] = .milliseconds(5)
      _ = stage.frames(in: .milliseconds(50))
      stage.work[phase] = .milliseconds(45)
      _ = stage.frames(in: .milliseconds(300))
      XCTAssertTrue(stage.shown[before...].contains { $0.isLate(interval: Self.interval) }, name)
      let early = stage.shown[before...].count { $0.presented + Self.interval / 2 < $0.promised ?? $0.presented }
      XCTAssertEqual(early, 0, name)
      XCTAssertEqual(stage.discarded, .zero, name)
      stage.end()
    }
  }

  private func forEachWay(
    _ body: (String, WorkStage.Kind, Buffering, FramePolicy, FrameRecord.Phase) throws -> Void
  ) rethrows {
    for kind in WorkStage.Kind.allCases {
      for buffering in [Buffering.double, .triple] {
        for policy in FramePolicy.allCases {
          for phase in Self.phases {
            try body("\(phase.name) on \(kind), \(buffering), \(policy)", kind, buffering, policy, phase)
          }
        }
      }
    }
  }
}
