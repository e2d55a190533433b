public import LinuxSystem
import Synchronization

extension FrameLoop {
  /// Calls a callback at a time, once or repeatedly.
  ///
  ///     let blink = FrameLoop.Timer(fireTime: loop.clock.now, interval: .milliseconds(500), .onMain { _ in cursor.blink() })
  ///     loop.add(blink, to: .default)
  ///
  /// A repeating timer keeps its phase: it fires at fire time + k · interval, and skips times that it missed. Timers that are
  /// due together are called in the order of their fire times, equal times as they were added. A timer belongs to one loop
  /// until it is removed from all its modes. It has one fire time in all of them.
  ///
  /// Give a timer that need not be punctual a `tolerance`, so that the loop wakes once for several timers. For a deadline that
  /// moves, use an `Alarm`.
  public final class Timer: Item {
    private struct State {
      var membership: Membership
      var fireTime: MonotonicTime
      /// True during the callback. The timer then waits in its modes in the distant future.
      var isFiring = false
      /// True if the callback has set the next time itself.
      var wasMoved = false
      /// Nil after the timer's end.
      var callback: LoopCallback<Timer, Void>?

      init(fireTime: MonotonicTime, callback: LoopCallback<Timer, Void>) {
        membership = Membership(queuedTime: fireTime)
        self.fireTime = fireTime
        self.callback = callback
      }
    }

    // First, in the cache line of the reference count: one of many timers is in no cache.
    private let state: Lock<State>
    /// The time from one call to the next; zero for a timer that fires once.
    public let interval: Nanoseconds
    let belongsToMainActor: Bool
    private let valid = Atomic<Bool>(true)

    /// - Parameters:
    ///   - fireTime: on the loop's clock. A time that has passed fires at once.
    ///   - interval: zero or less for a timer that fires once. Such a timer is invalid after its call.
    ///   - callback: called with the timer; released when the timer ends.
    public init(fireTime: MonotonicTime, interval: Nanoseconds = .zero, _ callback: LoopCallback<Timer, Void>) {
      self.interval = max(interval, .zero)
      state = Lock(State(fireTime: fireTime, callback: callback))
      belongsToMainActor = callback.isOnMain
    }

    /// False after `invalidate()`, and after the call of a timer that fires once.
    public var isValid: Bool { valid.load(ordering: .acquiring) }

    /// The time of the next call; in the callback, the time that the call is for. From any thread.
    ///
    /// Setting it moves the timer, and the phase of a repeating one. A time that has passed counts as now. In the callback of
    /// a timer that fires once it has no effect. Setting it on another thread than the loop's also wakes the loop.
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

    /// The time of the next call, also in the callback: nil until one is set there.
    var timeOfNextCall: MonotonicTime? { state.withLock { $0.isFiring && !$0.wasMoved ? nil : $0.fireTime } }

    /// How much later than its fire time the timer may be called; zero at first. From any thread.
    ///
    /// The loop sleeps until the first timer's tolerance is used up, and then calls all due timers. The phase is kept. A value
    /// is limited to the range from zero to half the interval of a repeating timer.
    public var tolerance: Nanoseconds {
      get { state.withLock { $0.membership.tolerance } }
      set {
        let longest = interval > .zero ? Nanoseconds(interval.count / 2) : Nanoseconds(.max)
        state.withLock { $0.membership.tolerate(min(max(newValue, .zero), longest)) }
      }
    }

    /// Ends the timer: it leaves its modes, is never called again and cannot be added again. Its callback is released, after
    /// its call if it is being called.
    public func invalidate() { invalidateAndDetach() }

    public var anyItem: AnyItem { AnyItem(kind: .single(self)) }

    /// Calls the callback if the timer is still due, and sets the time of the next call.
    ///
    /// - Parameters:
    ///   - owner: the loop that found the timer due at `now`. The timer may have been moved, removed or invalidated since.
    func fireIfDue(at now: MonotonicTime, in owner: WakeUp, clock: SystemClock) {
      let callback: LoopCallback<Timer, Void>? = state.withLock { state in
        // A timer called before this one may have moved it to a time that has come by now.
        let isDue = state.fireTime <= now || state.fireTime <= clock.now
        guard isValid, !state.isFiring, isDue, state.membership.registrations.first?.mode.wakeUp === owner else {
          return nil
        }
        state.isFiring = true
        state.wasMoved = false
        state.membership.move(to: .distantFuture)
        return state.callback
      }
      guard let callback else { return }
      callback.body(self, ())
      if interval == .zero { invalidate() }
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
