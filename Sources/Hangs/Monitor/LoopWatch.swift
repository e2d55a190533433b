import Glibc
import LinuxSystem
import RunLoops
import Synchronization

/// The monitor's knowledge of one loop.
struct LoopWatch {
  private let watched: WatchedLoop
  var detector: HangDetector
  var load: LoadDetector?
  var runDelay = RunDelay()

  var slow = SlowTurn()

  /// The stacks of a time of load.
  var loadTally = StackTally()
  private var lastLoadSample: MonotonicTime?

  /// The stacks and the decision of a slow turn.
  struct SlowTurn {
    fileprivate(set) var tally = StackTally()
    var facts: [HangReport.Fact] = []
    /// The decision about its report; nil until it is a hang.
    var decision: RepeatFilter.Decision?
    var signature: [UInt64] = []
    /// The duration with which it was last written to a file; zero if it was not.
    var keptFor = Nanoseconds.zero
    fileprivate var last: Sample?
    fileprivate var channels: [String: Int] = [:]
    fileprivate var mode: String?
    fileprivate var phase = LoopPhase.notRunning
    fileprivate var longestStop = Nanoseconds.zero
  }

  /// The last sample of the turn.
  fileprivate struct Sample {
    var frames: [StackFrame]
    var isComplete: Bool
    /// The thread's processor time after it.
    var processorTime: Nanoseconds
  }

  /// A thread that used less between two samples has only returned to its wait.
  private static let still = Nanoseconds.microseconds(100)

  init(_ watched: WatchedLoop, _ configuration: HangMonitor.Configuration) {
    self.watched = watched
    detector = HangDetector(limits: configuration.limits)
    load = configuration.load.map(LoadDetector.init)
  }

  /// Takes a sample of the stack.
  /// - Returns: true if the thread was stopped for it.
  mutating func sample(for time: Nanoseconds, processorTime: Nanoseconds, turn: Int64) -> Bool {
    if let channel = ThreadState.waitChannel(of: watched.thread.number) { slow.channels[channel, default: 0] += 1 }
    if let last = slow.last, processorTime - last.processorTime < Self.still {
      slow.tally.add(last.frames, isComplete: last.isComplete, for: time)
      return false
    }
    guard let sample = watched.thread.sample() else { return false }
    // The turn may have ended meanwhile: then this is another one's stack.
    guard watched.beacon.turnStart.load(ordering: .acquiring) == turn else { return true }
    slow.phase = shownPhase
    slow.mode = watched.loop?.currentMode?.name
    slow.longestStop = max(slow.longestStop, sample.stopped)
    slow.tally.add(sample.frames, isComplete: sample.isComplete, for: time)
    slow.last = Sample(
      frames: sample.frames, isComplete: sample.isComplete, processorTime: watched.thread.processorTime)
    return true
  }

  /// Takes a sample, sixty times in a load's time.
  mutating func sampleForLoad(at now: MonotonicTime, turn: Int64) -> Bool {
    let interval = (load?.limits.time ?? .zero) / 60
    if let lastLoadSample, now - lastLoadSample < interval { return false }
    lastLoadSample = now
    guard let sample = watched.thread.sample() else { return false }
    if watched.beacon.turnStart.load(ordering: .acquiring) == turn {
      loadTally.add(sample.frames, isComplete: sample.isComplete, for: interval)
    }
    return true
  }

  private var shownPhase: LoopPhase { LoopPhase(rawValue: watched.beacon.phase.load(ordering: .relaxed)) ?? .notRunning }

  // MARK: Reports, still without names

  func report(of turn: HangDetector.Turn, isOver: Bool) -> HangReport {
    var report = report(.hang, start: turn.start, duration: turn.duration, processorShare: turn.processorShare, slow.tally)
    report.starvedShare = turn.starvedShare
    report.excused = turn.excused
    report.isOver = isOver
    report.waitChannel = report.state == .blocked ? slow.channels.max { $0.value < $1.value }?.key : nil
    if case .report(let leftOut) = slow.decision { report.leftOut = leftOut }
    report.longestStop = slow.longestStop
    report.facts = slow.facts
    return report
  }

  func report(of load: LoadDetector.Load, _ configuration: HangMonitor.Configuration) -> HangReport {
    var report = report(
      .load, start: load.start, duration: load.duration, processorShare: load.processorShare, loadTally)
    report.isOver = true
    report.phase = shownPhase
    report.facts = configuration.facts?() ?? []
    return report
  }

  private func report(
    _ kind: HangReport.Kind, start: MonotonicTime, duration: Nanoseconds, processorShare: Double, _ tally: StackTally
  ) -> HangReport {
    var report = HangReport(kind: kind, start: start, duration: duration, processorShare: processorShare, phase: slow.phase)
    report.program = HangReport.program
    report.process = getpid()
    report.thread = watched.thread.number
    report.loop = watched.name
    let age = ((watched.loop?.clock.now ?? start) - start).seconds
    report.date = ((WallClock.now - age) * 1_000).rounded() / 1_000
    report.mode = slow.mode ?? watched.loop?.currentMode?.name
    report.samples = tally.count
    if let dominant = tally.dominant {
      report.share = dominant.share
      report.isWhole = dominant.isComplete
      report.frames = zip(dominant.frames, dominant.shares).map { HangReport.Frame(address: $0.address, share: $1) }
    }
    return report
  }
}
