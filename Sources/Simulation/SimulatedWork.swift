public import FrameTiming
import Glibc
public import LinuxSystem

/// The durations of a simulated application's frames, and the lateness of its loop's wake-ups. A pure value.
///
/// Everything random is a function of the seed and the frame's number alone.
///
///     var work = SimulatedWork(mean: .milliseconds(3), deviation: .microseconds(600))
///     work.spikes = 0.02
public struct SimulatedWork: Hashable, BitwiseCopyable, Sendable {
  /// The mean duration of a frame. Durations are normally distributed.
  public var mean: Nanoseconds
  public var deviation: Nanoseconds
  /// The part of the frames that take `spike` instead.
  public var spikes: Double
  public var spike: Nanoseconds
  /// The times in which frames take longer; nil for none.
  public var overload: Overload?
  /// Half of the wake-ups are later than this, one in a hundred 2.3 times as late: lognormal, as was measured for a timerfd
  /// on an idle machine.
  public var wakeUpLatency = Nanoseconds.microseconds(58)
  /// The part of the wake-ups that come later still, evenly distributed up to `latestWakeUp`.
  public var lateWakeUps = 0.001
  public var latestWakeUp = Nanoseconds.milliseconds(3)
  public var seed: UInt64

  public init(
    mean: Nanoseconds, deviation: Nanoseconds = .zero, spikes: Double = 0, spike: Nanoseconds = .zero, seed: UInt64 = 0
  ) {
    self.mean = mean
    self.deviation = deviation
    self.spikes = spikes
    self.spike = spike
    self.seed = seed
  }

  /// The duration of a frame.
  ///
  /// - Parameter time: since the application's start.
  public func work(ofFrame number: UInt64, at time: Nanoseconds = .zero) -> Nanoseconds {
    if isSpike(frame: number) { return spike }
    let middle = overload.flatMap { $0.holds(at: time) ? $0.work : nil } ?? mean
    return max(middle + .seconds(deviation.seconds * normal(.work, number)), .zero)
  }

  /// True if a frame is one of the spikes.
  public func isSpike(frame number: UInt64) -> Bool { unit(.spike, number) < spikes }

  /// The lateness of the loop's wake-up for a frame.
  public func latency(ofFrame number: UInt64) -> Nanoseconds {
    if unit(.lateWakeUp, number) < lateWakeUps { return .seconds(latestWakeUp.seconds * unit(.lateness, number)) }
    return .seconds(wakeUpLatency.seconds * exp(0.35 * normal(.latency, number)))
  }

  /// The phases of a frame: the usual time is divided evenly between callbacks, layout and display, the excess goes to one.
  public func phases(ofFrame number: UInt64, at time: Nanoseconds = .zero) -> FrameRecord.PhaseDurations {
    let all = work(ofFrame: number, at: time)
    let spent: [FrameRecord.Phase] = [.callbacks, .layout, .display]
    var phases = FrameRecord.PhaseDurations()
    for phase in spent { phases[phase] = min(all, mean) / 3 }
    let exceeding = spent[Int(SplitMix64.hash(seed: seed(.phase), index: number) % 3)]
    phases[exceeding] += all - phases.total
    return phases
  }

  private enum Family: UInt64 {
    case work = 1
    case spike, latency, lateWakeUp, lateness, phase
  }

  private func seed(_ family: Family, _ part: UInt64 = 0) -> UInt64 {
    seed &+ (2 &* family.rawValue &+ part) &* 0x9E37_79B9_7F4A_7C15
  }

  /// From 0 to below 1.
  private func unit(_ family: Family, _ number: UInt64) -> Double { SplitMix64.unit(seed: seed(family), index: number) }

  private func normal(_ family: Family, _ number: UInt64) -> Double {
    SplitMix64.normal(seeds: (seed(family), seed(family, 1)), index: number)
  }
}

extension SimulatedWork {
  /// A repeated stretch of time in which every frame takes longer.
  public struct Overload: Hashable, BitwiseCopyable, Sendable {
    /// The time from the beginning of one overload to that of the next.
    public var cycle: Nanoseconds
    /// The part of the cycle that the overload lasts, at the cycle's end.
    public var part: Double
    /// The duration of frames meanwhile, before their deviation.
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
