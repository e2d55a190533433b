public import LinuxSystem

/// Decides whether a loop hangs: a value, which is told what is seen of the loop, and says what to do and when to look again.
///
/// A *turn* lasts from the loop's waking, or from the end of a pass without sleep, to its next sleep. Its time counts except for
/// that in which the program could not have gone on: the process was stopped, the machine was suspended, a debugger was
/// attached, or other programs had the processor. A turn is *slow* from `countsFrom` on, and a *hang* from `reportsFrom` on.
///
/// It asks for the look at the very moment at which a turn would become slow or a hang. So a turn is a hang exactly if it lasts
/// long enough, wherever in a period it began.
public struct HangDetector: Sendable {
  /// The lengths at which turns are noticed.
  public struct Limits: Hashable, Sendable {
    /// From this time on a turn counts as slow, and its stack is sampled.
    public var countsFrom: Nanoseconds
    /// From this time on a turn is reported as a hang.
    public var reportsFrom: Nanoseconds
    /// The time between two samples of the stack. After a hundred of them it grows with the length of the turn, so that one
    /// that lasts for an hour has no 100,000.
    public var sampleInterval: Nanoseconds

    /// Times below a millisecond become one, and `reportsFrom` is at least `countsFrom`.
    public init(
      countsFrom: Nanoseconds = .milliseconds(250), reportsFrom: Nanoseconds = .seconds(2),
      sampleInterval: Nanoseconds = .milliseconds(50)
    ) {
      self.countsFrom = max(countsFrom, .milliseconds(1))
      self.reportsFrom = max(reportsFrom, self.countsFrom)
      self.sampleInterval = max(sampleInterval, .milliseconds(1))
    }
  }

  /// A look at a loop and its thread.
  public struct Sight: Sendable {
    public var now: MonotonicTime
    /// The beginning of the turn that lasts; nil while the loop sleeps or does not run.
    public var turn: MonotonicTime?
    /// The end of the turn before, if that was slow.
    public var lastEnd: MonotonicTime?
    /// The processor time that the thread has used.
    public var processorTime = Nanoseconds.zero
    /// The time that the thread has waited for a processor, which others had. It may fall by what had been taken for such a wait.
    public var runDelay = Nanoseconds.zero
    /// The time in which the thread that looks waited for a processor, or was at work after other looks.
    public var looksDelay = Nanoseconds.zero
    /// The time that the machine was suspended since its start.
    public var suspended = Nanoseconds.zero
    /// True while a debugger is attached to the process.
    public var isDebugged = false

    public init(now: MonotonicTime, turn: MonotonicTime?) {
      self.now = now
      self.turn = turn
    }
  }

  /// A turn that is slow, as far as it has come.
  public struct Turn: Hashable, Sendable {
    public var start: MonotonicTime
    /// The time that counts, up to the last look or the turn's end.
    public var duration: Nanoseconds
    /// The time that does not count.
    public var excused: Nanoseconds
    /// The share of the time since the turn became slow in which its thread used a processor, from 0 to 1. The time of a stop, a
    /// suspension or a debugger does not count.
    public var processorShare: Double
    /// The share of the same time in which its thread was ready, and other programs had the processors.
    public var starvedShare: Double
  }

  /// The work after a look, in this order.
  public struct Step: Sendable {
    /// A slow turn has ended. Its duration says whether it was a hang.
    public var ended: Turn?
    /// True if the turn is slow: sample its stack. The second value is the time that the sample stands for.
    public var sample: Nanoseconds?
    /// The turn has become a hang at this look.
    public var began: Turn?
    /// When to look again; nil: when the loop begins a turn.
    public var next: MonotonicTime?
  }

  private enum State: Sendable {
    case asleep
    /// A turn, and the time in it that does not count.
    case quick(start: MonotonicTime, excused: Nanoseconds)
    case slow(Slow)
  }

  private struct Slow: Sendable {
    var turn: Turn
    /// The thread's processor time when the turn became slow.
    var processorTime: Nanoseconds
    /// The time since then, without that in which the process stood still, and the part of it in which the thread was ready and had no
    /// processor.
    var time = Nanoseconds.zero
    var starved = Nanoseconds.zero
    var isReported = false
  }

  public let limits: Limits
  private var state = State.asleep
  private var last: Sight?
  /// When this look should have been; nil where the loop was to begin a turn first.
  private var expected: MonotonicTime?
  /// The longest suspension that was seen.
  private var suspended: Nanoseconds?

  /// A look that is so late for no reason of its own thread is late because the whole process stood still.
  private static let tolerance = Nanoseconds.milliseconds(100)
  /// Two readings of clocks tell the time of suspension. It comes out too small if the thread is delayed between them.
  private static let leastSuspension = Nanoseconds.milliseconds(10)

  public init(limits: Limits = Limits()) {
    self.limits = limits
  }

  /// The turn that is slow now; nil if none is.
  public var slowTurn: Turn? { if case .slow(let slow) = state { slow.turn } else { nil } }

