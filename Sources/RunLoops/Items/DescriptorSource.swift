public import LinuxSystem
import Synchronization

extension FrameLoop {
  /// Calls a callback while a file descriptor is ready.
  ///
  ///     let input = FrameLoop.DescriptorSource(descriptor: socket, .onMain { _, events in receive(events) })
  ///     loop.add(input, to: .common)
  ///
  /// The loop reads nothing from the descriptor: the callback is called in every pass until it has consumed what made the
  /// descriptor ready. A pass serves one ready descriptor, and descriptors take turns. The source borrows the descriptor:
  /// remove the source before you close it. (If a copy of a closed descriptor is open, here or in a child process, the kernel
  /// goes on reporting it. Once its source has ended the loop forgets it, and says so once on the standard error output.)
  ///
  /// Several sources may wait on one descriptor. For example, a writer can be removed while it has nothing to write, and the
  /// reader stays. Do not combine it with a buffered reader such as `readLine()`: for data that was read ahead the
  /// descriptor is not ready.
  public final class DescriptorSource: Item {
    /// The events that a source waits for, or was called for.
    public typealias Events = DescriptorEvents

    public let descriptor: Int32
    public let events: Events
    let belongsToMainActor: Bool
    private let membership = Lock(Membership())
    private let state: Lock<State>
    private let valid = Atomic<Bool>(true)

    private struct State {
      /// Nil after the source's end.
      var callback: LoopCallback<DescriptorSource, Events>?
      var refusal: SystemError?
    }

    /// - Parameters:
    ///   - events: the events to wait for. Errors and hang-ups are always reported.
    ///   - callback: called with the source and the events that were found; released when the source ends.
    public init(descriptor: Int32, events: Events = .readable, _ callback: LoopCallback<DescriptorSource, Events>) {
      self.descriptor = descriptor
      self.events = events
      state = Lock(State(callback: callback))
      belongsToMainActor = callback.isOnMain
    }

    /// False after `invalidate()`, and if the kernel refused to wait on the descriptor.
    public var isValid: Bool { valid.load(ordering: .acquiring) }

    /// The reason why the source cannot wait: when it was added its descriptor was not open (`EBADF`), cannot be waited on,
    /// like regular files (`EPERM`), or no descriptor was left for a new mode (`EMFILE`).
    public var error: SystemError? { state.withLock { $0.refusal } }

    /// Ends the source: it leaves its modes in all loops, is never called again and cannot be added again. Its callback is
    /// released, after its call if it is being called.
    public func invalidate() { invalidateAndDetach() }

    public var anyItem: AnyItem { AnyItem(kind: .single(self)) }

    /// - Returns: true if the callback was called.
    func performIfConcerned(by found: Events) -> Bool {
      guard isValid, !found.isDisjoint(with: events.union([.error, .hangUp])), let callback = state.withLock({ $0.callback })
      else {
        return false
      }
      callback.body(self, found)
      return true
    }
  }
}

extension FrameLoop.DescriptorSource: LoopItem {
  static var isShareable: Bool { true }

  func withMembership<Result: Sendable>(_ body: (inout Membership) -> Result) -> Result {
    membership.withLock { body(&$0) }
  }

  func enter(_ mode: ModeState, _ membership: Membership) -> Int? {
    do throws(SystemError) {
      try mode.insert(self)
      return 0
    } catch {
      state.withLock { $0.refusal = error }
      return nil
    }
  }

  // The callback is released outside the locks under which the kernel was asked: its captures may use the loop.
  func didEnter(_ mode: ModeState) { if error != nil { invalidateAndDetach() } }

  func refuse(_ error: SystemError) {
    state.withLock { $0.refusal = error }
    invalidateAndDetach()
  }

  func leave(_ registration: Membership.Registration) { registration.mode.remove(self) }
  func endValidity() -> Bool { valid.exchange(false, ordering: .acquiringAndReleasing) }

  func releaseCallback() {
    let released = state.withLock { exchange(&$0.callback, with: nil) }
    withExtendedLifetime(released) {}
  }
}
