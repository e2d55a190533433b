public import LinuxSystem

extension FrameLoop {
  /// A one-shot timer that can be set again and again.
  ///
  /// Use it for a deadline that moves, such as the next vblank or a time-out: it stays in its modes while it rests, and
  /// setting it allocates nothing.
  ///
  ///     let timeout = FrameLoop.Alarm(.onMain { connection.giveUp() })
  ///     loop.add(timeout, to: .common)
  ///     timeout.fireTime = loop.clock.now + .seconds(5)
  ///     timeout.fireTime = nil  // an answer came
  ///
  /// An alarm belongs to one loop until it is removed from all its modes. Like a timer it keeps a run alive, also at rest.
  public final class Alarm: Item {
    private let timer: Timer

    /// - Parameters:
    ///   - tolerance: how much later than its time the alarm may fire; see `Timer.tolerance`.
    ///   - callback: called at the fire time. The alarm is at rest by then, and may be set again in the callback.
    public init(tolerance: Nanoseconds = .zero, _ callback: LoopCallback<Void, Void>) {
      let body = callback.body
      // Its phase is so long that no second call comes by itself.
      timer = Timer(
        fireTime: .distantFuture, interval: Nanoseconds(.max),
        LoopCallback(body: { _, _ in body((), ()) }, isOnMain: callback.isOnMain))
      timer.tolerance = tolerance
    }

    /// When the alarm fires; nil while it is at rest. Setting it moves the alarm, and a time that has passed counts as now.
    /// From any thread: a sleeping loop takes the new time at once.
    public var fireTime: MonotonicTime? {
      get { timer.timeOfNextCall.flatMap { $0 == .distantFuture ? nil : $0 } }
      set { timer.nextFireTime = newValue ?? .distantFuture }
    }

    /// How much later than its time the alarm may fire; see `Timer.tolerance`.
    public var tolerance: Nanoseconds {
      get { timer.tolerance }
      set { timer.tolerance = newValue }
    }

    public var isValid: Bool { timer.isValid }

    /// Ends the alarm: it leaves its modes, is never called again and cannot be added again. Its callback is released.
    public func invalidate() { timer.invalidate() }

    public var anyItem: AnyItem { timer.anyItem }
  }
}
