import LinuxSystem
import Synchronization

extension FrameLoop {
  /// Calls a callback after it was signalled.
  ///
  ///     let changed = FrameLoop.Source(.onMain { _ in view.reload() })
  ///     loop.add(changed, to: .common)
  ///     changed.signal()  // on any thread
  ///     loop.wakeUp()
  ///
  /// A signal is kept until a loop runs in a mode of the source. Several signals before that give one call. Signalled sources
  /// are called in ascending order, equal orders in the order of their first signals. A source may be in several loops: the
  /// first loop to handle a signal consumes it.
  public final class Source: Item {
    /// Called when the source enters or leaves a mode of a loop.
    public typealias ModeHandler = @Sendable (Source, FrameLoop, Mode) -> Void

    public let order: Int
    let belongsToMainActor: Bool
    /// Nil after the source's end.
    private let callback: Lock<Callback?>
    private let membership = Lock(Membership())
    fileprivate let valid = Atomic<Bool>(true)
    fileprivate let signalled = Atomic<Bool>(false)
    fileprivate let firstSignal = Atomic<UInt64>(0)
    /// Numbers the signals of all sources, for their order.
    private static let signalCount = Atomic<UInt64>(0)

    private struct Callback {
      let call: LoopCallback<Source, Void>
      let scheduled: ModeHandler?
      let cancelled: ModeHandler?
    }

    /// Makes a source. All closures are released when it ends.
    ///
    /// - Parameters:
    ///   - scheduled: called for each mode that the source is added to, on the adding thread.
    ///   - cancelled: called for each mode that the source is removed from, on the removing thread, also by `invalidate()` and
    ///     at the end of the loop's thread. Not called when a loop made by `FrameLoop(clock:)` is deallocated.
    ///   - callback: called with the source. A signal given in it counts for the next pass.
    public init(
      order: Int = 0, scheduled: ModeHandler? = nil, cancelled: ModeHandler? = nil, _ callback: LoopCallback<Source, Void>
    ) {
      self.order = order
      self.callback = Lock(Callback(call: callback, scheduled: scheduled, cancelled: cancelled))
      belongsToMainActor = callback.isOnMain
    }

    public var isValid: Bool { valid.load(ordering: .acquiring) }

    /// True from a signal until a loop handles it.
    public var isSignalled: Bool { signalled.load(ordering: .acquiring) }

    /// Asks for a call in the next pass of a loop. From any thread.
    ///
    /// A signal does not wake the loop. Call the loop's `wakeUp()` as well, except in a callback on the loop's own thread.
    public func signal() {
      // An exchange even if it is set already: the callback then sees everything written before any of the signals.
      guard isValid, !signalled.exchange(true, ordering: .acquiringAndReleasing) else { return }
      let number = Self.signalCount.wrappingAdd(1, ordering: .relaxed).newValue
      firstSignal.store(number, ordering: .relaxed)
    }

    func clearSignal() { signalled.store(false, ordering: .relaxed) }

    /// Ends the source: it leaves its modes in all loops, is never called again and cannot be added again. Its closures are
    /// released, after their calls if they are being called.
    public func invalidate() { invalidateAndDetach() }

    public var anyItem: AnyItem { AnyItem(kind: .single(self)) }
  }
}

extension FrameLoop.Source {
  /// A source's entry in a mode.
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

    /// - Returns: true if the callback was called.
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
    clearSignal()
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
