import LinuxSystem

/// Calls main-actor code from a listener of libwayland, which comes on the thread that dispatches events: the main one.
///
/// - Parameter data: the listener's data: an unretained owner, which outlives the proxy.
@inline(__always)
func onMain<Owner: AnyObject>(_ data: UnsafeMutableRawPointer?, _ body: @MainActor (Owner) -> Void) {
  guard let data else { return }
  // Safe: it does not leave the thread.
  nonisolated(unsafe) let pointer = data
  MainActor.assumeIsolated { body(Unmanaged<Owner>.fromOpaque(pointer).takeUnretainedValue()) }
}

/// Keeps a table of listeners at one place for ever, as libwayland wants it.
func listenerTable<Table>(_ table: Table) -> UnsafeMutablePointer<Table> {
  let pointer = UnsafeMutablePointer<Table>.allocate(capacity: 1)
  pointer.initialize(to: table)
  return pointer
}

/// The data of an owner's listeners.
func listenerData(_ owner: some AnyObject) -> UnsafeMutableRawPointer { Unmanaged.passUnretained(owner).toOpaque() }
