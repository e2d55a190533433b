import LinuxSystem
import RunLoops
import Synchronization

/// The state that a loop shows to another thread: when its turn began, and what it does. Its observers write it, without a lock.
///
/// A turn begins when the loop wakes. What woke it, and the pass after that up to the next sleep, belong to it. Where a pass ends
/// without sleep, the next one begins another turn: the loop has served what was ready.
final class LoopBeacon: Sendable {
  static let asleep = Int64.min

  /// The beginning of the turn in nanoseconds; `asleep` while the loop sleeps or does not run.
  let turnStart = Atomic<Int64>(asleep)
  let phase = Atomic<UInt8>(LoopPhase.notRunning.rawValue)
  /// The beginning of the turn whose end is to be left in `lastEnd`. Written by the monitor: the end of a turn that is not slow
  /// is nobody's concern, and the clock is not read for it.
  let wantedEnd = Atomic<Int64>(asleep)
  let lastEnd = Atomic<Int64>(asleep)

  /// The depth of runs, and true until the first pass of a turn. Used by the loop's thread only.
  private let depth: Atomic<Int>
  private let isFresh = Atomic<Bool>(false)
  private let clock: SystemClock
  private let bell: Bell

  init(clock: SystemClock, bell: Bell, depth: Int) {
    self.clock = clock
    self.bell = bell
    self.depth = Atomic(depth)
  }

  /// The observers of the loop, first and last of their activities.
  func observers() -> [FrameLoop.Observer] {
    [
      FrameLoop.Observer(
        [.entry, .beforeTimers, .afterWaiting, .beforeWaiting, .exit], order: ObserverOrder.turnBegin,
        .onLoop { [self] _, activity in first(activity) }),
      FrameLoop.Observer(
        [.beforeWaiting, .exit], order: ObserverOrder.turnEnd, .onLoop { [self] _, activity in last(activity) }),
    ]
  }

  @inline(__always)
  private func first(_ activity: FrameLoop.Activity) {
    switch activity {
    case .afterWaiting:
      begin(.woken)
    case .beforeTimers:
      if isFresh.load(ordering: .relaxed) {
        isFresh.store(false, ordering: .relaxed)
        show(.sources)
      } else {
        begin(.sources)
        isFresh.store(false, ordering: .relaxed)
      }
    case .beforeWaiting: show(.beforeWaiting)
    case .exit: show(.exit)
    default:
      depth.store(depth.load(ordering: .relaxed) + 1, ordering: .relaxed)
      begin(.entry)
    }
  }

  @inline(__always)
  private func last(_ activity: FrameLoop.Activity) {
    guard activity == .exit else { return end() }
    let left = max(depth.load(ordering: .relaxed) - 1, 0)
    depth.store(left, ordering: .relaxed)
    // The callback in which the run was nested goes on.
    if left > 0 { begin(.afterNestedRun) } else { end() }
  }

  @inline(__always)
  private func show(_ phase: LoopPhase) { self.phase.store(phase.rawValue, ordering: .relaxed) }

  /// Begins a turn, and ends the one that lasted.
  @inline(__always)
  func begin(_ phase: LoopPhase) {
    let now = clock.now.nanoseconds
    leaveEnd(now)
    show(phase)
    isFresh.store(true, ordering: .relaxed)
    // Either this thread sees that the monitor is parked, or the monitor sees this turn before it parks.
    turnStart.store(now, ordering: .sequentiallyConsistent)
    if bell.isParked.load(ordering: .sequentiallyConsistent) { bell.ring() }
  }

  @inline(__always)
  func end() {
    if isEndWanted { leaveEnd(clock.now.nanoseconds) }
    turnStart.store(Self.asleep, ordering: .releasing)
  }

  @inline(__always)
  private var isEndWanted: Bool {
    let wanted = wantedEnd.load(ordering: .relaxed)
    return wanted != Self.asleep && wanted == turnStart.load(ordering: .relaxed)
  }

  @inline(__always)
  private func leaveEnd(_ now: Int64) {
    if isEndWanted { lastEnd.store(now, ordering: .relaxed) }
  }
}
