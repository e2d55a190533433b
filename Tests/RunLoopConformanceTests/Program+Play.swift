import LinuxSystem
import LoopTestSupport
import RunLoops

extension Program {
  /// The words that the program writes on a loop; nil if it does not end.
  func words(on kind: LoopKind) -> [String]? {
    Play.onFreshThread(kind) { stage in ProgramPlay(self, stage).perform() }
  }
}

/// One play of a program.
///
/// The play records what could wake the loop. It skips operations that would lead to a documented difference between the
/// loops; see `mayPerform`. As long as the loops agree, the same operations are skipped on both.
private final class ProgramPlay: Sendable {
  private enum Phase {
    case entry
    /// The loop is about to wait, and wake-ups count.
    case beforeWait
    case woken
    /// The loop handles what woke it.
    case afterWait
    case exit
  }

  private struct Run {
    let mode: String
    let length: Program.RunLength
    var phase = Phase.entry
  }

  private struct State {
    var callCounts: [String: Int] = [:]
    var dueTimers: Set<String> = []
    /// The timers in their calls, each with the mode of the call.
    var firingTimers: [String: String] = [:]
    var postedDescriptors: Set<String> = []
    var signalledSources: Set<String> = []
    var sourceDepth = 0
    var commonModeCount = 1
    /// True if the next wait ends at once.
    var isWakeUpPending = false
    var runs: [Run] = []

    mutating func setPhase(_ phase: Phase) {
      if !runs.isEmpty { runs[runs.count - 1].phase = phase }
    }

    mutating func noteWakeUp() {
      if runs.last?.phase == .beforeWait { isWakeUpPending = true }
    }
  }

  private let program: Program
  private let stage: Stage
  private let state = Lock(State())

  init(_ program: Program, _ stage: Stage) {
    self.program = program
    self.stage = stage
  }

  func perform() {
    for mode in Program.modes {
      let watch = stage.loop.observer(.all, order: .min, repeats: true) { [self] activity in
        stage.log(activity.word)
        notice(activity)
      }
      stage.put(watch, ".watch of \(mode)", in: mode)
      stage.observer(".idle of \(mode)", .beforeWaiting, order: .max, in: mode) { [self] _ in stopIfIdle() }
      if program.hasAnchors { stage.timer(".anchor of \(mode)", at: Stage.never, in: mode) }
    }
    for item in program.items { make(item) }
    perform(program.script)
  }

  private func make(_ item: Program.Item) {
    let call: Stage.Body = { [self] _ in called(item) }
    switch item.kind {
    case .source(let order): stage.source(item.name, order: order, in: nil, call)
    case .descriptor: stage.descriptor(item.name, in: nil, call)
    case .observer(let activities, let order, let repeats):
      stage.observer(item.name, activities, order: order, repeats: repeats, in: nil, call)
    case .timer(let isDue, let repeats):
      let isDue = isDue && program.hasAnchors
      stage.timer(
        item.name, at: isDue ? stage.overdue : Stage.never, every: repeats ? Stage.never : 0, in: nil, call)
      if isDue { state.withLock { state in _ = state.dueTimers.insert(item.name) } }
    }
  }

  // MARK: Calls

  private func called(_ item: Program.Item) {
    let name = item.name
    let count = state.withLock { state in
      state.callCounts[name, default: 0] += 1
      switch item.kind {
      case .source:
        state.signalledSources.remove(name)
        state.sourceDepth += 1
      case .descriptor:
        state.postedDescriptors.remove(name)
        state.setPhase(.afterWait)
      case .timer:
        state.dueTimers.remove(name)
        state.firingTimers[name] = state.runs.last?.mode
        state.setPhase(.afterWait)
      case .observer: break
      }
      return state.callCounts[name] ?? 0
    }
    if count <= item.calls.count { perform(item.calls[count - 1]) }
    let isOver = if case .timer(_, repeats: false) = item.kind { true } else { !stage.isValid(name) }
    state.withLock { state in
      if case .source = item.kind { state.sourceDepth -= 1 }
      state.firingTimers[name] = nil
      if isOver { state.dueTimers.remove(name) }
    }
  }

  private func notice(_ activity: FrameLoop.Activity) {
    state.withLock { state in
      switch activity {
      case .entry: state.setPhase(.entry)
      case .beforeTimers:
        state.setPhase(.beforeWait)
        state.isWakeUpPending = false
      case .afterWaiting: state.setPhase(.woken)
      case .exit:
        state.setPhase(.exit)
        state.isWakeUpPending = false
      default: break
      }
    }
  }

  private func stopIfIdle() {
    let state = state.withLock { $0 }
    guard let run = state.runs.last, case .untilIdle = run.length, !state.isWakeUpPending else { return }
    let ready = state.dueTimers.subtracting(state.firingTimers.keys).union(state.postedDescriptors)
    guard !ready.contains(where: { stage.contains($0, in: run.mode) }) else { return }
    stage.stop()
  }

  // MARK: Operations

  private func perform(_ operations: [Program.Operation]) {
    for operation in operations where mayPerform(operation) { perform(operation) }
  }

