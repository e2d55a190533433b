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
    animation.observe(isMissed: true, interval: Self.interval)
    // Seen at vblank 10: the next one moves on by what lies between 10 and 11.
    times += (11..<60).map { animation.time(for: target($0), interval: Self.interval) }
    #expect(times[10] == target(10) + Self.interval / 32)
    for (index, (first, second)) in zip(times, times.dropFirst()).enumerated() {
      let step = second - first
      #expect(step >= Self.interval && step <= Self.interval + Self.interval / 32, "step \(index)")
    }
    #expect(target(11 + 30) - times[10 + 30] > .zero)
    // Rounding a 32nd takes one more frame.
    #expect(times[10 + 32] == target(11 + 32))
  }

  /// Vblanks without a frame that were known beforehand are moved over: the frame before is seen for as long.
  @Test func whatIsSeenForLongerMovesOnByAsMuch() {
    var animation = AnimationTime(.smooth)
    for k in [0, 1, 2, 4, 7, 20, 21] {
      #expect(animation.time(for: target(k), interval: Self.interval) == target(k))
      animation.observe(isMissed: false, interval: Self.interval)
    }
  }

  /// While each frame is an interval late, each moves on by the time for which it is seen.
  @Test func framesThatAreAllLateMoveEvenly() {
    var animation = AnimationTime(.smooth)
    var times: [MonotonicTime] = []
    for k in stride(from: 0, to: 80, by: 2) {
      times.append(animation.time(for: target(k), interval: Self.interval))
      animation.observe(isMissed: true, interval: Self.interval)
    }
    // The first two: one that is late, and one that moves on from where that was seen.
    for (first, second) in zip(times, times.dropFirst()).dropFirst() { #expect(second - first == Self.interval * 2) }
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

  /// For any targets and misses, time never goes back, is at most an interval behind, and catches up by 32nds alone.
  @Test func timeGoesForwardWhateverTheTargetsDo() {
    let seed = UInt64.random(in: 0...999_999)
    print("animation time, seed \(seed)")
    var random = SplitMix64(seed: seed)
    for _ in 0..<200 {
      let rate = RefreshRate(hertz: Double.random(in: 24...500, using: &random)) ?? .hertz60
      let interval = rate.interval
      var animation = AnimationTime(random.chance(0.5) ? .smooth : .presentation)
      var target = start
      var (newest, last) = (target, animation.time(for: target, interval: interval))
      var isMissed = false
      for _ in 0..<500 {
        let skipped = random.chance(0.05) ? Int64.random(in: 0...40, using: &random) : 0
        let jitter = Int64.random(in: -interval.count / 50...interval.count / 50, using: &random)
        target += interval * (1 + skipped) + Nanoseconds(jitter)
        if random.chance(0.02) { target = target - interval * 2 }
        if random.chance(0.1) {
          animation.observe(isMissed: true, interval: interval)
          isMissed = true
        }
        let time = animation.time(for: target, interval: interval)
        #expect(time >= last, "seed \(seed)")
        if target > newest {
          #expect(target - time <= interval && time <= target, "seed \(seed)")
          let excess = (time - last) - (target - newest)
          if animation.policy == .presentation { #expect(time == target, "seed \(seed)") }
          // One that stood still, since targets were later before, is behind by as much the next time.
          #expect(excess <= interval / 32 && (isMissed || excess >= .zero), "seed \(seed): \(excess.count) ns")
          isMissed = time == last
        } else {
          #expect(time == last, "seed \(seed)")
        }
        (newest, last) = (max(newest, target), time)
      }
    }
  }
}
