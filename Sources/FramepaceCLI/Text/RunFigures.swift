import Framepace
import Metering

/// The figures of one printed line: rates, counts and times may cover different spans of the run.
struct RunFigures {
  /// The time since the start of the run.
  var time: Nanoseconds
  var rates: FrameReport
  var counts: FrameReport
  /// The report with frame intervals, work and tick lateness.
  var times: FrameReport

  /// The figures as an object of `--json`.
  var json: JSONValue {
    let members: [(key: String, value: JSONValue)] = [
      ("time", .decimal(time.seconds, 3)),
      ("refreshRate", .decimal(rates.refreshRate ?? rates.nominalRefreshRate.hertz, 3)),
      ("tickRate", .decimal(rates.tickRate, 3)),
      ("frameRate", .decimal(rates.frameRate, 3)),
      ("presentedRate", .decimal(rates.presentedRate, 3)),
      ("ticks", .count(counts.ticks)),
      ("frames", .count(counts.frames)),
      ("presented", .count(counts.presented)),
      ("assumed", .count(counts.assumed)),
      ("late", .count(counts.late)),
      ("early", .count(counts.early)),
      ("discarded", .count(counts.discarded)),
      ("lost", .count(counts.lost)),
      ("pending", .count(counts.pending)),
      ("missed", .count(counts.missed)),
      ("idle", .count(counts.idle)),
      ("discardedWork", .milliseconds(counts.discardedWork)),
      ("hitchTimeRatio", .decimal(rates.knownHitchTimeRatio, 3)),
      ("workShare", .decimal(times.workShare, 4)),
    ]
    let lows: [(key: String, value: JSONValue)] = [
      ("onePercentLow", .decimal(times.onePercentLow, 3)), ("tenthPercentLow", .decimal(times.tenthPercentLow, 3)),
    ]
    let distributions = [
      times.frameInterval.json("frameInterval"), LongIntervals.json(times.longIntervals), lows, times.work.json("work"),
      times.tickLateness.json("tickLateness"),
    ]
    return .object(members + distributions.joined())
  }
}

extension FrameReport.Distribution {
  /// The figures as members whose keys begin with `name`.
  func json(_ name: String) -> [(key: String, value: JSONValue)] {
    figures.map { (name + $0.key, .milliseconds($0.value)) }
  }
}

extension LongIntervals {
  /// The shares as members, which are null without intervals.
  static func json(_ intervals: LongIntervals?) -> [(key: String, value: JSONValue)] {
    [("16", intervals?.over16), ("33", intervals?.over33), ("50", intervals?.over50)].map { time, share in
      ("frameIntervalOver\(time)", .decimal(share, 4))
    }
  }
}

extension FrameReport {
  /// Nil also before a frame was seen.
  var knownHitchTimeRatio: Double? { firstPresented == nil ? nil : hitchTimeRatio }

  /// The figures of a whole run as an object.
  var json: JSONValue {
    let members: [(key: String, value: JSONValue)] = [
      ("intervals", .count(intervals)), ("refreshRate", .decimal(refreshRate ?? nominalRefreshRate.hertz, 3)),
      ("tickRate", .decimal(tickRate, 3)), ("frameRate", .decimal(frameRate, 3)),
      ("presentedRate", .decimal(presentedRate, 3)), ("ticks", .count(ticks)), ("frames", .count(frames)),
      ("presented", .count(presented)), ("assumed", .count(assumed)), ("late", .count(late)), ("early", .count(early)),
      ("discarded", .count(discarded)),
      ("lost", .count(lost)), ("pending", .count(pending)), ("missed", .count(missed)),
      ("idle", .count(idle)), ("discardedWork", .milliseconds(discardedWork)),
      ("onePercentLow", .decimal(onePercentLow, 3)), ("tenthPercentLow", .decimal(tenthPercentLow, 3)),
      ("hitchTimeRatio", .decimal(knownHitchTimeRatio, 3)),
      ("hitchSeverity", .optional(firstPresented == nil ? nil : hitchSeverity?.rawValue)),
    ]
    let distributions = [
      frameInterval.json("frameInterval"), LongIntervals.json(longIntervals), latency.json("latency"),
      inputLatency.json("inputLatency"), animationError.json("animationError"), predictionError.json("predictionError"),
      tickLateness.json("tickLateness"),
    ]
    return .object(members + distributions.joined())
  }

  /// The counts of this report minus those of an earlier report of the same run. Counts never go below 0: an interval that
  /// was counted as missed may turn out not to be.
  func counts(since earlier: FrameReport) -> FrameReport {
    var result = FrameReport(nominalRefreshRate: nominalRefreshRate)
    result.firstPresented = firstPresented
    for count in Self.counts { result[keyPath: count] = max(0, self[keyPath: count] - earlier[keyPath: count]) }
    result.time = max(.zero, time - earlier.time)
    result.refreshRate =
      result.time > .zero && refreshRate != nil ? Double(result.intervals) / result.time.seconds : refreshRate
    result.hitchTime = max(.zero, hitchTime - earlier.hitchTime)
    result.discardedWork = discardedWork - earlier.discardedWork
    result.pending = pending - earlier.pending
    return result
  }

  mutating func add(counts other: FrameReport) {
    for count in Self.counts { self[keyPath: count] += other[keyPath: count] }
    time += other.time
    hitchTime += other.hitchTime
    discardedWork += other.discardedWork
    pending += other.pending
  }

  /// True if nothing was counted.
  var isEmpty: Bool { Self.counts.allSatisfy { self[keyPath: $0] == 0 } && discardedWork == .zero }

  private static var counts: [WritableKeyPath<FrameReport, Int>] {
    [
      \.intervals, \.ticks, \.unticked, \.frames, \.presented, \.assumed, \.late, \.early, \.discarded, \.lost, \.missed,
      \.leftOut,
      \.idle,
    ]
  }
}
