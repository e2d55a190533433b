public import LinuxSystem

extension FrameLoop {
  /// Makes a sequence of a timer's ticks, for `for await`.
  ///
  ///     for await tick in loop.ticks(every: .seconds(1)) { print(tick.missed) }
  ///
  /// A consumer that lives on this loop (an actor with this executor, or the main actor on the main loop) never leaves the
  /// loop's thread between ticks. A late consumer gets the newest tick, with the number of missed ticks. The ticks and
  /// their timer end when the consumer's task is cancelled, when the loop's thread ends, and when the consumer leaves its
  /// loop. Each iterator has its own timer.
  ///
  /// - Parameters:
  ///   - interval: the time from one tick to the next; at least 1 ns.
  ///   - start: the time of the first tick, on the loop's clock; by default, one interval after the iteration began.
  ///   - mode: the mode of the timer.
  public func ticks(every interval: Nanoseconds, from start: MonotonicTime? = nil, in mode: Mode = .common) -> TimerTicks {
    TimerTicks(loop: self, interval: max(interval, Nanoseconds(1)), start: start, mode: mode)
  }
}

/// The ticks of a timer; see `FrameLoop.ticks(every:from:in:)`.
///
/// ```swift
/// for await tick in FrameLoop.main.ticks(every: .milliseconds(500)) {
///   print(tick.fireTime.seconds, tick.missed)
/// }
/// ```
public struct TimerTicks: AsyncSequence, Sendable {
  /// One tick of the timer, as the consumer gets it.
  public struct Tick: Hashable, BitwiseCopyable, Sendable {
    /// The timer's fire time: start + k · interval, however late the consumer is.
    public var fireTime: MonotonicTime
    /// The number of ticks since the previous one that the consumer missed, because it or the loop was late.
    public var missed: UInt64
  }

  let loop: FrameLoop
  let interval: Nanoseconds
  let start: MonotonicTime?
  let mode: FrameLoop.Mode

  public func makeAsyncIterator() -> Iterator { Iterator(self) }

  /// Makes a timer, and suspends its consumer until the next tick of it.
  public struct Iterator: AsyncIteratorProtocol {
    private let interval: Nanoseconds
    private let fireTimes: NewestElement<MonotonicTime>
    /// The time of the next tick that was not missed.
    private var expected: MonotonicTime

    init(_ ticks: TimerTicks) {
      let loop = ticks.loop
      let fireTimes = NewestElement<MonotonicTime>(loop: loop)
      self.fireTimes = fireTimes
      interval = ticks.interval
      expected = ticks.start ?? loop.clock.now + interval
      let timer = FrameLoop.Timer(
        fireTime: expected, interval: interval,
        .onLoop { [weak fireTimes] timer in
          fireTimes?.send(timer.nextFireTime, merge: { _, new in new })
        })
      // Refused when the loop's thread ends.
      let end = Performer(modes: []) { [weak fireTimes] _ in fireTimes?.finish() }
      do throws(PerformError) {
        try loop.performers.keep(end, with: timer, for: loop)
        loop.add(timer, to: ticks.mode)
      } catch {
        fireTimes.finish()
      }
      fireTimes.atEnd { loop.performers.cancel(in: loop) { $0 === end } }
    }

    public mutating func next(isolation: isolated (any Actor)?) async -> Tick? {
      guard let fireTime = await fireTimes.next(isolation: isolation) else { return nil }
      let missed = (fireTime - expected).count / interval.count
      expected = fireTime + interval
      return Tick(fireTime: fireTime, missed: UInt64(clamping: missed))
    }
  }
}
