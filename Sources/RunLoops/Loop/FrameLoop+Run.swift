public import LinuxSystem
import Synchronization

extension FrameLoop {
  /// The state of one run. A nested run has its own.
  struct Run {
    let mode: ModeState
    /// `distantFuture` for a run without a limit.
    let limit: MonotonicTime
    /// True if the limit had passed when the run began: one pass, without sleep.
    let polls: Bool
    let returnsAfterSourceHandled: Bool
    var result: RunResult?
    var isFirstPass = true
    /// True if the previous pass drained the main queue: it is not polled first in two passes in a row. True at first, so
    /// that the first pass does not poll it either.
    var drainedMainQueue = true
    /// The number of passes in a row without `beforeWaiting`.
    var busyPasses = 0
    /// True if a wake-up came. It may have been meant for the outer run.
    var wasWoken = false
    /// True if the previous pass served due timers, so that ready ports come first in this one.
    var servedTimers = false
  }

  /// After this number of passes without `beforeWaiting`, observers that must not starve are called.
  static let patience = 16

  /// Runs in the default mode until the loop is stopped or has nothing left to wait for.
  public func run() {
    while true {
      switch run(mode: .default) {
      case .finished, .stopped: return
      case .timedOut, .handledSource: continue
      }
    }
  }

  /// Runs the loop in one mode, on its own thread.
  ///
  /// A run is: `entry` observers, passes until there is a result, `exit` observers. A pass is: `beforeTimers` and
  /// `beforeSources` observers; blocks; signalled sources, and blocks again if there were any; `beforeWaiting` observers;
  /// the wait for one port to be ready; `afterWaiting` observers; the work of that port: all due timers, one ready
  /// descriptor, or the blocks of the main queue; blocks. A pass does not wait, and does not call the two observers around the
  /// wait, if it handled a signalled source, if the main queue had blocks (it is polled first in every other pass at
  /// most), or if the limit had passed before the run.
  ///
  /// - Parameters:
  ///   - limit: the end of the run, on the loop's clock; nil for none. A limit that has passed gives a single pass.
  ///   - returnAfterSourceHandled: ends the run after a pass that called a source or a descriptor source, or served the
  ///     main queue. Only the first of several signalled sources is called then. Timers and blocks do not count.
  /// - Returns: the reason for the end. If several apply, the first of: a source was handled, the limit passed, the loop was
  ///   stopped, nothing is left. `finished` at once, without a call of an observer, if the mode has no source, descriptor,
  ///   timer or block. (The common modes of the main thread always have the main queue.)
  @discardableResult
  public func run(mode name: Mode, until limit: MonotonicTime? = nil, returnAfterSourceHandled: Bool = false) -> RunResult {
    // Checked once per run, for all callbacks in it.
    requireOwnThread()
    guard let mode = table.withLock({ $0.mode(name) }) ?? modeOfBlocks(name), !isEmpty(mode) else {
      if name == .common { Self.reportRunInCommonModes }
      return .finished
    }
    let limit = limit ?? .distantFuture
    var run = Run(
      mode: mode, limit: limit, polls: limit != .distantFuture && limit <= clock.now,
      returnsAfterSourceHandled: returnAfterSourceHandled)

    runCount.wrappingAdd(1, ordering: .relaxed)
    let outerRunning = thread.running
    thread.running = self
    thread.runDepth += 1
    let outerMode = table.withLock { table in
      let outer = table.running
      table.running = mode
      return outer
    }
    let outerStop = exchangeStop(false)
    let outerWakeUp = wakeUpState.beginRun()

    notify(.entry, in: mode)
    if stopRequested.load(ordering: .acquiring) { run.result = .stopped }
    while run.result == nil { pass(&run) }
    notify(.exit, in: mode)

    wakeUpState.endRun(outer: outerWakeUp, wasWoken: run.wasWoken)
    _ = exchangeStop(outerStop)
    table.withLock { $0.running = outerMode }
    thread.runDepth -= 1
    thread.running = outerRunning
    return run.result ?? .finished
  }

  /// Runs the loop in one mode for a length of time, on the loop's clock; see `run(mode:until:returnAfterSourceHandled:)`.
  @discardableResult
  public func run(mode: Mode, for duration: Nanoseconds, returnAfterSourceHandled: Bool = false) -> RunResult {
    run(mode: mode, until: clock.now + duration, returnAfterSourceHandled: returnAfterSourceHandled)
  }

