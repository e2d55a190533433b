public import LinuxSystem

extension FrameLoop {
  /// The ticks of a timer, to be consumed by `for await`.
  ///
  /// A consumer that lives on this loop (an actor whose executor it is, or on the main loop the main actor) never leaves
  /// the loop's thread between ticks. One that is late gets the newest tick, which says how many it missed: nothing piles
  /// up. The ticks end when the consumer's task is cancelled, and when the loop's thread ends; the timer goes with them,
  /// as it does when the consumer breaks off. Each iterator has its own timer.
  ///
  /// - Parameters:
  ///   - interval: the time from one tick to the next; at least 1 ns.
  ///   - start: the time of the first tick, on the loop's clock; without one, an interval after the iteration began.
  ///   - mode: in which the loop has to run for the timer to fire.
  public func ticks(every interval: Nanoseconds, from start: MonotonicTime? = nil, in mode: Mode = .common) -> TimerTicks {
    TimerTicks(loop: self, interval: max(interval, Nanoseconds(1)), start: start, mode: mode)
  }
}

/// The ticks of a timer; see `FrameLoop.ticks(every:from:in:)`.
public struct TimerTicks: AsyncSequence, Sendable {
  public struct Tick: Hashable, BitwiseCopyable, Sendable {
    /// The time that the timer was due: start + k · interval, however late the consumer is.
    public var fireTime: MonotonicTime
    /// The ticks since the one before that the consumer did not get: it, or the loop, was late.
    public var missed: UInt64
  }

  let loop: FrameLoop
  let interval: Nanoseconds
  let start: MonotonicTime?
  let mode: FrameLoop.Mode

  public func makeAsyncIterator() -> Iterator { Iterator(self) }

  public struct Iterator: AsyncIteratorProtocol {
    private let interval: Nanoseconds
    private let fireTimes: NewestElement<MonotonicTime>
    /// The first tick's time; then one interval after the last tick's.
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
