import LinuxSystem
import RunLoops
import Synchronization
import Testing

@testable import Hangs

/// Hangs in real loops, on simulated time.
struct LoopBeaconTests {
  @Test func aHangInATimerIsFound() {
    let simulated = SimulatedLoop()
    simulated.addTimer(after: .seconds(10), taking: .milliseconds(1_950))
    simulated.addTimer(after: .seconds(20), taking: .milliseconds(2_050))
    simulated.run(for: .seconds(60))
    #expect(simulated.hangs.count == 1)
    #expect(simulated.hangs.first?.phase == .woken)
    #expect(simulated.hangs.first?.mode == .default)
  }

  @Test func aHangInTrackingModeIsFound() {
    let simulated = SimulatedLoop()
    simulated.loop.addCommonMode(.tracking)
    simulated.addTimer(to: .tracking, after: .seconds(1), taking: .seconds(3))
    simulated.run(.tracking, for: .seconds(10))
    #expect(simulated.hangs.map(\.mode) == [.tracking])
  }

  @Test func aHangInAnObserverIsFound() {
    let simulated = SimulatedLoop()
    var count = 0
    nonisolated(unsafe) let body = {
      count += 1
      if count == 2 { simulated.spend(.seconds(3)) }
    }
    let observer = FrameLoop.Observer([.beforeWaiting], order: ObserverOrder.commit, .onLoop { _, _ in body() })
    simulated.loop.add(observer, to: .common)
    simulated.addTimer(after: .seconds(1), taking: .zero)
    simulated.run(for: .seconds(10))
    #expect(simulated.hangs.map(\.phase) == [.beforeWaiting])
  }

  /// Before the first run the loop's thread is watched from `watch` on.
  @Test func aHangAtTheStartIsFound() {
    let simulated = SimulatedLoop()
    simulated.beacon.begin(.notRunning)
    simulated.spend(.seconds(3))
    simulated.run(for: .seconds(1))
    #expect(simulated.hangs.map(\.phase) == [.notRunning])
  }

  /// The outer callback does not hang while the loop turns in it. The rest of the callback after the nested run counts by itself.
  @Test func aHangInANestedLoopIsFound() {
    let simulated = SimulatedLoop()
    let outer = simulated.timer(after: .seconds(1)) {
      simulated.spend(.milliseconds(1_500))
      simulated.addTimer(after: .seconds(1), taking: .seconds(3))
      simulated.run(for: .seconds(20))
      simulated.spend(.milliseconds(1_500))
    }
    simulated.loop.add(outer, to: .default)
    simulated.run(for: .seconds(60))
    #expect(simulated.hangs.map(\.phase) == [.woken])
    // The turn ended with the run.
    #expect(simulated.beacon.turnStart.load(ordering: .relaxed) == LoopBeacon.asleep)

    let second = SimulatedLoop()
    let hanging = second.timer(after: .seconds(1)) {
      second.run(for: .seconds(20))
      second.spend(.seconds(3))
    }
    second.loop.add(hanging, to: .default)
    second.addTimer(after: .seconds(500), taking: .zero)
    second.run(for: .seconds(60))
    #expect(second.hangs.map(\.phase) == [.afterNestedRun])
  }

  /// Half in what woke the loop and half before it sleeps again: the user waits for both.
  @Test func workInTwoPartsOfATurnAddsUp() {
    let simulated = SimulatedLoop()
    nonisolated(unsafe) let body = { simulated.spend(.milliseconds(1_050)) }
    let observer = FrameLoop.Observer([.beforeWaiting], order: ObserverOrder.commit, .onLoop { _, _ in body() })
    simulated.addTimer(after: .seconds(10), taking: .milliseconds(1_050))
    simulated.loop.add(observer, to: .common)
    simulated.run(for: .seconds(20))
    #expect(simulated.hangs.count == 1)
  }

  /// A source that signals itself for ever: the loop never sleeps. Each of its passes is a turn.
  @Test func aLoopThatNeverSleepsButTurnsIsNotHanging() {
    let simulated = SimulatedLoop()
    var (left, start) = (10_000, MonotonicTime.zero)
    nonisolated(unsafe) let body = { (source: FrameLoop.Source) in
      if left == 500 { start = simulated.clock.now }
      simulated.spend(left == 500 ? .milliseconds(2_100) : .milliseconds(100))
      left -= 1
      if left > 0 { source.signal() }
    }
    let source = FrameLoop.Source(.onLoop { body($0) })
    simulated.loop.add(source, to: .common)
    source.signal()
    simulated.run(for: .seconds(2_000))
    #expect(left == 0)
    #expect(simulated.hangs.map(\.phase) == [.sources])
    #expect(simulated.hangs.map(\.turn.start) == [start], "it is the one long pass, not all of them")
  }

  /// The end of a slow turn is left to the nanosecond; that of another costs no look at the clock.
  @Test func theEndOfASlowTurnIsLeft() {
    let simulated = SimulatedLoop()
    simulated.addTimer(after: .seconds(1), taking: .milliseconds(100))
    simulated.run(for: .seconds(2))
    #expect(simulated.beacon.lastEnd.load(ordering: .relaxed) == LoopBeacon.asleep)
    let start = simulated.clock.now
    simulated.addTimer(after: .seconds(1), taking: .milliseconds(400))
    simulated.run(for: .seconds(2))
    #expect(simulated.beacon.lastEnd.load(ordering: .relaxed) == (start + .milliseconds(1_400)).nanoseconds)
  }
}
