import LinuxSystem
import Synchronization

/// The blocks that wait until the loop runs in one of their modes.
final class BlockQueue: Sendable {
  // A closure that is a generic element by itself would be wrapped in another one, with an allocation for each block.
  private struct Block {
    let call: @Sendable () -> Void
  }

  private struct State {
    var waiting = ModeQueues<Block>()
    /// An empty array, kept for its memory.
    var spare: [ModeQueues<Block>.Entry] = []
    var isClosed = false
  }

  private let state = Lock(State())
  private let hasEntries = Atomic<Bool>(false)

  /// - Returns: false if the queue is closed. The block is released then, unless the caller keeps it.
  func append(_ block: @escaping @Sendable () -> Void, modes: [FrameLoop.Mode]) -> Bool {
    state.withLock { state in
      guard !state.isClosed else { return false }
      state.waiting.append(Block(call: block), modes: modes)
      hasEntries.store(true, ordering: .releasing)
      return true
    }
  }

  func contains(matching mode: ModeState) -> Bool {
    hasEntries.load(ordering: .acquiring) && state.withLock { $0.waiting.contains(matching: mode) }
  }

  /// True if a block names a mode, which may not have been made yet.
  func contains(naming mode: FrameLoop.Mode) -> Bool {
    hasEntries.load(ordering: .acquiring) && state.withLock { $0.waiting.contains(naming: mode) }
  }

  /// Takes the blocks for `mode` off the queue, and calls them in the order in which they were queued. A block that is queued
  /// during this waits for the next call. A run that is nested in a block sees no block that was queued before the round, as
  /// with CFRunLoop.
  @inline(__always)
  func perform(in mode: ModeState) {
    guard hasEntries.load(ordering: .acquiring) else { return }
    performTaken(in: mode)
  }

  private func performTaken(in mode: ModeState) {
    var wasCommon = mode.isCommon
    var (taken, round) = state.withLock { state in
      let round = state.waiting.hideAll()
      var taken = exchange(&state.spare, with: [])
      state.waiting.take(round, for: mode, into: &taken)
      hasEntries.store(!state.waiting.isEmpty, ordering: .releasing)
      return (taken, round)
    }
    var index = 0
    while index < taken.count {
      // Released right after its call, so that its captures do not live until the last block has run.
      let block = exchange(&taken[index].element, with: Block(call: {}))
      block.call()
      index += 1
      guard !wasCommon, mode.isCommon else { continue }
      // The mode became common. Blocks for the common modes belong to the round from here on, as with CFRunLoop, which asks for
      // each block in turn.
      wasCommon = true
      let rest = taken[index - 1].number + 1..<round.upperBound
      state.withLock { $0.waiting.take(rest, for: mode, into: &taken) }
    }
    taken.removeAll(keepingCapacity: true)
    let spare = taken
    state.withLock { state in
      state.spare = spare
      state.waiting.hiddenCount = round.lowerBound
    }
  }

  /// Drops all blocks without calling them, and refuses new ones.
  func close() {
    let dropped = state.withLock { state in
      state.isClosed = true
      hasEntries.store(false, ordering: .releasing)
      return exchange(&state.waiting, with: ModeQueues())
    }
    // Released outside the lock: the captures may use this queue when they end.
    withExtendedLifetime(dropped) {}
  }
}

/// Elements that wait for runs in their modes. Each list of modes has a queue of its own, so that elements of other modes cost
/// a run nothing.
struct ModeQueues<Element: Sendable> {
  struct Entry {
    /// Counts the elements of all queues.
    let number: UInt64
    var element: Element
  }

  private struct Queue {
    let modes: [FrameLoop.Mode]
    var entries: [Entry] = []

    func hasEntry(from number: UInt64) -> Bool { entries.last.map { $0.number >= number } ?? false }

    /// The places of the entries with these numbers. Finding all entries takes no search.
    func places(of numbers: Range<UInt64>) -> Range<Int> {
      guard hasEntry(from: numbers.lowerBound),
        let first = entries.firstIndex(where: { $0.number >= numbers.lowerBound }),
        let last = entries.lastIndex(where: { $0.number < numbers.upperBound }), first <= last
      else { return 0..<0 }
      return first..<last + 1
    }
  }

  private var queues: [Queue] = []
  private var nextNumber: UInt64 = 0
  private(set) var count = 0
  /// Elements with a smaller number are not found.
  var hiddenCount: UInt64 = 0

  var isEmpty: Bool { count == 0 }
  /// All elements, in no particular order.
  var all: [Element] { queues.flatMap { $0.entries.map(\.element) } }

  mutating func append(_ element: Element, modes: [FrameLoop.Mode]) {
    let entry = Entry(number: nextNumber, element: element)
    nextNumber += 1
    count += 1
    if let index = queues.firstIndex(where: { $0.modes == modes }) { return queues[index].entries.append(entry) }
    // Empty queues are kept for their memory, but not many.
    if queues.count >= 16 { queues.removeAll { $0.entries.isEmpty } }
    queues.append(Queue(modes: modes, entries: [entry]))
  }

  /// Moves the elements with these numbers for a run in `mode` to an array, and sorts that in the order in which its elements
  /// were appended.
  mutating func take(_ numbers: Range<UInt64> = 0..<(.max), for mode: ModeState, into taken: inout [Entry]) {
    for index in queues.indices {
      let places = queues[index].places(of: numbers)
      guard !places.isEmpty, mode.isOne(of: queues[index].modes) else { continue }
      count -= places.count
      if taken.isEmpty, places.count == queues[index].entries.count {
        swap(&taken, &queues[index].entries)
      } else {
        taken += queues[index].entries[places]
        queues[index].entries.removeSubrange(places)
        taken.sort { $0.number < $1.number }
      }
    }
  }

  /// Hides all elements that wait by now.
  /// - Returns: the numbers that were not hidden, from the former `hiddenCount` on, which shows them again.
  mutating func hideAll() -> Range<UInt64> { exchange(&hiddenCount, with: nextNumber)..<nextNumber }

  mutating func removeAll(where isMeant: (Element) -> Bool) {
    for index in queues.indices { queues[index].entries.removeAll { isMeant($0.element) } }
    count = queues.reduce(0) { $0 + $1.entries.count }
  }

  func contains(matching mode: ModeState) -> Bool { queues.contains { isFound($0, mode) } }

  func contains(naming mode: FrameLoop.Mode) -> Bool {
    queues.contains { $0.hasEntry(from: hiddenCount) && $0.modes.contains(mode) }
  }

  private func isFound(_ queue: Queue, _ mode: ModeState) -> Bool {
    queue.hasEntry(from: hiddenCount) && mode.isOne(of: queue.modes)
  }
}
