import Synchronization

/// The observers of a mode in the order of their calls. Never changed: another list takes its place.
final class ObserverList: Sendable {
  let callees: [FrameLoop.Observer.Callee]

  init(_ callees: [FrameLoop.Observer.Callee]) {
    self.callees = callees
  }
}

/// Keeps the list that a loop calls, so that its thread takes no lock for the calls of an activity.
///
/// The thread takes the list out, calls it and puts it back. Whoever changes the mode's observers makes the list outdated: it is
/// released at once if it is in its place, and after its calls if it is out. So the closure of an observer that ended lives to the end
/// of its call, and no longer.
struct ObserverListPlace: ~Copyable, Sendable {
  /// The address of a list that is in its place, with a reference to it, or one of the two numbers below.
  private let state = Atomic<UInt>(Self.outdated)

  /// The observers have changed since the last list was made.
  private static let outdated: UInt = 0
  /// The list is being called, and is up to date.
  private static let takenOut: UInt = 1

  deinit { Self.list(state.load(ordering: .acquiring))?.release() }

  private static func list(_ state: UInt) -> Unmanaged<ObserverList>? {
    guard state != outdated, state != takenOut, let address = UnsafeRawPointer(bitPattern: state) else { return nil }
    return Unmanaged.fromOpaque(address)
  }

  /// Releases a list that the observers' change makes outdated. Called before the change, under the lock that `make` of
  /// `withList` takes.
  func makeOutdated() {
    Self.list(state.exchange(Self.outdated, ordering: .acquiringAndReleasing))?.release()
  }

  /// Calls `body` with the list. On the loop's thread only.
  ///
  /// - Parameter make: makes the list, under the lock, where it is outdated, or out already: then this run is nested in its calls.
  @inline(__always)
  func withList(make: () -> ObserverList, _ body: (ObserverList) -> Void) {
    let list =
      Self.list(state.exchange(Self.takenOut, ordering: .acquiringAndReleasing)) ?? .passRetained(make())
    list._withUnsafeGuaranteedRef(body)
    // After a change nobody puts it back; nor where a nested run has put back its own, which is as new.
    let isBack = state.compareExchange(
      expected: Self.takenOut, desired: UInt(bitPattern: list.toOpaque()), ordering: .acquiringAndReleasing
    ).exchanged
    if !isBack { list.release() }
  }
}
