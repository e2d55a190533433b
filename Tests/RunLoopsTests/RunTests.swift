import LinuxSystem
import LoopTestSupport
import Synchronization
import Testing

@testable import RunLoops

/// Runs on manual time: cases that no scenario of `RunLoopConformanceTests` can play.
@Suite struct RunTests {
  let scenario = Scenario()

  @Test func aStopBetweenTwoPassesIsNotSleptOver() {
    scenario.timer("timer", at: 10)
    // As by another thread whose wake-up came before the loop listened to it.
    scenario.loop.add(
      FrameLoop.Observer(
        .beforeTimers,
        .onLoop { [unowned loop = scenario.loop] _, _ in loop.stopRequested.store(true, ordering: .releasing) }),
      to: .default)
    scenario.run(until: 100)
    #expect(scenario.words.description == "→stopped" && scenario.clock.now == .zero)
  }

  // Statement 24
  @Test func aCommitDoesNotStarve() {
    let words = scenario.words
    let passes = Box(0)
    scenario.source(".source") { [unowned loop = scenario.loop] source in
      source.signal()
      passes.value += 1
      if passes.value == 50 { loop.stop() }
    }.signal()
    scenario.observe([.beforeWaiting, .afterWaiting])
    for order in [2, 1] {
      scenario.loop.add(
        FrameLoop.Observer(
          [.beforeWaiting, .afterWaiting, .exit], order: order, evenWhenBusy: true,
          .onLoop { _, activity in words.add("\(activity.word)\(order)@\(passes.value)") }), to: .default)
    }
    scenario.loop.run(mode: .default)
    #expect(
      words.visible == [
        "sleep1@16", "sleep2@16", "sleep1@32", "sleep2@32", "sleep1@48", "sleep2@48", "exit1@50", "exit2@50",
      ])
  }

  // Statement 26
  @Test func anInvalidSourceIsNotSignalled() {
    let source = scenario.source("source")
    source.signal()
    #expect(source.isSignalled)
    source.invalidate()
    #expect(!source.isSignalled)
    source.signal()
    #expect(!source.isSignalled)
  }

  // Statement 32
  @Test func sourcesOfEqualOrderAndCallbackAreTwo() {
    for _ in 0..<2 { scenario.source("source").signal() }
    scenario.run(until: 0)
    #expect(scenario.words.description == "source source →timedOut")
  }

  // Statement 31
  @Test func aSourceIsToldWhichLoopItEntersAndLeaves() {
    let (words, loop) = (scenario.words, scenario.loop)
    let source = FrameLoop.Source(
      scheduled: { [unowned loop] _, its, mode in words.add("+\(mode):\(its === loop)") },
      cancelled: { [unowned loop] _, its, mode in words.add("-\(mode):\(its === loop)") }, .onLoop { _ in })
    loop.add(source, to: .common)
    let other = Scenario()
    other.loop.add(source, to: "other")
    source.invalidate()
    #expect(words.description == "+default:true +other:false -default:true -other:false")
  }

  /// Blocks that wait for other modes cost a run nothing, however many they are.
  @Test func blocksOfOtherModesCostNothing() {
    func cost(waiting: Int) -> Int64 {
      let loop = FrameLoop(clock: .manual(ManualClock()))
      loop.add(FrameLoop.Source(.onLoop { _ in }), to: .default)
      for _ in 0..<waiting { loop.perform(in: ["never"]) {} }
      return (0..<3).map { _ in
        let start = SystemClock.monotonic.threadProcessorTime
        for _ in 0..<20 { loop.run(mode: .default, until: .zero) }
        return (SystemClock.monotonic.threadProcessorTime - start).count
      }.min() ?? 0
    }
    // The ratio was five thousand when every block was looked at in every pass.
    #expect(cost(waiting: 100_000) < 20 * cost(waiting: 10))
  }
}
