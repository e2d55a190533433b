import CLinux
import Glibc
import LinuxSystem
import Synchronization

/// What a loop keeps for one of its modes: the items, and the kernel's objects to wait on for them.
///
/// Locks are taken in the order loop, item, mode. A mode's lock is held for a few instructions and never while something
/// is called that is not in this file or a queue's.
final class ModeState: Sendable {
  let name: FrameLoop.Mode
  /// Belongs to the loop, and tells loops apart.
  let wakeUp: WakeUp
  let clock: SystemClock
  let ports: EpollSet
  let timer: OwnedDescriptor
  let contents: Lock<Contents>
  /// The activities that some observer of the mode wants: one that nobody observes costs this look only.
  private let observed = Atomic<UInt32>(0)
  private let common = Atomic<Bool>(false)
  /// Changed under the lock.
  let descriptorSourceCount = Atomic<Int>(0)

  struct Contents {
    weak var loop: FrameLoop?
    /// By order; equal orders as they were added. Copied on write: an array that was taken to be called stays as it is.
    var observers: [FrameLoop.Observer.Callee] = []
    /// By order; equal orders as they were added.
    var sources: [FrameLoop.Source.Callee] = []
    /// By descriptor number.
    var descriptors: [DescriptorPort?] = []
    var timers = TimerQueue<FrameLoop.Timer>()
    /// What the timer descriptor is set to; `distantFuture`: to nothing.
    var armed = MonotonicTime.distantFuture
    /// The limit of the run that waits.
    var limit = MonotonicTime.distantFuture
    var watchesMainQueue = false
    /// Empty arrays whose memory is used again.
    var spareTimers: [FrameLoop.Timer] = []
    var spareSources: [FrameLoop.Source.Callee] = []
    /// How many observers want each activity, by its bit: there are eight.
    private var observerCounts = InlineArray<8, Int>(repeating: 0)

    init(loop: FrameLoop) {
      self.loop = loop
    }

    /// An observer of `activities` came, or left.
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

  init(name: FrameLoop.Mode, loop: FrameLoop, wakeUp: WakeUp) {
    self.name = name
    self.wakeUp = wakeUp
    clock = loop.clock
    ports = orFatal { () throws(SystemError) in
      let ports = try EpollSet()
      try ports.add(wakeUp.descriptor, events: .readable, token: Port.wakeUpToken)
      return ports
    }
    timer = orFatal { () throws(SystemError) in try OwnedDescriptor.timer() }
    contents = Lock(Contents(loop: loop))
    orFatal { [self] () throws(SystemError) in
      try ports.add(timer.number, events: .readable, token: Port.timerToken)
    }
  }

  var isCommon: Bool { common.load(ordering: .relaxed) }
  func becomeCommon() { common.store(true, ordering: .relaxed) }

  /// Whether what was given these modes is for this one.
  func isOne(of modes: [FrameLoop.Mode]) -> Bool {
    for mode in modes where mode == name || (mode == .common && isCommon) { return true }
    return false
  }

  /// The loop, unless it is going.
  var loop: FrameLoop? { contents.withLock { $0.loop } }

  var hasDescriptors: Bool { descriptorSourceCount.load(ordering: .relaxed) > 0 }

  /// No source, descriptor or timer; observers do not count.
  var isEmpty: Bool {
    !hasDescriptors && contents.withLock { $0.sources.isEmpty && $0.timers.isEmpty }
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

  func insert(_ observer: FrameLoop.Observer.Callee) {
    contents.withLock { contents in
      contents.observers.insert(inOrder: observer)
      observed.store(contents.countObserver(of: observer.activities, by: 1), ordering: .relaxed)
    }
  }

  func remove(_ observer: FrameLoop.Observer) {
    contents.withLock { contents in
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
      contents.timers.remove(slot)
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

  /// The earliest time, of timers that are not being called. Those are in the distant future, where none ever fires.
  var nextFireTime: MonotonicTime? {
    guard let first = contents.withLock({ $0.timers.first }), first != .max else { return nil }
    return MonotonicTime(nanoseconds: first)
  }

  func hasTimerDue(at now: MonotonicTime) -> Bool { contents.withLock { $0.timers.first ?? .max } <= now.nanoseconds }

  /// The timers that are due, in the order in which they are to be called. Give the array back.
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

  /// - Returns: until when the loop may sleep for its timers, `distantFuture` for ever; and whether one is due by now.
  func lookAtTimers() -> (MonotonicTime, isDue: Bool) {
    contents.withLock { contents in
      let first = MonotonicTime(nanoseconds: contents.timers.first ?? .max)
      let deadline = MonotonicTime(nanoseconds: contents.timers.deadline ?? .max)
      return (deadline, first != .distantFuture && first <= clock.now)
    }
  }

  /// Brings the kernel's objects up to what the next wait is for.
  func prepareToWait(limit: MonotonicTime, servesMainQueue: Bool) {
    contents.withLock { contents in
      contents.limit = limit
      arm(&contents)
      if contents.watchesMainQueue != servesMainQueue { watchMainQueue(servesMainQueue, &contents) }
    }
  }

  private func watchMainQueue(_ watch: Bool, _ contents: inout Contents) {
    contents.watchesMainQueue = watch
    guard watch else { return ports.remove(MainQueue.descriptor) }
    orFatal { () throws(SystemError) in
      try ports.add(MainQueue.descriptor, events: .readable, token: Port.mainQueueToken)
    }
  }

  /// A change by another thread is effective at once in a loop that sleeps. The loop's own thread sets the timer when it
  /// is about to sleep, once for all changes.
  private func armFromOutside(_ contents: inout Contents) {
    if !wakeUp.isOwnThread { arm(&contents) }
  }

  private func arm(_ contents: inout Contents) {
    let deadline = min(MonotonicTime(nanoseconds: contents.timers.deadline ?? .max), contents.limit)
    // Nothing fires on manual time: a loop that waits has to look at the new deadline. It may have looked at the old one and
    // not begun to wait.
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
    // The time is absolute and in range, so that this cannot fail. Setting it also takes back that it has expired.
    timerfd_settime(timer.number, Int32(TFD_TIMER_ABSTIME), &setting, nil)
  }
}
