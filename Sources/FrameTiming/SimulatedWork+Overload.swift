public import LinuxSystem

extension SimulatedWork {
  /// A stretch of time, again and again, in which every frame takes longer.
  public struct Overload: Hashable, BitwiseCopyable, Sendable {
    /// From the beginning of one to that of the next.
    public var cycle: Nanoseconds
    /// The part of the cycle that it lasts; at the cycle's end.
    public var part: Double
    /// What frames take meanwhile, before their deviation.
    public var work: Nanoseconds

    public init(cycle: Nanoseconds, part: Double, work: Nanoseconds) {
      self.cycle = cycle
      self.part = part
      self.work = work
    }

    func holds(at time: Nanoseconds) -> Bool {
      guard cycle > .zero, time >= .zero else { return false }
      return Double(time.count % cycle.count) >= Double(cycle.count) * (1 - part)
    }
  }

  /// 3 ± 0.6 ms.
  public static let even = SimulatedWork(mean: .milliseconds(3), deviation: .microseconds(600))

  /// 3 ± 0.6 ms, and 9 ms in two frames of a hundred.
  public static let spiky = SimulatedWork(
    mean: .milliseconds(3), deviation: .microseconds(600), spikes: 0.02, spike: .milliseconds(9))
}
