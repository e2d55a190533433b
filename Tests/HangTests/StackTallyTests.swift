import LinuxSystem
import Testing

@testable import Hangs

struct StackTallyTests {
  /// From the outermost function inwards; calls in a function are at different addresses.
  private func frames(_ functions: [UInt64], at offset: UInt64 = 4) -> [StackFrame] {
    functions.reversed().map { StackFrame(address: $0 + offset, function: $0) }
  }

  /// A culprit of 1.8 s that comes first in a turn of 2.6 s: a picture at the deadline shows the wrong function.
  @Test func aCulpritThatEndsBeforeTheDeadlineIsDominant() throws {
    let result = SimulatedTurns(turns: [0..<2_600]).play()
    var tally = StackTally()
    for time in result.samples {
      tally.add(
        frames(time < 1_800 ? [100, 200, 300] : [100, 200, 400], at: UInt64(time)), isComplete: true, for: .milliseconds(50))
    }
    let dominant = try #require(tally.dominant)
    #expect(dominant.signature == [100, 200, 300])
    #expect(dominant.frames.map(\.function) == [300, 200, 100])
    #expect(dominant.share > 0.6 && dominant.share < 0.7, "\(dominant.share)")
    #expect(dominant.shares == [dominant.share, 1, 1])
  }

  /// Three helpers of a third each, of one function: that function is what took the time.
  @Test func aFunctionWithManyHelpersIsTheCulprit() throws {
    var tally = StackTally()
    for helper: UInt64 in [300, 400, 500] {
      tally.add(frames([100, 200, helper]), isComplete: true, for: .milliseconds(100))
    }
    tally.add(frames([100, 200, 300]), isComplete: true, for: .milliseconds(1))
    let dominant = try #require(tally.dominant)
    #expect(dominant.signature == [100, 200] && dominant.share == 1)
    #expect(dominant.frames.map(\.function) == [300, 200, 100])
  }

  /// A function that computes by itself most of the time, with a helper for the rest: it is the innermost, and not the helper.
  @Test func aFunctionItselfComesBeforeItsHelpers() throws {
    var tally = StackTally()
    tally.add(frames([100, 200]), isComplete: true, for: .milliseconds(60))
    tally.add(frames([100, 200, 300]), isComplete: true, for: .milliseconds(40))
    #expect(tally.dominant?.frames.map(\.function) == [200, 100])
  }

  /// A few stacks of a turn end early, within a function without a table: that says nothing of the one that is reported.
  @Test(arguments: [true, false]) func anotherStackThatEndsEarlyLeavesTheDominantOneAsItIs(isComplete: Bool) {
    var tally = StackTally()
    tally.add(frames([900]), isComplete: !isComplete, for: .milliseconds(10))
    tally.add(frames([100, 200]), isComplete: isComplete, for: .milliseconds(90))
    tally.add(frames([900]), isComplete: !isComplete, for: .milliseconds(10))
    #expect(tally.dominant?.isComplete == isComplete)
  }

  @Test func memoryIsBounded() {
    var tally = StackTally()
    for function in 0..<100_000 as Range<UInt64> {
      tally.add(frames([1, 2, 1_000 + function]), isComplete: true, for: .milliseconds(1))
    }
    #expect(tally.count == 100_000)
    #expect(tally.entries.count == 512)
    #expect(StackTally().dominant == nil)
  }
}

struct RepeatFilterTests {
  /// Ten thousand equal hangs, one each three seconds: at Fibonacci numbers of periods, whose sum is below 30,000 s.
  @Test func equalHangsAreReportedAtFibonacciIntervals() {
    var filter = RepeatFilter(period: .seconds(2))
    var (times, leftOut): ([Int64], Int) = ([], 0)
    for hang in 0..<10_000 as Range<Int64> {
      let now = MonotonicTime.zero + .seconds(Double(hang * 3))
      if case .report(let skipped) = filter.decide([1, 2], at: now) {
        times.append(hang * 3)
        leftOut += skipped
      }
    }
    // The steps are at least 2 s times 1, 2, 3, 5, …, and at most 3 s longer.
    var (wanted, before): (Int64, Int64) = (2, 2)
    for (earlier, later) in zip(times, times.dropFirst()) {
      #expect(later - earlier >= wanted && later - earlier < wanted + 3, "\(earlier) \(later)")
      (wanted, before) = (wanted + before, wanted)
    }
    #expect(times.count == 19, "\(times.count)")
    #expect(times.count + leftOut <= 10_000 && leftOut > 5_000)
  }

  /// A hang of another kind is reported at once, however far the equal ones have backed off.
  @Test func anotherHangIsAlwaysReported() {
    var filter = RepeatFilter(period: .seconds(2))
    for hang in 0..<10_000 as Range<UInt64> {
      let now = MonotonicTime.zero + .seconds(Double(hang * 3))
      _ = filter.decide([1], at: now)
      #expect(filter.decide([2, hang], at: now) == .report(leftOut: 0))
    }
  }
}
