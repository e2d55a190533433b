import CLinux
import Glibc
import LinuxSystem
import Synchronization

/// The items of one mode of a loop, and the kernel objects that it waits on.
///
/// Locks are taken in the order loop, item, mode. A mode's lock is held for a few instructions, and never during calls into
/// code outside this file and the queues.
final class ModeState: Sendable {
  let name: FrameLoop.Mode
  /// The loop's; it also identifies the loop.
  let wakeUp: WakeUp
  let clock: SystemClock
  let ports: EpollSet
  let timer: OwnedDescriptor
  let contents: Lock<Contents>
  private let observerList = ObserverListPlace()
  /// The activities that some observer of the mode wants. An activity without observers costs this check only.
  private let observed = Atomic<UInt32>(0)
  private let common = Atomic<Bool>(false)
  /// Changed under the lock.
  let descriptorSourceCount = Atomic<Int>(0)

  struct Contents {
    weak var loop: FrameLoop?
    /// By order; equal orders as they were added. Copied on write: changes do not affect a list that is being called.
    var observers: [FrameLoop.Observer.Callee] = []
    /// By order; equal orders as they were added.
    var sources: [FrameLoop.Source.Callee] = []
    /// By descriptor number.
    var descriptors: [DescriptorPort?] = []
    var timers = TimerQueue<FrameLoop.Timer>()
    /// The time that the timer descriptor is set to; `distantFuture` when it is disarmed.
    var armed = MonotonicTime.distantFuture
    /// The limit of the waiting run.
    var limit = MonotonicTime.distantFuture
    /// The deadline of the mode's last timer, if that was removed since the last wait. A mode that became empty by this waits
    /// until then at most, and not for ever: the run finds that it is empty after the wait.
    var removedDeadline = MonotonicTime.distantFuture
    /// The number of registrations with the kernel.
    var registrationCount: UInt64 = 0
    /// Tokens without a source that the kernel has reported once.
    var ignoredTokens: [UInt64] = []
    var watchesMainQueue = false
    /// Empty arrays, kept for their memory.
    var spareTimers: [FrameLoop.Timer] = []
    var spareSources: [FrameLoop.Source.Callee] = []
    /// The number of observers of each activity, by its bit; there are eight.
    private var observerCounts = InlineArray<8, Int>(repeating: 0)

    init(loop: FrameLoop) {
      self.loop = loop
    }

    /// Counts an observer of `activities` that was added or removed.
    /// - Returns: the activities that any observer wants now.
    mutating func countObserver(of activities: FrameLoop.Activity, by change: Int) -> UInt32 {
      var observed: UInt32 = 0
      for bit in 0..<8 {
        if activities.rawValue & 1 << bit != 0 { observerCounts[bit] += change }
        if observerCounts[bit] > 0 { observed |= 1 << bit }
      }
      return observed
    }
  }

  init(name: FrameLoop.Mode, loop: FrameLoop, wakeUp: WakeUp) throws(SystemError) {
    self.name = name
    self.wakeUp = wakeUp
    clock = loop.clock
    ports = try EpollSet()
    timer = try .timer()
    contents = Lock(Contents(loop: loop))
    try watchOwnPorts()
  }

  var isCommon: Bool { common.load(ordering: .relaxed) }
  func becomeCommon() { common.store(true, ordering: .relaxed) }

  /// True if this mode is among `modes`, by name or as a common mode.
  func isOne(of modes: [FrameLoop.Mode]) -> Bool {
    for mode in modes where mode == name || (mode == .common && isCommon) { return true }
    return false
  }

  /// The loop; nil while it is being deallocated.
  var loop: FrameLoop? { contents.withLock { $0.loop } }

  var hasDescriptors: Bool { descriptorSourceCount.load(ordering: .relaxed) > 0 }

  /// True without a source, descriptor or timer. Observers do not count.
  var isEmpty: Bool { contents.withLock { isEmpty($0) } }

  private func isEmpty(_ contents: Contents) -> Bool {
    !hasDescriptors && contents.sources.isEmpty && contents.timers.isEmpty
  }

  var items: [any LoopItem] {
    contents.withLock { contents in
      var items: [any LoopItem] = contents.observers.map(\.item)
      items += contents.sources.map(\.item) as [any LoopItem]
      for case let port? in contents.descriptors { items += port.sources }
      items += contents.timers.all
      return items
    }
  }

  // MARK: Observers

  @inline(__always)
  func isObserved(_ activity: FrameLoop.Activity) -> Bool {
    observed.load(ordering: .relaxed) & activity.rawValue != 0
  }

  /// Calls `body` with each observer, in their order, also those that it removes. On the loop's thread only.
  @inline(__always)
  func forEachObserver(_ body: (FrameLoop.Observer.Callee) -> Void) {
    observerList.withList(make: { contents.withLock { ObserverList($0.observers) } }) { list in
      for index in list.callees.indices {
        // The list holds the observer: another retain would take longer than the call.
        Unmanaged.passUnretained(list.callees[index])._withUnsafeGuaranteedRef(body)
      }
    }
  }

  func insert(_ observer: FrameLoop.Observer.Callee) {
    contents.withLock { contents in
      observerList.makeOutdated()
      contents.observers.insert(inOrder: observer)
      observed.store(contents.countObserver(of: observer.activities, by: 1), ordering: .relaxed)
    }
  }

