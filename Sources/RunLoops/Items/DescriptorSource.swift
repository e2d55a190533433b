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
  public final class DescriptorSource: Sendable {
    public typealias Events = EpollSet.Events
    public typealias Handler = @Sendable (DescriptorSource, Events) -> Void

    public let descriptor: Int32
    public let events: Events
    let belongsToMainActor: Bool
    private let membership = Lock(Membership())
    private let state: Lock<State>
    private let valid = Atomic<Bool>(true)

    /// A structure, since a bare function is wrapped anew each time that it passes through a generic one, such as a lock's.
    private struct Callback {
      let handler: Handler
    }

    private struct State {
      /// Nil after the source's end.
      var callback: Callback?
      var refusal: SystemError?
    }

    /// - Parameters:
    ///   - events: what to wait for; errors and hang-ups are reported in any case.
    ///   - handler: is called on the thread of the loop, with the events that were found; let go when the source ends.
    public convenience init(
      descriptor: Int32, events: Events = .readable, handler: @escaping @Sendable (DescriptorSource, Events) -> Void
    ) {
      self.init(descriptor: descriptor, events: events, onMain: false, handler: handler)
    }

    /// For the main thread's loops only: adding it to another loop is a programmer's error.
    public convenience init(
      descriptor: Int32, events: Events = .readable, onMain handler: @escaping @MainActor (DescriptorSource, Events) -> Void
    ) {
      // Safe: the item can only be added to a loop of the main thread, which every run of that loop checks that it is on.
      self.init(
        descriptor: descriptor, events: events, onMain: true, handler: unsafeBitCast(handler, to: Handler.self))
    }

    init(descriptor: Int32, events: Events, onMain: Bool, handler: @escaping Handler) {
      self.descriptor = descriptor
      self.events = events
      state = Lock(State(callback: Callback(handler: handler)))
      belongsToMainActor = onMain
    }

    /// False after `invalidate()`, and after the kernel refused to wait on the descriptor.
    public var isValid: Bool { valid.load(ordering: .acquiring) }

    /// Why the source became invalid as it was added: the descriptor is not open (`EBADF`), or cannot be waited on, as
    /// regular files cannot (`EPERM`).
    public var error: SystemError? { state.withLock { $0.refusal } }

    /// Ends the source: it is removed from its modes in all loops and never called again, nor can it be added again. Its handler
    /// is let go, at the latest when the calls that go on are over.
    public func invalidate() { invalidateAndDetach() }

    /// - Returns: whether the handler was called.
    func performIfConcerned(by found: Events) -> Bool {
      guard isValid, !found.isDisjoint(with: events.union([.error, .hangUp])), let callback = state.withLock({ $0.callback })
      else {
        return false
      }
      callback.handler(self, found)
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
