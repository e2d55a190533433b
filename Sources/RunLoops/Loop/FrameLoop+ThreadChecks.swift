import LinuxSystem

// Programmers' errors that the types cannot find. They end a release build too, and say why: what would follow is a data race.
extension FrameLoop {
  /// Callbacks of the main actor are safe on the main thread's loops alone.
  @inline(__always)
  func requireMainThreadsLoop() {
    if !isMain { failForMainActor() }
  }

  /// Callbacks are given to a loop on the promise that its thread calls them.
  @inline(__always)
  func requireOwnThread() {
    if thread !== ThreadRecord.current { failForThread() }
  }

  private func failForMainActor() -> Never {
    fatalError(
      "framepace: an onMain: callback was given to a loop of the thread '\(thread.name)'. It can only be given to a loop of the "
        + "process's main thread. (Swift Testing does not run @MainActor tests there on Linux; XCTest does.)")
  }

  private func failForThread() -> Never {
    let hint =
      isMain ? " Is the program's `main` asynchronous? It leaves the main thread at its first suspension." : ""
    fatalError(
      "framepace: the loop of the thread '\(thread.name)' was run by the thread '\(ThreadRecord.current.name)'. A loop can only "
        + "be run by its own thread.\(hint)")
  }
}
