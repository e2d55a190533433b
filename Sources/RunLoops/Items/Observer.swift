import LinuxSystem
import Synchronization

extension FrameLoop {
  /// Is called at chosen points of a loop's runs.
  ///
  /// An observer belongs to one loop at a time; adding it to a second one does nothing. Observers of a mode are called in
  /// ascending order, those of equal order as they were added. One that is added while an activity is notified is first
  /// called for the next one; one that is removed meanwhile is still called, one that is invalidated is not. A run that is
  /// nested in an observer's callback does not call that observer.
  public final class Observer: Item {
    // What a call looks at comes first: with a thousand observers the cache is what a call costs.
    fileprivate let valid = Atomic<Bool>(true)
    /// Written by the thread of its loop only.
    fileprivate let firing = Atomic<Bool>(false)
    /// False: the first call, of whichever of its activities, is the last one.
    public let repeats: Bool
    /// The activities that it is called for.
    public let activities: Activity
    public let order: Int
    /// Whether it is called for `beforeWaiting` also when the loop finds no time to wait.
    ///
    /// A source that signals itself for ever keeps a loop from waiting, and so an observer from its call. Such a one is
    /// called after 16 passes in a row without `beforeWaiting`, at the same point of the pass, and without an
    /// `afterWaiting` to follow. What must not starve, as the commit of a frame, wants this.
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

    /// Ends the observer: it is removed from its modes and never called again, nor can it be added again. Its handler is let go,
    /// at the latest when the calls that go on are over.
    public func invalidate() { invalidateAndDetach() }

    public var anyItem: AnyItem { AnyItem(kind: .single(self)) }
  }
}

extension FrameLoop.Observer {
  /// The observer in a mode.
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
