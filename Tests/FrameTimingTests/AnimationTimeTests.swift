import LinuxSystem
import Testing

@testable import FrameTiming

@Suite struct AnimationTimeTests {
  private static let interval = Nanoseconds(16_666_667)
  private let start = MonotonicTime.zero + .seconds(50)

  private func target(_ k: Int) -> MonotonicTime { start + Self.interval * Int64(k) }

  /// After a missed frame each step is longer by a 32nd, until the difference is made up 32 frames later.
  @Test func aMissIsMadeUpInSmallSteps() {
    var animation = AnimationTime(.smooth)
    var times = (0..<10).map { animation.time(for: target($0), interval: Self.interval) }
    #expect(times == (0..<10).map { target($0) })
    times += (11..<60).map { animation.time(for: target($0), interval: Self.interval) }
    for (index, (first, second)) in zip(times, times.dropFirst()).enumerated() {
      let step = second - first
      #expect(step >= Self.interval && step <= Self.interval + Self.interval / 32, "step \(index)")
    }
    #expect(times[10] == target(10) + Self.interval / 32)
    #expect(target(11 + 30) - times[10 + 30] > .zero)
    // Rounding a 32nd takes one more frame.
    #expect(times[10 + 32] == target(11 + 32))
  }

  @Test func whatIsFarBehindJumps() {
    var animation = AnimationTime(.smooth)
    #expect(animation.time(for: target(0), interval: Self.interval) == target(0))
    // The limit is 100 ms: 6 missing intervals are 1 µs less, and 7 are more.
    #expect(animation.time(for: target(6), interval: Self.interval) == target(1) + Self.interval / 32)
    animation.rest()
    #expect(animation.time(for: target(10), interval: Self.interval) == target(10))
    #expect(animation.time(for: target(18), interval: Self.interval) == target(18))
    animation.rest()
    #expect(animation.time(for: target(20), interval: Self.interval) == target(20))
  }

  /// If an interval lasts as long as the frame takes, no step is the even one. 48 frames a second on a display of at most
  /// 144 Hz must not catch up by a 32nd of the shortest interval.
  @Test func atAVariableRateTimeIsTheTarget() {
    var animation = AnimationTime(.smooth)
    for k in 0..<100 {
      let target = start + .microseconds(20_833) * Int64(k)
      #expect(animation.time(for: target, interval: nil) == target)
    }
    // The time does not go back.
    let last = start + .microseconds(20_833) * 99
    #expect(animation.time(for: last - .milliseconds(1), interval: nil) == last)
  }

  @Test func aSlowerOutputHasLongerSteps() {
    var animation = AnimationTime(.smooth)
    for k in stride(from: 0, to: 60, by: 3) {
      #expect(animation.time(for: target(k), every: 3, interval: Self.interval) == target(k))
    }
  }

  /// For any targets, time never goes back, is at most 100 ms behind, and has even steps.
  @Test func timeGoesForwardWhateverTheTargetsDo() {
    let seed = UInt64.random(in: 0...999_999)
    print("animation time, seed \(seed)")
    var random = SplitMix64(seed: seed)
    for _ in 0..<200 {
      let rate = RefreshRate(hertz: Double.random(in: 24...500, using: &random)) ?? .hertz60
      let interval = rate.interval
      var animation = AnimationTime(random.chance(0.5) ? .smooth : .presentation)
      var target = start
      var last: MonotonicTime?
      var first = target
      for _ in 0..<500 {
        let skipped = random.chance(0.05) ? Int64.random(in: 0...40, using: &random) : 0
        let jitter = Int64.random(in: -interval.count / 50...interval.count / 50, using: &random)
        target += interval * (1 + skipped) + Nanoseconds(jitter)
        if random.chance(0.02) { target = target - interval * 2 }
        let isNew = target > first
        let time = animation.time(for: target, interval: interval)
        if let last {
          #expect(time >= last, "seed \(seed)")
          if isNew, animation.policy == .presentation { #expect(time == target, "seed \(seed)") }
          if isNew, animation.policy == .smooth {
            let step = time - last
            let most = interval / 32 + Nanoseconds(1)
            let isEven = step >= interval - most && step <= interval + most
            #expect(isEven || time == target || step == .zero, "seed \(seed): a step of \(step.count) ns")
          }
          #expect(target - time <= .milliseconds(100), "seed \(seed)")
          #expect(time - max(target, first) <= interval, "seed \(seed)")
        }
        last = time
        first = max(first, target)
      }
    }
  }
}
