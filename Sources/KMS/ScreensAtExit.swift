import Glibc
import LinuxSystem

/// Screens that are to be brought back when the process calls `exit` with displays still in use.
///
/// (When the last user of a card closes it, the kernel brings its own console back, but not another program's picture.)
enum ScreensAtExit {
  private struct Entry {
    let interface: any DRMInterface
    let screen: SavedScreen
  }
  private struct State {
    var entries: [UInt64: Entry] = [:]
    var next: UInt64 = 0
    var isRegistered = false
  }
  private static let state = Lock(State())

  /// Remembers a screen, and keeps its card open, until `forget`.
  static func remember(_ screen: SavedScreen, on interface: any DRMInterface) -> UInt64 {
    state.withLock { state in
      if !state.isRegistered { state.isRegistered = atexit { ScreensAtExit.restoreAll() } == 0 }
      state.next += 1
      state.entries[state.next] = Entry(interface: interface, screen: screen)
      return state.next
    }
  }

  static func forget(_ number: UInt64) {
    state.withLock { state in _ = state.entries.removeValue(forKey: number) }
  }

  private static func restoreAll() {
    let entries = state.withLock { state in
      defer { state.entries = [:] }
      return Array(state.entries.values)
    }
    // Nobody is left to tell of a failure.
    for entry in entries { try? entry.screen.restore(on: entry.interface) }
  }
}
