import LinuxSystem
import Synchronization

/// The blocks that wait until the loop runs in one of their modes.
final class BlockQueue: Sendable {
  private struct Entry {
    let modes: [FrameLoop.Mode]
    let block: @Sendable () -> Void

    func matches(_ mode: ModeState) -> Bool { mode.isOne(of: modes) }
  }

  private struct State {
    var entries: [Entry] = []
    /// An empty array, kept for its memory.
    var spare: [Entry] = []
  }

  private let state = Lock(State())
  private let hasEntries = Atomic<Bool>(false)

  func append(_ block: @escaping @Sendable () -> Void, modes: [FrameLoop.Mode]) {
    state.withLock { state in
      state.entries.append(Entry(modes: modes, block: block))
      hasEntries.store(true, ordering: .releasing)
    }
  }

  func contains(matching mode: ModeState) -> Bool {
    guard hasEntries.load(ordering: .acquiring) else { return false }
    return state.withLock { state in state.entries.contains { $0.matches(mode) } }
  }

  /// Takes all blocks off the queue, calls those for `mode` in the order in which they were queued, and puts the others back
  /// in front of new ones. A block that is queued during this waits for the next call.
  @inline(__always)
  func perform(in mode: ModeState) {
    guard hasEntries.load(ordering: .acquiring) else { return }
    performTaken(in: mode)
  }

  private func performTaken(in mode: ModeState) {
    var taken = state.withLock { state in
      let taken = state.entries
      state.entries = state.spare
      state.spare = []
      hasEntries.store(false, ordering: .releasing)
      return taken
    }
    var kept = 0
    for index in taken.indices {
      if taken[index].matches(mode) {
        // Released right after its call, so that its captures do not live until the last block has run.
        let block = taken[index].block
        taken[index] = Entry(modes: [], block: {})
        block()
      } else {
        taken.swapAt(kept, index)
        kept += 1
      }
    }
    taken.removeSubrange(kept...)
    state.withLock { state in
      if !taken.isEmpty {
        state.entries.insert(contentsOf: taken, at: 0)
        taken.removeAll(keepingCapacity: true)
        hasEntries.store(true, ordering: .releasing)
      }
      state.spare = taken
    }
  }

  /// Drops all blocks without calling them.
  func removeAll() {
    let dropped = state.withLock { state in
      let entries = state.entries
      state.entries = []
      hasEntries.store(false, ordering: .releasing)
      return entries
    }
    _ = dropped
  }
}
