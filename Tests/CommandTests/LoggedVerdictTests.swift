import Foundation
import FrameTiming
import LinuxSystem
import TestLength
import Testing

@testable import Framepace
@testable import FramepaceCLI
@testable import Metering

/// `framepace view` says of the log of a run what `framepace profile` says of the run.
struct LoggedVerdictTests {
  /// A random run: with rates that change, half rates, missed intervals, idle and hidden times, stops, frames that are late, lost and discarded.
  private struct RandomRun {
    /// Two have one name.
    private static let layers = ["chart", "a, \"b\"", "chart"]
    var random: SplitMix64
    var events: [FrameEvent] = []
    var stops: [FrameLog.Stop] = []
    private var time = MonotonicTime.zero + .seconds(1)
    private var number: UInt64 = 0
    private var lastSeen = MonotonicTime.zero
    private let isMeasured: Bool
    /// False for a desktop that does not tell when frames are seen.
    private let isTold: Bool

    init(seed: UInt64) {
      random = SplitMix64(seed: seed)
      (isMeasured, isTold) = (random.chance(0.5), random.chance(0.7))
      let rates: [Int64] = [16_683_333, 16_666_667, 25_000_000, 6_944_444, 40_000_000]
      var interval = Nanoseconds(rates.randomElement(using: &random) ?? 1)
      var step: Int64 = 1
      let isSteady = random.chance(0.3)
      let isHeavy = random.chance(0.3)
      for _ in 0..<Int.random(in: 1...300, using: &random) {
        if !isSteady, random.chance(0.02) { interval = Nanoseconds(rates.randomElement(using: &random) ?? 1) }
        if !isSteady, random.chance(0.01) { step = 3 - step }
        if random.chance(0.01) { rest(interval) }
        if random.chance(0.005) { hide() }
        add(
          interval, every: step, missed: random.chance(0.06) ? Int64.random(in: 1...5, using: &random) : 0,
          excess: random.chance(isHeavy ? 0.6 : 0.05) ? interval * step : .zero)
      }
    }

    private mutating func rest(_ interval: Nanoseconds) {
      events.append(.idle)
      number += 20
      time += interval * 20
    }

    private mutating func hide() {
      for _ in 0..<3 {
        number += 1
        time += .seconds(1)
        events.append(
          .tick(
            DisplayLink.Tick(
              timestamp: time, targetTimestamp: time + .seconds(1), duration: .seconds(1), frameNumber: number,
              delivered: time, missed: 0)))
        if random.chance(0.5) { events.append(.lost(frame(.milliseconds(10), every: 1, missed: 0, excess: .zero))) }
      }
      time += .seconds(1)
    }

    private mutating func frame(
      _ interval: Nanoseconds, every step: Int64, missed: Int64, excess: Nanoseconds
    ) -> FrameRecord {
      var frame = FrameRecord()
      (frame.frameNumber, frame.tickTimestamp, frame.start, frame.delivered) = (number, time, time, time)
      (frame.intervalsPerTick, frame.missedTime) = (Int(step), interval * step * missed)
      frame.target = time + interval * step
      frame.animationTime = frame.target
      frame.promised = random.chance(0.95) ? frame.target : nil
      if random.chance(0.3) { frame.lostVBlankTime = frame.missedTime }
      if random.chance(0.3) { frame.delivered += interval * missed / 2 }
      for phase in FrameRecord.Phase.allCases where random.chance(0.3) {
        frame.phases[phase] = Nanoseconds(Int64.random(in: 0...6_000_000, using: &random))
      }
      frame.phases[.display] += excess
      if isMeasured { frame.processorTime = frame.work / Int64.random(in: 1...4, using: &random) }
      frame.submitted = frame.delivered + frame.work
      frame.layerTimes.add(
        FrameRecord.LayerTime(
          layer: random.chance(0.7) ? 1 : UInt32.random(in: 0...3, using: &random), phase: .display,
          time: frame.phases[.display]))
      return frame
    }

    private mutating func add(_ interval: Nanoseconds, every step: Int64, missed: Int64, excess: Nanoseconds) {
      number += UInt64(step * (missed + 1))
      time += interval * step * (missed + 1)
      var frame = frame(interval, every: step, missed: missed, excess: excess)
      if random.chance(missed > 0 ? 0.1 : 0.01) {
        stops.append(FrameLog.Stop(index: events.count, end: frame.delivered - .milliseconds(1)))
      }
      events.append(
        .tick(
          DisplayLink.Tick(
            timestamp: time, targetTimestamp: time + interval * step, duration: interval, frameNumber: number,
            delivered: frame.delivered, missed: UInt64(missed), intervalsPerTick: Int(step))))
      // A tick after which nothing was to be shown.
      if random.chance(0.02) { return }
      if random.chance(0.02) { return events.append(.discarded(frame)) }
      events.append(.committed(frame))
      if random.chance(0.02) { return events.append(.lost(frame)) }
      if random.chance(0.01) { return }
      if random.chance(0.01) { return events.append(.refused(SystemError(call: "commit", errno: 16))) }
      let isLate = frame.submitted > frame.target || random.chance(0.03)
      frame.presented = max(frame.target + (isLate ? interval * step : .zero), lastSeen)
      (lastSeen, frame.isPresentedKnown) = (frame.presented, isTold || random.chance(0.5))
      events.append(.presented(frame))
    }

