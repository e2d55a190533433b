import Glibc
import LinuxSystem
import Synchronization

/// Screens that are restored when the process calls `exit` with displays still in use, by whichever thread calls it. When a
/// signal ends the process, the kernel restores its own console as the card is closed, and no other program's picture.
///
/// Every change of a screen goes through `change`, one at a time. The thread that exits waits for the change under way, and
/// lets none follow: another thread, which may be the main one, waits there for the end of the process.
enum ScreensAtExit {
  private struct Entry {
    let interface: any DRMInterface
    let screen: SavedScreen

    func restore(without taken: [UInt32] = []) throws(SystemError) {
      do throws(SystemError) {
        try screen.restore(on: interface, without: taken)
      } catch {
        // Nothing comes later that could do it, and what was busy may not be any more.
        try screen.restore(on: interface, without: taken)
      }
    }
  }

  private struct State {
    var entries: [UInt64: Entry] = [:]
    var last: UInt64 = 0
    /// The process whose screens these are: a forked child has a copy of its parent's. Nil before the first.
    var process: pid_t?
  }
  /// Used by `withState` alone.
  nonisolated(unsafe) private static var state = State()
  /// True while `state` is being used, by the thread that holds the gate.
  private static let isInUse = Atomic(false)

  /// Held during a change and while `state` is used, and for good by the thread that exits. Recursive: a handler of a signal may
  /// call `exit` in the middle of a change.
  nonisolated(unsafe) private static let gate: UnsafeMutablePointer<pthread_mutex_t> = {
    let gate = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    initialize(gate)
    // A fork waits for the change under way: the child process has no thread that would end it.
    pthread_atfork(
      { pthread_mutex_lock(ScreensAtExit.gate) }, { pthread_mutex_unlock(ScreensAtExit.gate) },
      { ScreensAtExit.initialize(ScreensAtExit.gate) })
    return gate
  }()

  private static func initialize(_ gate: UnsafeMutablePointer<pthread_mutex_t>) {
    var attributes = pthread_mutexattr_t()
    pthread_mutexattr_init(&attributes)
    pthread_mutexattr_settype(&attributes, Int32(PTHREAD_MUTEX_RECURSIVE))
    pthread_mutex_init(gate, &attributes)
  }

  /// Changes a screen, unless the process exits: then it does not return.
  static func change<Result>(_ body: () throws(SystemError) -> Result) throws(SystemError) -> Result {
    pthread_mutex_lock(gate)
    defer { pthread_mutex_unlock(gate) }
    return try body()
  }

  /// Remembers a screen, and keeps its card open, until `restore` or `forget`. Called before the change that it is for, and
  /// inside it.
  ///
  /// - Parameter number: the number of the entry to replace; nil for a new one.
  static func remember(_ screen: SavedScreen, on interface: any DRMInterface, as number: UInt64? = nil) -> UInt64 {
    withState { state in
      if state.process != getpid() {
        (state.process, state.entries) = (getpid(), [:])
        // Twice: before version 2.41 of glibc a second thread may call `exit` meanwhile. It finds the first one taken, and
        // waits in the second instead of ending the process.
        for _ in 1...2 { atexit { ScreensAtExit.processExits() } }
      }
      state.last += number == nil ? 1 : 0
      let number = number ?? state.last
      state.entries[number] = Entry(interface: interface, screen: screen)
      return number
    }
  }

  /// Restores a screen, unless that was done.
  ///
  /// - Parameter taken: connectors to be left alone.
  static func restore(_ number: UInt64, without taken: [UInt32]) throws(SystemError) {
    try change { () throws(SystemError) in try take(number)?.restore(without: taken) }
  }

  static func forget(_ number: UInt64) { _ = take(number) }

  // The entry may hold the card's last reference: it goes outside the lock.
  private static func take(_ number: UInt64) -> Entry? { withState { $0.entries.removeValue(forKey: number) } }

  private static func withState<Result>(_ body: (inout State) -> Result) -> Result {
    pthread_mutex_lock(gate)
    isInUse.store(true, ordering: .sequentiallyConsistent)
    defer {
      isInUse.store(false, ordering: .sequentiallyConsistent)
      pthread_mutex_unlock(gate)
    }
    return body(&state)
  }

  private static func processExits() {
    pthread_mutex_lock(gate)
    // A handler of a signal has interrupted this thread's own use: what it finds is half done.
    if !isInUse.load(ordering: .sequentiallyConsistent) { restoreAll() }
  }

  /// Restores all screens, the newest first: where displays have used a CRTC one after the other, the picture from before all
  /// of them comes last, and stays.
  ///
  /// - Parameter process: the one that exits.
  static func restoreAll(by process: pid_t = getpid()) {
    let numbers = withState { $0.process == process ? $0.entries.keys.sorted(by: >) : [] }
    // Nobody is left to hear of an error.
    for number in numbers { try? take(number)?.restore() }
  }
}
