import LinuxSystem
import Synchronization

extension FrameLoop {
  /// Calls a callback at chosen points of a loop's runs.
  ///
  ///     let commit = FrameLoop.Observer(
  ///       [.beforeWaiting, .exit], order: ObserverOrder.commit, evenWhenBusy: true, .onMain { _, _ in canvas.draw() })
  ///     loop.add(commit, to: .common)
  ///
  /// An observer belongs to one loop at a time; adding it to a second one does nothing. Observers of a mode are called in
  /// ascending order, equal orders as they were added. An observer that is added during a notification is called from the
  /// next one on. An observer that is removed during a notification is still called; an invalidated one is not. A run
  /// nested in an observer's callback does not call that observer.
  public final class Observer: Item {
    // The properties that a call reads come first: with a thousand observers, cache misses are the cost of a call.
    fileprivate let valid = Atomic<Bool>(true)
    /// Written by the loop's thread only.
    fileprivate let firing = Atomic<Bool>(false)
    /// False for an observer that ends after its first call.
    public let repeats: Bool
    /// The activities at which the observer is called.
    public let activities: Activity
    public let order: Int
    /// True if the observer is called for `beforeWaiting` even when the loop never waits.
    ///
    /// A source that signals itself for ever keeps a loop from waiting, and `beforeWaiting` observers from being called. An
    /// observer with `evenWhenBusy` is called after 16 such passes in a row, at the same point of the pass; no
    /// `afterWaiting` follows. Use it for work that must not starve, such as the commit of a frame.
    public let evenWhenBusy: Bool

    let belongsToMainActor: Bool
    /// Nil after the observer's end.
    private let callback: Lock<LoopCallback<Observer, Activity>?>
    private let membership = Lock(Membership())

    /// - Parameter callback: called with the observer and the activity; released when the observer ends.
    public init(
      _ activities: Activity, order: Int = 0, repeats: Bool = true, evenWhenBusy: Bool = false,
      _ callback: LoopCallback<Observer, Activity>
    ) {
      self.activities = activities
      self.order = order
      self.repeats = repeats
      self.evenWhenBusy = evenWhenBusy
      self.callback = Lock(callback)
      belongsToMainActor = callback.isOnMain
    }

    /// False after `invalidate()`, and after the call of an observer that does not repeat.
    public var isValid: Bool { valid.load(ordering: .acquiring) }

    /// Ends the observer: it leaves its modes, is never called again and cannot be added again. Its callback is released, after
    /// its call if it is being called.
    public func invalidate() { invalidateAndDetach() }

    public var anyItem: AnyItem { AnyItem(kind: .single(self)) }
  }
}

extension FrameLoop.Observer {
  /// An observer's entry in a mode.
  final class Callee: OrderedCallee {
    let item: FrameLoop.Observer
    private let callback: LoopCallback<FrameLoop.Observer, FrameLoop.Activity>

    init(_ item: FrameLoop.Observer, _ callback: LoopCallback<FrameLoop.Observer, FrameLoop.Activity>) {
      self.item = item
      self.callback = callback
    }

    var order: Int { item.order }
    var activities: FrameLoop.Activity { item.activities }

    @inline(__always)
    func callIfConcerned(by activity: FrameLoop.Activity) {
      if activities.contains(activity) { call(activity) }
    }

    @inline(__always)
    func call(_ activity: FrameLoop.Activity) {
      guard item.valid.load(ordering: .acquiring), !item.firing.load(ordering: .relaxed) else { return }
      item.firing.store(true, ordering: .relaxed)
      callback.body(item, activity)
      item.firing.store(false, ordering: .relaxed)
      if !item.repeats { item.invalidate() }
    }
  }
}

extension FrameLoop.Observer: LoopItem {
  static var isShareable: Bool { false }

  func withMembership<Result: Sendable>(_ body: (inout Membership) -> Result) -> Result {
    membership.withLock { body(&$0) }
  }

  func enter(_ mode: ModeState, _ membership: Membership) -> Int? {
    guard let callback = callback.withLock({ $0 }) else { return nil }
    mode.insert(Callee(self, callback))
    return 0
  }

  func leave(_ registration: Membership.Registration) { registration.mode.remove(self) }
  func endValidity() -> Bool { valid.exchange(false, ordering: .acquiringAndReleasing) }

  func releaseCallback() {
    let released = callback.withLock { exchange(&$0, with: nil) }
    withExtendedLifetime(released) {}
  }
}
