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
    private let handler: Handler
    private let membership = Lock(Membership())
    private let refusal = Lock<SystemError?>(nil)
    private let valid = Atomic<Bool>(true)

    /// - Parameters:
    ///   - events: what to wait for; errors and hang-ups are reported in any case.
    ///   - handler: is called on the thread of the loop, with the events that were found.
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
      self.handler = handler
      belongsToMainActor = onMain
    }

    /// False after `invalidate()`, and after the kernel refused to wait on the descriptor.
    public var isValid: Bool { valid.load(ordering: .acquiring) }

    /// Why the source became invalid as it was added: the descriptor is not open (`EBADF`), or cannot be waited on, as
    /// regular files cannot (`EPERM`).
    public var error: SystemError? { refusal.withLock { $0 } }

    /// Ends the source: it is removed from its modes in all loops and never called again, nor can it be added again.
    public func invalidate() { invalidateAndDetach() }

    /// - Returns: whether the handler was called.
    func performIfConcerned(by found: Events) -> Bool {
      guard isValid, !found.isDisjoint(with: events.union([.error, .hangUp])) else { return false }
      handler(self, found)
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
      refusal.withLock { $0 = error }
      return nil
    }
  }

  func leave(_ registration: Membership.Registration) { registration.mode.remove(self) }
  func endValidity() -> Bool { valid.exchange(false, ordering: .acquiringAndReleasing) }
}
