import CStackSamples
import LinuxSystem
import RunLoops
import Synchronization

/// The work of the monitor's thread: it looks at each loop when that is due, samples those that are slow, and hands reports over.
struct HangWatch {
  private let configuration: HangMonitor.Configuration
  private let shared: HangMonitor.Shared
  private let reporter: HangReporter
  private var states: [ObjectIdentifier: LoopWatch] = [:]
  private var filter: RepeatFilter
  private var random: SplitMix64
  private let ownThread = Int32(cstack_thread_number())
  /// The time that the looks took together.
  private var worked = Nanoseconds.zero

  /// - Parameter seed: chooses the reports that are made, where not all are.
  init(_ configuration: HangMonitor.Configuration, _ shared: HangMonitor.Shared, _ reporter: HangReporter, seed: UInt64) {
    self.configuration = configuration
    self.shared = shared
    self.reporter = reporter
    filter = RepeatFilter(period: configuration.limits.reportsFrom)
    random = SplitMix64(seed: seed)
  }

  mutating func run() {
    while let watched = nextRound() {
      let start = SystemClock.monotonic.now
      var next: MonotonicTime?
      for loop in watched {
        guard let time = look(at: loop) else { continue }
        next = min(next ?? time, time)
      }
      // Looks that took longer did not work: the process was stopped in them.
      worked += min(SystemClock.monotonic.now - start, .seconds(1))
      if next == nil {
        // Either a loop that begins a turn sees this, or its turn is seen here.
        shared.bell.isParked.store(true, ordering: .sequentiallyConsistent)
        if watched.contains(where: { $0.beacon.turnStart.load(ordering: .sequentiallyConsistent) != LoopBeacon.asleep }) {
          continue
        }
      }
      shared.bell.wait(until: next)
    }
    endAll()
  }

  /// - Returns: the loops under watch; nil when the monitor stops.
  mutating func nextRound() -> [WatchedLoop]? {
    let watched: [WatchedLoop]? = shared.state.withLock { state in
      state.counts.wakeUps += 1
      state.watched.removeAll { $0.loop == nil }
      return state.isStopped ? nil : state.watched
    }
    guard let watched else { return nil }
    endAll(but: Set(watched.map(ObjectIdentifier.init)))
    return watched
  }

  /// Ends the watching of all loops but some. A turn that is slow ends with it.
  mutating func endAll(but present: Set<ObjectIdentifier> = []) {
    for (loop, state) in states where !present.contains(loop) {
      states[loop] = nil
      if let slow = state.detector.slowTurn { end(state, slow) }
    }
  }

  // MARK: A look

  /// - Returns: when to look again; nil when the loop begins a turn.
  mutating func look(at watched: WatchedLoop) -> MonotonicTime? {
    guard let loop = watched.loop else { return nil }
    let beacon = watched.beacon
    var state = states[ObjectIdentifier(watched)] ?? LoopWatch(watched, configuration)
    let turn = beacon.turnStart.load(ordering: .sequentiallyConsistent)
    let clock = loop.clock
    var sight = HangDetector.Sight(now: clock.now, turn: turn == LoopBeacon.asleep ? nil : MonotonicTime(nanoseconds: turn))
    // In a mode that is not watched, the loop sleeps unseen. Then its turn begins anew.
    if sight.turn != nil, loop.isWaiting { sight.turn = sight.now }
    let end = beacon.lastEnd.load(ordering: .relaxed)
    if end != LoopBeacon.asleep { sight.lastEnd = MonotonicTime(nanoseconds: end) }
    sight.processorTime = watched.thread.processorTime
    sight.suspended = clock.slept
    // The machine's delays are none of a clock that is moved by hand.
    if clock.manual == nil {
      let thread = watched.thread.number
      if let schedule = ThreadState.schedule(of: thread) {
        sight.runDelay = state.runDelay.total(
          RunDelay.Reading(
            time: sight.now, processorTime: sight.processorTime, schedule: schedule, isReady: ThreadState.isReady(thread)))
      }
      sight.looksDelay = (ThreadState.schedule(of: ownThread)?.runDelay ?? .zero) + worked
      sight.isDebugged = ThreadState.isDebugged
    }

    let step = state.detector.look(sight)
    if let ended = step.ended { self.end(state, ended) }
    if step.ended != nil || step.sample == nil { state.slow = LoopWatch.SlowTurn() }
    if let time = step.sample {
      beacon.wantedEnd.store(turn, ordering: .relaxed)
      sample(&state, for: time, sight, turn: turn)
    }
    if let began = step.began { begin(&state, began) }
    if let slow = state.detector.slowTurn { keepIfUnending(&state, slow) }
    lookForLoad(&state, sight, turn: turn)
    states[ObjectIdentifier(watched)] = state
    return step.next
  }

