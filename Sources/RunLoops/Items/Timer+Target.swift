public import LinuxSystem

extension FrameLoop.Timer {
  /// A timer that belongs to an object, and does not keep it alive.
  ///
  ///     timer = FrameLoop.Timer(fireTime: start, interval: second, target: self, onMain: { target, _ in target.tick() })
  ///
  /// The target's end is found at the timer's next fire time. Until then the timer is valid and in its modes, where it keeps a
  /// run alive: invalidate it when that is too late.
  ///
  /// - Parameters:
  ///   - fireTime: on the loop's clock; one that has passed fires at once.
  ///   - interval: 0, or what is below, for a timer that fires once.
  ///   - target: is held weakly. Once it is gone the handler is not called any more.
  ///   - invalidatesWithTarget: whether the timer ends then, at the first of its times that finds no target; else it goes on
  ///     without calls.
  ///   - handler: is called on the thread of the loop.
  public convenience init<Target: AnyObject & Sendable>(
    fireTime: MonotonicTime, interval: Nanoseconds = .zero, target: Target, invalidatesWithTarget: Bool = true,
    handler: @escaping @Sendable (Target, FrameLoop.Timer) -> Void
  ) {
    self.init(fireTime: fireTime, interval: interval) { [weak target] timer in
      if let target { return handler(target, timer) }
      if invalidatesWithTarget { timer.invalidate() }
    }
  }

  /// For the main thread's loops only: adding it to another loop is a programmer's error.
  public convenience init<Target: AnyObject & Sendable>(
    fireTime: MonotonicTime, interval: Nanoseconds = .zero, target: Target, invalidatesWithTarget: Bool = true,
    onMain handler: @escaping @MainActor (Target, FrameLoop.Timer) -> Void
  ) {
    self.init(
      fireTime: fireTime, interval: interval,
      onMain: { [weak target] timer in
        if let target { return handler(target, timer) }
        if invalidatesWithTarget { timer.invalidate() }
      })
  }
}