  /// One turn of the loop.
  private func pass(_ run: inout Run) {
    let mode = run.mode
    // The first pass has listened since before the entry observers: their wake-ups count.
    if !run.isFirstPass, wakeUpState.listen() { run.wasWoken = true }
    run.isFirstPass = false

    notify(.beforeTimers, in: mode)
    notify(.beforeSources, in: mode)
    blocks.perform(in: mode)
    var handled = performSources(in: mode, onlyFirst: run.returnsAfterSourceHandled)
    if handled { blocks.perform(in: mode) }

    let polls = handled || run.polls
    let servesMainQueue = servesMainQueue(in: mode)
    let port: Port?
    if servesMainQueue, !run.drainedMainQueue, MainQueue.isReady {
      notifyBusy(&run)
      if wakeUpState.ignore() { run.wasWoken = true }
      port = .mainQueue
    } else {
      if polls {
        notifyBusy(&run)
      } else {
        run.busyPasses = 0
        notify(.beforeWaiting, in: mode)
      }
      wakeUpState.beginWait()
      let found = wait(&run, polls: polls, servesMainQueue: servesMainQueue)
      if wakeUpState.ignore() { run.wasWoken = true }
      wakeUpState.endWait()
      port = polls ? found : notifyAfterWaiting(in: mode, wokenBy: found)
    }

    run.drainedMainQueue = false
    switch port {
    case nil: break
    case .wakeUp: wakeUpState.didWake()
    case .timer: fireTimers(in: mode)
    case .mainQueue:
      MainQueue.drain()
      run.drainedMainQueue = true
      handled = true
    case .descriptor(let token, let events):
      if performSources(of: token, events, in: mode) { handled = true }
    }
    blocks.perform(in: mode)

    if handled, run.returnsAfterSourceHandled {
      run.result = .handledSource
    } else if run.limit != .distantFuture, run.limit <= clock.now {
      run.result = .timedOut
    } else if stopRequested.load(ordering: .acquiring) {
      run.result = .stopped
    } else if isEmpty(mode) {
      run.result = .finished
    }
  }

  // MARK: Phases

  @inline(__always)
  private func notify(_ activity: Activity, in mode: ModeState) {
    if mode.isObserved(activity) { callObservers(of: activity, in: mode) }
  }

  private func callObservers(of activity: Activity, in mode: ModeState) {
    mode.forEachObserver { $0.callIfConcerned(by: activity) }
  }

  /// - Returns: the port to handle. A run nested in an observer's call may already have served the descriptor that woke this
  ///   run. It is polled again then, so that its sources are not called for nothing.
  @inline(__always)
  private func notifyAfterWaiting(in mode: ModeState, wokenBy port: Port?) -> Port? {
    guard mode.isObserved(.afterWaiting) else { return port }
    let count = runCount.load(ordering: .relaxed)
    callObservers(of: .afterWaiting, in: mode)
    guard case .descriptor(let token, _) = port, runCount.load(ordering: .relaxed) != count else { return port }
    // The nested run may have removed the sources too, and noted the token.
    return mode.descriptorSources(token) == nil ? nil : Port(lookingAt: token)
  }

  /// Counts a pass without a wait, and now and then calls the `beforeWaiting` observers that must not starve.
  private func notifyBusy(_ run: inout Run) {
    run.busyPasses += 1
    guard run.busyPasses >= Self.patience else { return }
    run.busyPasses = 0
    guard run.mode.isObserved(.beforeWaiting) else { return }
    run.mode.forEachObserver { if $0.item.evenWhenBusy { $0.callIfConcerned(by: .beforeWaiting) } }
  }

  /// Calls the sources that are signalled by now.
  /// - Returns: true if a source was called.
  private func performSources(in mode: ModeState, onlyFirst: Bool) -> Bool {
    let sources = mode.contents.withLock { $0.sources }
    guard let index = sources.firstIndex(where: \.isDue) else { return false }
    guard let next = sources[(index + 1)...].firstIndex(where: \.isDue) else { return sources[index].performIfDue() }

    var batch = mode.contents.withLock { contents in
      let spare = contents.spareSources
      contents.spareSources = []
      return spare
    }
    batch.append(sources[index])
    for source in sources[next...] where source.isDue { batch.append(source) }
    batch.sort { $0.comesBefore($1) }
    var handled = false
    for source in batch {
      if source.performIfDue() { handled = true }
      if handled, onlyFirst { break }
    }
    batch.removeAll(keepingCapacity: true)
    let spare = batch
    mode.contents.withLock { $0.spareSources = spare }
    return handled
  }

  /// Calls the sources of a descriptor that is ready.
  /// - Returns: true if a source was called.
  private func performSources(of token: UInt64, _ events: DescriptorSource.Events, in mode: ModeState) -> Bool {
    guard let sources = mode.descriptorSources(token) else {
      mode.ignore(token)
      return false
    }
    var handled = false
    for source in sources where source.performIfConcerned(by: events) { handled = true }
    return handled
  }

  private func fireTimers(in mode: ModeState) {
    let now = clock.now
    let due = mode.takeDueTimers(at: now)
    for timer in due { timer.fireIfDue(at: now, in: wakeUpState, clock: clock) }
    mode.giveBack(due)
  }

  // MARK: Conditions

  /// Makes a mode that no item was added to, if a block waits for it.
  private func modeOfBlocks(_ name: Mode) -> ModeState? {
    guard name != .common, blocks.contains(naming: name) else { return nil }
    return orFatal { () throws(SystemError) in try makeMode(name) }
  }

  private func servesMainQueue(in mode: ModeState) -> Bool {
    isMain && mode.isCommon && !MainQueue.isDraining
  }

  private func isEmpty(_ mode: ModeState) -> Bool {
    mode.isEmpty && !servesMainQueue(in: mode) && !blocks.contains(matching: mode)
  }

  private static let reportRunInCommonModes: Void = {
    StandardError.print(sentence: "framepace: a loop cannot run in the common modes; run it in one of them")
  }()
}
