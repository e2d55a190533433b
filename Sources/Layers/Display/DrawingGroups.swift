import LinuxSystem

/// The groups of pictures that workers make for a context, in the order of their numbers.
@MainActor
struct DrawingGroups {
  /// The groups that workers have finished.
  let inbox = DrawingInbox()
  private(set) var pending: [DrawingGroup] = []
  /// The groups that the drawings of a commit are collected in, one for each priority that came; nil outside of commits.
  private var collecting: [DrawingGroup]?
  private var lastNumber: UInt64 = 0
  /// The first group that the last commit made, or would have made.
  private var firstNew: UInt64 = 1

  /// The number of drawings that are neither shown nor cancelled.
  var drawingCount: Int {
    pending.reduce(0) { count, group in count + group.members.count { !$0.job.isCancelled } }
  }

  // MARK: Collecting

  /// From now on drawings are collected in groups.
  mutating func open() {
    collecting = []
    firstNew = lastNumber + 1
  }

  /// Ends the collecting.
  ///
  /// - Returns: the groups, for their `close()`, which may call `LayerContext.wake`, and so an application's code.
  mutating func takeCollected() -> [DrawingGroup] { exchange(&collecting, with: nil) ?? [] }

  /// Adds a picture to the group of its commit and priority, or to one of its own.
  ///
  /// - Returns: with the group if it is to be closed now.
  mutating func add(
    _ maker: any PictureMaker, for taker: any PictureTaker, target: DrawingTarget, _ priority: DrawingPriority,
    isAlone: Bool, times: DrawingTimes?
  ) -> (job: DrawingJob, closing: DrawingGroup?) {
    if !isAlone, let group = collecting?.first(where: { $0.priority == priority }) {
      return (group.add(maker, for: taker, target: target, times: times), nil)
    }
    lastNumber += 1
    let group = DrawingGroup(number: lastNumber, priority: priority, inbox: inbox)
    pending.append(group)
    let job = group.add(maker, for: taker, target: target, times: times)
    if isAlone || collecting == nil { return (job, group) }
    collecting?.append(group)
    return (job, nil)
  }

  // MARK: Ending

  /// A group is never reported if all of its drawings were superseded.
  mutating func removeAbandoned() { pending.removeAll { $0.countdown.isAbandoned } }

  /// Removes a group that workers have reported if it is finished.
  ///
  /// - Returns: nil for one that is gone.
  mutating func take(_ number: UInt64) -> (group: DrawingGroup, isFinished: Bool)? {
    guard let index = pending.firstIndex(where: { $0.number == number }) else { return nil }
    return pending[index].countdown.isSettled ? (pending.remove(at: index), true) : (pending[index], false)
  }

  mutating func removeAll() { pending.removeAll() }

  // MARK: Waiting

  func wait() { for group in pending { group.countdown.wait() } }

  /// Waits for what the last commit began, but not for drawings of low priority.
  ///
  /// - Returns: true if it is finished.
  func waitForNew(until end: MonotonicTime) -> Bool {
    pending.allSatisfy { $0.number < firstNew || $0.priority == .low || $0.countdown.wait(until: end) }
  }
}