  /// Takes a look. Call it at the time that the last step named, or when the loop begins a turn if it named none; sooner does no
  /// harm.
  public mutating func look(_ sight: Sight) -> Step {
    var step = Step()
    let before = watchedTurn
    if let before, before != sight.turn { step.ended = end(sight) }
    guard let start = sight.turn else {
      state = .asleep
      remember(sight, next: nil)
      return step
    }
    if before != start { state = .quick(start: start, excused: .zero) }
    let isNew = before != start
    switch state {
    case .asleep: break
    case .quick(_, let excused):
      goOn(quick: start, excused: excused + excuse(sight, turn: start, excused: excused, isNew: isNew).time, sight, &step)
    case .slow(let slow):
      goOn(slow, excuse(sight, turn: start, excused: slow.turn.excused, isNew: isNew), sight, &step)
    }
    remember(sight, next: step.next)
    return step
  }

  private mutating func remember(_ sight: Sight, next: MonotonicTime?) {
    (last, expected) = (sight, next)
    suspended = max(suspended ?? sight.suspended, sight.suspended)
  }

  private var watchedTurn: MonotonicTime? {
    switch state {
    case .asleep: nil
    case .quick(let start, _): start
    case .slow(let slow): slow.turn.start
    }
  }

  private mutating func goOn(quick start: MonotonicTime, excused: Nanoseconds, _ sight: Sight, _ step: inout Step) {
    let duration = sight.now - start - excused
    guard duration >= limits.countsFrom else {
      state = .quick(start: start, excused: excused)
      step.next = sight.now + (limits.countsFrom - duration)
      return
    }
    let turn = Turn(start: start, duration: duration, excused: excused, processorShare: 0, starvedShare: 0)
    step.sample = limits.sampleInterval
    judge(Slow(turn: turn, processorTime: sight.processorTime), sight, &step)
  }

  private mutating func goOn(_ slow: Slow, _ excuse: Excuse, _ sight: Sight, _ step: inout Step) {
    var slow = slow
    slow.turn.excused += excuse.time
    slow.turn.duration = sight.now - slow.turn.start - slow.turn.excused
    if let last, sight.now > last.now {
      step.sample = sight.now - last.now
      if excuse.isStop {
        slow.processorTime += sight.processorTime - last.processorTime
      } else {
        slow.time += sight.now - last.now
        slow.starved += excuse.time
      }
    }
    if slow.time > .zero {
      let used = sight.processorTime - slow.processorTime
      // A wait that is told late may have begun before the turn was slow.
      slow.starved = max(min(slow.starved, slow.time - used), .zero)
      func share(_ part: Nanoseconds) -> Double { min(1, Double(part.count) / Double(slow.time.count)) }
      slow.turn.processorShare = share(used)
      slow.turn.starvedShare = share(slow.starved)
    }
    judge(slow, sight, &step)
  }

  private mutating func judge(_ slow: Slow, _ sight: Sight, _ step: inout Step) {
    var slow = slow
    let duration = slow.turn.duration
    if duration >= limits.reportsFrom, !slow.isReported {
      slow.isReported = true
      step.began = slow.turn
    }
    let interval = max(limits.sampleInterval, duration / 100)
    let next = duration < limits.reportsFrom ? min(interval, limits.reportsFrom - duration) : interval
    step.next = sight.now + next
    state = .slow(slow)
  }

  /// The watched turn is over. One that was slow is returned, with its whole duration if the loop has left its end.
  private func end(_ sight: Sight) -> Turn? {
    guard case .slow(let slow) = state else { return nil }
    var turn = slow.turn
    if let last, let end = sight.lastEnd, end > turn.start, end <= sight.now {
      // Time since the last look that cannot have counted is taken off. A wait that began before that look is told late.
      let excuse = excuse(sight, turn: turn.start, excused: turn.excused, isNew: false).time
      let late = max(excuse - (sight.now - last.now), .zero)
      turn.duration = max(turn.duration - late, end - turn.start - turn.excused - excuse)
      turn.excused += late
    }
    return turn
  }

  /// A time in which the program could not have gone on.
  private struct Excuse {
    var time: Nanoseconds
    /// False if only its thread could not, for lack of a processor.
    var isStop: Bool
  }

  /// The time since the last look, or the turn's beginning, in which the program could not have gone on.
  private func excuse(_ sight: Sight, turn start: MonotonicTime, excused: Nanoseconds, isNew: Bool) -> Excuse {
    let since = max(start, last?.now ?? start)
    let time = max(sight.now - since, .zero)
    guard let last else { return Excuse(time: sight.isDebugged ? time : .zero, isStop: true) }
    // The first look at a turn comes when it becomes slow, whether or not the loop slept before.
    let latest = isNew ? start + limits.countsFrom : expected ?? sight.now
    let isLate = sight.now - latest - (sight.looksDelay - last.looksDelay) > Self.tolerance
    if isLate || sight.isDebugged { return Excuse(time: time, isStop: true) }
    let counted = max(sight.now - start - excused, .zero)
    // A machine that wakes is slow before it sleeps and after: the turn begins anew.
    if let suspended, sight.suspended - suspended > Self.leastSuspension { return Excuse(time: counted, isStop: true) }
    // A wait that is told late may have begun before the last look.
    return Excuse(time: min(max(sight.runDelay - last.runDelay, .zero), counted), isStop: false)
  }
}
