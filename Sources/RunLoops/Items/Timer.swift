public import LinuxSystem
import Synchronization

extension FrameLoop {
  /// Calls a handler at a time, once or again and again.
  ///
  /// A repeating timer keeps its phase: it fires at fire time + k · interval, and times that passed unserved are skipped.
  /// Timers that are due together are called in the order of their fire times, and those of equal times as they were
  /// added. A timer belongs to one loop until it is removed from all its modes, which share its fire time.
  ///
  /// A timer that need not be punctual should have a `tolerance`: the loop then wakes once for several.
  public final class Timer: Item {
    private struct State {
      var membership: Membership
      var fireTime: MonotonicTime
      /// While the handler runs, the timer waits in its modes without a time.
      var isFiring = false
      /// The handler has chosen the next time itself.
      var wasMoved = false
      /// Nil after the timer's end.
      var callback: LoopCallback<Timer, Void>?

      init(fireTime: MonotonicTime, tolerance: Nanoseconds = .zero, callback: LoopCallback<Timer, Void>) {
        membership = Membership(queuedTime: fireTime, tolerance: tolerance)
        self.fireTime = fireTime
        self.callback = callback
      }
    }

    // First, beside the reference count: a timer that is one of many is in no cache, and each line of it has to be fetched.
    private let state: Lock<State>
    /// The time from one call to the next; 0 for a timer that fires once.
    public let interval: Nanoseconds
    /// An alarm does not end with its call: it rests until its fire time is set again.
    private let isAlarm: Bool
    let belongsToMainActor: Bool
    private let valid = Atomic<Bool>(true)

    /// - Parameters:
    ///   - fireTime: on the loop's clock. A time that has passed fires at once.
    ///   - interval: zero or less for a timer that fires once. Such a timer is invalid after its call.
    ///   - callback: called with the timer; released when the timer ends.
    public init(fireTime: MonotonicTime, interval: Nanoseconds = .zero, _ callback: LoopCallback<Timer, Void>) {
      self.interval = max(interval, .zero)
      isAlarm = false
      state = Lock(State(fireTime: fireTime, callback: callback))
      belongsToMainActor = callback.isOnMain
    }

    /// The timer of an `Alarm`.
    init(alarm callback: LoopCallback<Timer, Void>, tolerance: Nanoseconds) {
      interval = .zero
      isAlarm = true
      state = Lock(State(fireTime: .distantFuture, tolerance: max(tolerance, .zero), callback: callback))
      belongsToMainActor = callback.isOnMain
    }

    /// False after `invalidate()`, and after the call of a timer that fires once.
    public var isValid: Bool { valid.load(ordering: .acquiring) }

    /// When the timer fires next; in its handler, the time that it fires for. From any thread.
    ///
    /// Set, it moves the timer, and a repeating one with its phase. A time that has passed counts as now. In the handler
    /// of a timer that fires once it changes nothing. From a thread other than its loop's, it also wakes the loop.
    public var nextFireTime: MonotonicTime {
      get { state.withLock { $0.fireTime } }
      set {
        let owner: WakeUp? = state.withLock { state in
          guard let mode = state.membership.registrations.first?.mode else {
            state.fireTime = newValue
            if state.isFiring { state.wasMoved = true } else { state.membership.queuedTime = newValue }
            return nil
          }
          state.fireTime = max(newValue, mode.clock.now)
          if state.isFiring { state.wasMoved = true } else { state.membership.move(to: state.fireTime) }
          return mode.wakeUp
        }
        if let owner, !owner.isOwnThread { owner.wakeUp() }
      }
    }

    /// How much later than its time the timer may be called; none at first. From any thread.
    ///
    /// The loop sleeps until some timer may be put off no longer, and then calls all whose times have come. The phase is
    /// kept. What is set is cut to what makes sense: nothing below 0, and at most half the interval of a repeating timer.
    public var tolerance: Nanoseconds {
      get { state.withLock { $0.membership.tolerance } }
      set {
        let longest = interval > .zero ? Nanoseconds(interval.count / 2) : Nanoseconds(.max)
        state.withLock { $0.membership.tolerate(min(max(newValue, .zero), longest)) }
      }
    }

    /// Ends the timer: it is removed from its modes and never called again, nor can it be added again. Its handler is let go, or
    /// at the end of its call if that goes on.
    public func invalidate() { invalidateAndDetach() }

    public var anyItem: AnyItem { AnyItem(kind: .single(self)) }

    /// Calls the handler if the timer is still to be called, and sets the time of the next call.
    ///
    /// - Parameters:
    ///   - owner: the loop that found the timer due at `now`; it may have been moved, removed or invalidated since.
    func fireIfDue(at now: MonotonicTime, in owner: WakeUp, clock: SystemClock) {
      let callback: LoopCallback<Timer, Void>? = state.withLock { state in
        // Moved by a timer before it in the row to a time that has come by now, it is still due.
        let isDue = state.fireTime <= now || state.fireTime <= clock.now
        guard isValid, !state.isFiring, isDue, state.membership.registrations.first?.mode.wakeUp === owner else {
          return nil
        }
        state.isFiring = true
        state.wasMoved = isAlarm
        if isAlarm { state.fireTime = .distantFuture }
        state.membership.move(to: .distantFuture)
        return state.callback
      }
      guard let callback else { return }
      callback.body(self, ())
      if interval == .zero, !isAlarm { invalidate() }
      let after = clock.now
      state.withLock { state in
        state.isFiring = false
        if !state.wasMoved, interval > .zero {
          let served = (after - state.fireTime).count / interval.count
          state.fireTime += interval * served + interval
        }
        state.membership.move(to: state.fireTime)
      }
    }
  }
}

extension FrameLoop.Timer: LoopItem {
  static var isShareable: Bool { false }

  func withMembership<Result: Sendable>(_ body: (inout Membership) -> Result) -> Result {
    state.withLock { body(&$0.membership) }
  }

  func enter(_ mode: ModeState, _ membership: Membership) -> Int? {
    mode.insert(self, at: membership.queuedTime, tolerance: membership.tolerance)
  }
  func leave(_ registration: Membership.Registration) { registration.mode.removeTimer(registration.slot) }
  func endValidity() -> Bool { valid.exchange(false, ordering: .acquiringAndReleasing) }

  func releaseCallback() {
    let released = state.withLock { exchange(&$0.callback, with: nil) }
    withExtendedLifetime(released) {}
  }
}