    mutating func recorded() -> RecordedProfile {
      let told = [RefreshRate(numerator: 60_000, denominator: 1001), .hertz60, RefreshRate(numerator: 144, denominator: 1)]
      var profile = RecordedProfile(
        program: "a program", display: "a display", clock: "a clock", width: 64, height: 36,
        refreshRate: (told.randomElement(using: &random) ?? nil) ?? .hertz60,
        environment: RunEnvironment(processor: "a processor", cores: 2, kernel: "6", build: "debug", version: "1"))
      (profile.events, profile.stops) = (events, stops)
      if random.chance(0.7) { profile.ended = time + .milliseconds(Int64.random(in: 0...300, using: &random)) }
      profile.layers = Self.layers.enumerated().map { index, name in
        LayerCosts.Row(
          id: UInt32(index), layer: name, work: .display, count: 1, pixels: 0, time: .milliseconds(1),
          maximum: .milliseconds(1))
      }
      return profile
    }
  }

  @Test @MainActor func viewAgreesWithProfile() throws {
    let seed = UInt64(runSeed)
    var found: [String: Int] = [:]
    for number in 0..<(isLongRun ? 5_000 : 60) as Range<UInt64> {
      var random = RandomRun(seed: seed &+ number)
      let recorded = random.recorded()
      let run = RecordedRun(recorded, budget: random.random.chance(0.2) ? .milliseconds(9) : nil)
      guard run.figures.profile.frames > 0 else { continue }
      let verdict = run.figures.verdict
      let text = run.figures.report.text(width: 80, ownBudget: run.figures.profile.ownBudget)
      for format in FrameLogFormat.allCases {
        var bytes = format.header
        for frame in run.frames { format.append(frame, to: &bytes) }
        let report = CaptureReport(try FrameCapture(bytes).streams[0])
        #expect(report.verdict == verdict, "seed \(seed &+ number)")
        // A short run has rates or none by the last rate that the display told, which the log does not have.
        if run.figures.report.intervals >= 30 { #expect(report.text(width: 80) == text, "seed \(seed &+ number)") }
        #expect(report.missedCauses == run.figures.report.missedCauses, "seed \(seed &+ number)")
        #expect(report.work == run.figures.report.work, "seed \(seed &+ number)")
        #expect(report.lateCauses == run.figures.profile.lateCauses, "seed \(seed &+ number)")
      }
      for part in [
        "rate changed", "measured", "9.00 ms", "does not fit", "does not always fit", "late: ", "of layer 'a, \"b\"'",
        "never seen", "missed: ", "by a stop", "with no frame after", "behind late frames", "by lost vblanks",
        "picture stood", "frames were seen is assumed", "at an unknown rate",
      ] where verdict.contains(part) { found[part, default: 0] += 1 }
    }
    #expect(found.count == 16, "seed \(seed): \(found)")
  }

  /// The log of a scene has the frames that its profile reports, and no others.
  @Test func viewAgreesWithTheProfileOfAScene() throws {
    let folder = try TemporaryFolder()
    for options in [["orbit", "--frames", "130"], ["stress", "--duration", "1s", "--work", "8ms", "--budget", "3ms"]] {
      let profile = try framepace(
        [
          "profile", "--display", "fallback", "--rate", "100", "--size", "64x36", "--json", "p.json", "--csv",
          "f.csv",
        ]
          + options,
        in: folder.path)
      #expect(profile.status == 0, "\(profile.error)")
      let view = try framepace(["view", "f.csv", "--json", "v.json"], in: folder.path)
      #expect(view.status == 0, "\(view.error)")
      let objects = try ["p.json", "v.json"].map {
        try #require(try JSONSerialization.jsonObject(with: folder.contents(of: $0)) as? [String: Any])
      }
      #expect(objects[0]["verdict"] as? String == objects[1]["verdict"] as? String)
      #expect((objects[0]["statistics"] as? [String: Any])?["missed"] as? Int == objects[1]["missed"] as? Int)
    }
  }
}
