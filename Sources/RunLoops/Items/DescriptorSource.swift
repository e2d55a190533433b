public import LinuxSystem
import Synchronization

extension FrameLoop {
  /// Calls a handler while a file descriptor is ready.
  ///
  /// Nothing is read from the descriptor: the handler is called again, pass for pass, until it has removed the cause. A
  /// pass serves one ready descriptor, and descriptors take turns. The source borrows the descriptor: remove it before
  /// closing it.
  ///
  /// Two sources may wait on one descriptor, one for `.readable` and one for `.writable`, say: a writer that has nothing to
  /// write is removed and added again, while the reader stays. Buffered readers, as `readLine()` is one, do not go with it:
  /// what they have read ahead makes the descriptor ready for nobody.
  public final class DescriptorSource: Item {
    public typealias Events = EpollSet.Events

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
    ///   - events: what to wait for; errors and hang-ups are reported in any case.
    ///   - callback: called with the source and the events that were found; released when the source ends.
    public init(descriptor: Int32, events: Events = .readable, _ callback: LoopCallback<DescriptorSource, Events>) {
      self.descriptor = descriptor
      self.events = events
      state = Lock(State(callback: callback))
      belongsToMainActor = callback.isOnMain
    }

    /// False after `invalidate()`, and after the kernel refused to wait on the descriptor.
    public var isValid: Bool { valid.load(ordering: .acquiring) }

    /// Why the source became invalid as it was added: the descriptor is not open (`EBADF`), or cannot be waited on, as
    /// regular files cannot (`EPERM`).
    public var error: SystemError? { state.withLock { $0.refusal } }

    /// Ends the source: it is removed from its modes in all loops and never called again, nor can it be added again. Its handler
    /// is let go, at the latest when the calls that go on are over.
    public func invalidate() { invalidateAndDetach() }

    public var anyItem: AnyItem { AnyItem(kind: .single(self)) }

    /// - Returns: whether the handler was called.
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

  func leave(_ registration: Membership.Registration) { registration.mode.remove(self) }
  func endValidity() -> Bool { valid.exchange(false, ordering: .acquiringAndReleasing) }

  func releaseCallback() {
    let released = state.withLock { exchange(&$0.callback, with: nil) }
    withExtendedLifetime(released) {}
  }
}
