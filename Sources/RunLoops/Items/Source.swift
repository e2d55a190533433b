import LinuxSystem
import Synchronization

extension FrameLoop {
  /// Work that a loop does when it has been signalled.
  ///
  /// A signal is remembered until a loop runs in a mode of the source, and calls the handler once however often it was
  /// given. Signalled sources are called in ascending order, those of equal order in the order of their first signals.
  /// A source may be in several loops: one signal is then handled by whichever comes first.
  public final class Source: Item {
    public typealias ModeHandler = @Sendable (Source, FrameLoop, Mode) -> Void

    public let order: Int
    let belongsToMainActor: Bool
    /// Nil after the source's end.
    private let callback: Lock<Callback?>
    private let membership = Lock(Membership())
    fileprivate let valid = Atomic<Bool>(true)
    fileprivate let signalled = Atomic<Bool>(false)
    fileprivate let firstSignal = Atomic<UInt64>(0)
    /// Numbers the signals of all sources, to tell which came first.
    private static let signalCount = Atomic<UInt64>(0)

    private struct Callback {
      let call: LoopCallback<Source, Void>
      let scheduled: ModeHandler?
      let cancelled: ModeHandler?
    }

    /// All closures are let go when the source ends.
    ///
    /// - Parameters:
    ///   - scheduled: is called for each mode that the source is added to, on the adding thread.
    ///   - cancelled: is called for each mode that the source is removed from, on the removing thread, also by
    ///     `invalidate()` and at the end of the loop's thread. A loop that was made by `FrameLoop(clock:)` tells nobody when it goes.
    ///   - callback: called with the source. A signal given in it counts for the next pass.
    public init(
      order: Int = 0, scheduled: ModeHandler? = nil, cancelled: ModeHandler? = nil, _ callback: LoopCallback<Source, Void>
    ) {
      self.order = order
      self.callback = Lock(Callback(call: callback, scheduled: scheduled, cancelled: cancelled))
      belongsToMainActor = callback.isOnMain
    }

    public var isValid: Bool { valid.load(ordering: .acquiring) }

    /// Whether a signal has been given that no loop has handled yet.
    public var isSignalled: Bool { signalled.load(ordering: .acquiring) }

    /// Asks for a call in the next pass of a loop. Wakes nothing: follow it by `wakeUp()` of the loop unless this is its
    /// own thread and it is not about to sleep. From any thread.
    public func signal() {
      // An exchange even when it is set: the handler then sees what was written before any of the signals.
      guard isValid, !signalled.exchange(true, ordering: .acquiringAndReleasing) else { return }
      let number = Self.signalCount.wrappingAdd(1, ordering: .relaxed).newValue
      firstSignal.store(number, ordering: .relaxed)
    }

    /// Ends the source: it is removed from its modes in all loops and never called again, nor can it be added again. What it was
    /// made with is let go, at the latest when the calls that go on are over.
    public func invalidate() { invalidateAndDetach() }

    public var anyItem: AnyItem { AnyItem(kind: .single(self)) }
  }
}

extension FrameLoop.Source {
  /// The source in a mode.
  final class Callee: OrderedCallee {
    let item: FrameLoop.Source
    private let callback: LoopCallback<FrameLoop.Source, Void>

    init(_ item: FrameLoop.Source, _ callback: LoopCallback<FrameLoop.Source, Void>) {
      self.item = item
      self.callback = callback
    }

    var order: Int { item.order }

    @inline(__always)
    var isDue: Bool { item.signalled.load(ordering: .relaxed) && item.valid.load(ordering: .relaxed) }

    func comesBefore(_ other: Callee) -> Bool {
      if order != other.order { return order < other.order }
      return item.firstSignal.load(ordering: .relaxed) < other.item.firstSignal.load(ordering: .relaxed)
    }

    /// - Returns: whether the handler was called.
    func performIfDue() -> Bool {
      guard item.isValid, item.signalled.exchange(false, ordering: .acquiringAndReleasing) else { return false }
      callback.body(item, ())
      return true
    }
  }
}

extension FrameLoop.Source: LoopItem {
  static var isShareable: Bool { true }

  func withMembership<Result: Sendable>(_ body: (inout Membership) -> Result) -> Result {
    membership.withLock { body(&$0) }
  }

  func enter(_ mode: ModeState, _ membership: Membership) -> Int? {
    guard let callback = callback.withLock({ $0 }) else { return nil }
    mode.insert(Callee(self, callback.call))
    return 0
  }

  func leave(_ registration: Membership.Registration) { registration.mode.remove(self) }
  func endValidity() -> Bool {
    let wasValid = valid.exchange(false, ordering: .acquiringAndReleasing)
    signalled.store(false, ordering: .relaxed)
    return wasValid
  }

  func didEnter(_ mode: ModeState) {
    if let scheduled = callback.withLock({ $0 })?.scheduled, let loop = mode.loop { scheduled(self, loop, mode.name) }
  }

  func didLeave(_ mode: ModeState) {
    if let cancelled = callback.withLock({ $0 })?.cancelled, let loop = mode.loop { cancelled(self, loop, mode.name) }
  }

  func releaseCallback() {
    let released = callback.withLock { exchange(&$0, with: nil) }
    withExtendedLifetime(released) {}
  }
}