  func remove(_ observer: FrameLoop.Observer) {
    contents.withLock { contents in
      observerList.makeOutdated()
      contents.observers.remove(observer, order: observer.order)
      observed.store(contents.countObserver(of: observer.activities, by: -1), ordering: .relaxed)
    }
  }

  // MARK: Signalled sources

  func insert(_ source: FrameLoop.Source.Callee) {
    contents.withLock { contents in contents.sources.insert(inOrder: source) }
  }

  func remove(_ source: FrameLoop.Source) {
    contents.withLock { contents in contents.sources.remove(source, order: source.order) }
  }

  // MARK: Timers

  func insert(
    _ timer: FrameLoop.Timer, at time: MonotonicTime, tolerance: Nanoseconds
  ) -> TimerQueue<FrameLoop.Timer>.Slot {
    contents.withLock { contents in
      let slot = contents.timers.insert(timer, at: time.nanoseconds, tolerance: tolerance.count)
      armFromOutside(&contents)
      return slot
    }
  }

  func removeTimer(_ slot: TimerQueue<FrameLoop.Timer>.Slot) {
    contents.withLock { contents in
      let deadline = contents.timers.deadline
      contents.timers.remove(slot)
      if contents.timers.isEmpty { contents.removedDeadline = MonotonicTime(nanoseconds: deadline ?? .max) }
      armFromOutside(&contents)
    }
  }

  func moveTimer(_ slot: TimerQueue<FrameLoop.Timer>.Slot, to time: MonotonicTime) {
    contents.withLock { contents in
      contents.timers.move(slot, to: time.nanoseconds)
      armFromOutside(&contents)
    }
  }

  func setTolerance(of slot: TimerQueue<FrameLoop.Timer>.Slot, to tolerance: Nanoseconds) {
    contents.withLock { contents in
      contents.timers.setTolerance(slot, to: tolerance.count)
      armFromOutside(&contents)
    }
  }

  /// The earliest fire time. Timers that are being called, and alarms at rest, wait in the distant future and do not count.
  var nextFireTime: MonotonicTime? {
    guard let first = contents.withLock({ $0.timers.first }), first != .max else { return nil }
    return MonotonicTime(nanoseconds: first)
  }

  func hasTimerDue(at now: MonotonicTime) -> Bool { contents.withLock { $0.timers.first ?? .max } <= now.nanoseconds }

  /// The due timers in the order of their calls. Return the array with `giveBack`.
  func takeDueTimers(at now: MonotonicTime) -> [FrameLoop.Timer] {
    contents.withLock { contents in
      var due = contents.spareTimers
      contents.spareTimers = []
      contents.timers.appendDue(at: now.nanoseconds, to: &due)
      return due
    }
  }

  func giveBack(_ timers: consuming [FrameLoop.Timer]) {
    timers.removeAll(keepingCapacity: true)
    let empty = timers
    contents.withLock { $0.spareTimers = empty }
  }

  // MARK: Waiting

  /// Called once before each wait or poll.
  /// - Returns: the time until which timers let the loop sleep, `distantFuture` without one; and true if a timer is due now.
  func lookAtTimers() -> (MonotonicTime, isDue: Bool) {
    contents.withLock { contents in
      contents.limit = isEmpty(contents) ? contents.removedDeadline : .distantFuture
      contents.removedDeadline = .distantFuture
      let first = MonotonicTime(nanoseconds: contents.timers.first ?? .max)
      let deadline = min(MonotonicTime(nanoseconds: contents.timers.deadline ?? .max), contents.limit)
      return (deadline, first != .distantFuture && first <= clock.now)
    }
  }

  /// Sets the kernel objects up for the next wait.
  func prepareToWait(limit: MonotonicTime, servesMainQueue: Bool) {
    contents.withLock { contents in
      contents.limit = min(contents.limit, limit)
      arm(&contents)
      if contents.watchesMainQueue != servesMainQueue { watchMainQueue(servesMainQueue, &contents) }
    }
  }

  func watchMainQueue(_ watch: Bool, _ contents: inout Contents) {
    contents.watchesMainQueue = watch
    guard watch else { return ports.remove(MainQueue.descriptor) }
    orFatal { () throws(SystemError) in
      try ports.add(MainQueue.descriptor, events: .readable, token: Port.mainQueueToken)
    }
  }

  /// Arms the timer for a change from another thread, so that a sleeping loop takes it at once. The loop's own thread arms it
  /// before it sleeps, once for all changes.
  private func armFromOutside(_ contents: inout Contents) {
    if !wakeUp.isOwnThread { arm(&contents) }
  }

  private func arm(_ contents: inout Contents) {
    let deadline = min(MonotonicTime(nanoseconds: contents.timers.deadline ?? .max), contents.limit)
    // No descriptor fires on manual time: the loop is woken to read the new deadline. It may have read the old one and not
    // yet begun to wait.
    if clock.manual != nil { return wakeUp.isOwnThread ? () : wakeUp.wakeUp() }
    guard deadline != contents.armed else { return }
    contents.armed = deadline
    var setting = itimerspec()
    if deadline != .distantFuture {
      // All zeros would disarm the timer.
      let nanoseconds = max(deadline.nanoseconds, 1)
      setting.it_value = timespec(
        tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
    }
    // Cannot fail, as the time is absolute and in range. Setting it also clears an expiration.
    timerfd_settime(timer.number, Int32(TFD_TIMER_ABSTIME), &setting, nil)
  }
}