  private func perform(_ operation: Program.Operation) {
    switch operation {
    case .add(let name, let mode): stage.add(name, to: mode)
    case .remove(let name, let mode): stage.remove(name, from: mode)
    case .invalidate(let name):
      stage.invalidate(name)
      state.withLock { state in
        state.dueTimers.remove(name)
        state.signalledSources.remove(name)
      }
    case .signal(let name):
      stage.signal(name)
      if stage.isValid(name) { state.withLock { state in _ = state.signalledSources.insert(name) } }
    case .post(let name):
      stage.post(name)
      state.withLock { state in _ = state.postedDescriptors.insert(name) }
    case .fire(let name):
      stage.move(name, to: stage.overdue)
      state.withLock { state in _ = state.dueTimers.insert(name) }
    case .park(let name):
      stage.move(name, to: Stage.never)
      state.withLock { state in _ = state.dueTimers.remove(name) }
    case .block(let name, let modes, let body):
      stage.block(name, in: modes) { [self] _ in perform(body) }
    case .run(let mode, let length, let returnAfterSourceHandled):
      state.withLock { $0.runs.append(Run(mode: mode, length: length)) }
      stage.run(mode, for: length.milliseconds, returnAfterSourceHandled: returnAfterSourceHandled)
      state.withLock { state in _ = state.runs.removeLast() }
    case .stop:
      stage.stop()
      state.withLock { $0.noteWakeUp() }
    case .wakeUp:
      stage.wakeUp()
      state.withLock { $0.noteWakeUp() }
    case .addCommonMode(let mode):
      stage.addCommonMode(mode)
      state.withLock { $0.commonModeCount += 1 }
    case .look(let name, let mode): stage.look(name, in: mode)
    }
  }

  /// False for an operation that would lead to a documented deviation, which has its own scenario.
  private func mayPerform(_ operation: Program.Operation) -> Bool {
    let state = state.withLock { $0 }
    let phase = state.runs.last?.phase
    switch operation {
    case .add(let name, let mode):
      if state.dueTimers.contains(name) || state.firingTimers[name] != nil {
        // In its other modes, CoreFoundation is woken by a timer that was called already.
        guard modes(of: name).isEmpty, mode != "common" || state.commonModeCount == 1 else { return false }
        // In the mode that the timer moved to during its call, CoreFoundation is not woken.
        let home = mode == "common" ? "default" : mode
        if state.dueTimers.contains(name), home != state.firingTimers[name, default: home] { return false }
        return !isPortReady(state, otherThanTimers: true)
      }
      return !state.postedDescriptors.contains(name) || !isPortReady(state)
    case .remove(let name, _):
      // CoreFoundation reads a descriptor before afterWaiting, so it is empty by then.
      return phase != .woken || !state.postedDescriptors.contains(name)
    case .invalidate(let name):
      // CoreFoundation may mistake a batch of sources for none.
      if state.sourceDepth > 0, state.signalledSources.contains(name) { return false }
      return phase != .woken || !state.postedDescriptors.contains(name)
    case .post(let name):
      // The kernel decides the order of ready ports.
      return !state.postedDescriptors.contains(name) && (modes(of: name).isEmpty || !isPortReady(state))
    case .fire(let name):
      guard program.hasAnchors, stage.isValid(name), modes(of: name).count <= 1 else { return false }
      // This is the reverse order: the timer was added to another mode first, and then moved.
      if let firing = state.firingTimers[name], modes(of: name).contains(where: { $0 != firing }) { return false }
      return modes(of: name).isEmpty || !isPortReady(state, otherThanTimers: true)
    case .run(_, let length, _):
      guard state.runs.count < 3 else { return false }
      if case .brief = state.runs.last?.length { return false }
      if case .brief = length, !state.runs.isEmpty { return false }
      // A wake-up serves one run. The event that woke CoreFoundation is gone from its ports. A batch may be mistaken for
      // none.
      return !state.isWakeUpPending && !(phase == .woken && isPortReady(state))
        && (state.sourceDepth == 0 || state.signalledSources.isEmpty)
    case .stop:
      // These are the wake-up of a stop at entry, and that of a stop while something is ready.
      return phase != .entry && (phase != .beforeWait || !isPortReady(state))
    case .wakeUp:
      guard state.runs.count <= 1, phase != .entry else { return false }
      return phase != .beforeWait || !isPortReady(state)
    case .addCommonMode:
      guard state.dueTimers.isEmpty, state.firingTimers.isEmpty, state.postedDescriptors.isEmpty else { return false }
      // CoreFoundation adds the common items in no particular order.
      let names = program.items.map(\.name).filter { $0.hasPrefix("observer") && stage.isValid($0) }
      return names.count { stage.contains($0, in: "common") } < 2
    case .look(let name, let mode):
      // CoreFoundation does not know whether an item without a mode is a common item.
      return mode != "common" || (!name.hasPrefix("timer") && stage.isValid(name))
    case .signal, .park, .block: return true
    }
  }

  private func isPortReady(_ state: State, otherThanTimers: Bool = false) -> Bool {
    if state.isWakeUpPending { return true }
    let ready = otherThanTimers ? state.postedDescriptors : state.postedDescriptors.union(state.dueTimers)
    return ready.contains { !modes(of: $0).isEmpty }
  }

  private func modes(of name: String) -> [String] { Program.modes.filter { stage.contains(name, in: $0) } }
}

extension Program.RunLength {
  fileprivate var milliseconds: Double {
    switch self {
    case .poll: 0
    case .brief: 3
    // The limit is long enough never to be reached, unless something is wrong.
    case .untilIdle: 2_000
    }
  }
}