  private mutating func sample(_ state: inout LoopWatch, for time: Nanoseconds, _ sight: HangDetector.Sight, turn: Int64) {
    guard state.sample(for: time, processorTime: sight.processorTime, turn: turn) else { return }
    shared.state.withLock { $0.counts.samples += 1 }
  }

  private mutating func lookForLoad(_ state: inout LoopWatch, _ sight: HangDetector.Sight, turn: Int64) {
    if let load = state.load?.look(now: sight.now, processorTime: sight.processorTime) {
      let report = state.report(of: load, configuration)
      shared.state.withLock { $0.counts.loads += 1 }
      // Zero is no function: a load is never equal to a hang.
      let signature = [0] + (state.loadTally.dominant?.signature ?? [])
      if decide(signature, at: sight.now) { reporter.take(report, signature: signature) }
      state.loadTally = StackTally()
    } else if state.load?.isSuspicious == true, sight.turn != nil {
      if state.sampleForLoad(at: sight.now, turn: turn) { shared.state.withLock { $0.counts.samples += 1 } }
    } else if state.load?.isSuspicious == false {
      state.loadTally = StackTally()
    }
  }

  // MARK: Hangs

  private mutating func begin(_ state: inout LoopWatch, _ turn: HangDetector.Turn) {
    shared.state.withLock { $0.counts.hangs += 1 }
    state.slow.facts = configuration.facts?() ?? []
    let signature = state.slow.tally.dominant?.signature ?? []
    state.slow.decision = filter.decide(signature, at: turn.start + turn.duration)
    if case .report = state.slow.decision, !isChosen() { state.slow.decision = .leaveOut }
    state.slow.signature = signature
    if case .report = state.slow.decision { reporter.tell(state.report(of: turn, isOver: false)) }
  }

  private mutating func end(_ state: LoopWatch, _ turn: HangDetector.Turn) {
    shared.state.withLock { state in
      state.counts.slowTurns += 1
      state.counts.slowTime += turn.duration
    }
    guard turn.duration >= configuration.limits.reportsFrom else { return }
    var state = state
    // It ended just before the look that would have found it.
    if state.slow.decision == nil { begin(&state, turn) }
    let report = state.report(of: turn, isOver: true)
    switch state.slow.decision {
    case .report:
      reporter.take(report, signature: state.slow.signature)
      shared.state.withLock { $0.counts.reports += 1 }
    case .leaveOut, nil:
      reporter.count(report, signature: state.slow.signature)
      shared.state.withLock { $0.counts.leftOut += 1 }
    }
  }

  /// A program that hangs is killed, by its user or by a watchdog, and its memory goes with it: its report is in a file from the moment at
  /// which it is a hang, and again whenever it has become twice as long.
  private func keepIfUnending(_ state: inout LoopWatch, _ turn: HangDetector.Turn) {
    guard case .report = state.slow.decision, turn.duration >= state.slow.keptFor * 2 else { return }
    state.slow.keptFor = turn.duration
    reporter.keep(state.report(of: turn, isOver: false), signature: state.slow.signature)
  }

  private mutating func decide(_ signature: [UInt64], at now: MonotonicTime) -> Bool {
    let isReported: Bool
    if case .report = filter.decide(signature, at: now) { isReported = isChosen() } else { isReported = false }
    shared.state.withLock { state in
      if isReported { state.counts.reports += 1 } else { state.counts.leftOut += 1 }
    }
    return isReported
  }

  private mutating func isChosen() -> Bool {
    let rate = configuration.reportingRate
    return rate >= 1 || Double.random(in: 0..<1, using: &random) < rate
  }
}
