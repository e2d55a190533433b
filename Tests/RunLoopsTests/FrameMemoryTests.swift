import FrameArenas
import LinuxSystem
import XCTest

@testable import RunLoops

final class FrameMemoryTests: XCTestCase {
  /// Bytes in use as the callbacks of a run see them: taken in a turn, gone in the next.
  func testEachTurnBeginsEmpty() {
    let scenario = Scenario()
    let memory = FrameLoop.FrameMemory(arena: FrameArena(poisonsDrainedMemory: true))
    let arena = Unchecked(memory.arena)
    memory.add(to: scenario.loop, mode: .default)
    let seen = Box<[Int]>([])
    scenario.timer("tick", at: 1, every: 1) { timer in
      seen.value.append(arena.value.used)
      _ = arena.value.take(UInt8.self, count: 100)
    }
    // Observers of the run's end still have what the last turn took: the memory goes after all others.
    let atExit = Box(0)
    scenario.loop.add(
      FrameLoop.Observer(
        .exit, order: ObserverOrder.commit,
        .onLoop { _, _ in
          _ = arena.value.take(UInt8.self, count: 7)
          atExit.value = arena.value.used
        }), to: .default)
    scenario.run(until: 5)
    XCTAssertEqual(seen.value, [0, 0, 0, 0, 0])
    XCTAssertGreaterThanOrEqual(atExit.value, 7)
    XCTAssertEqual(memory.arena.used, 0)
    XCTAssertEqual(memory.arena.highWaterMark, atExit.value)
  }

  /// Takes memory in a turn, and then runs the loop in the mode "inner", whose turns take some too. The outer turn must keep
  /// what it took.
  ///
  /// - Parameter body: is called at the end of each inner turn with its number.
  /// - Returns: the bytes that were in use when the inner turns began.
  private func nest(
    _ scenario: Scenario, _ memory: FrameLoop.FrameMemory, every interval: Int64 = 1,
    _ body: @escaping @Sendable (Int) -> Void = { _ in }
  ) -> [Int] {
    let arena = Unchecked(memory.arena)
    let used = Box<[Int]>([])
    scenario.timer("inner", at: 2, every: interval, mode: "inner") { _ in
      used.value.append(arena.value.used)
      _ = arena.value.take(UInt8.self, count: 1_000)
      body(used.value.count)
    }
    let survived = Box(false)
    scenario.timer("outer", at: 1) { _ in
      let buffer = arena.value.copy(Array(1...50) as [UInt8])
      scenario.run("inner", until: 6)
      survived.value = Array(buffer) == Array(1...50)
    }
    scenario.run(until: 10)
    XCTAssertTrue(survived.value)
    return used.value
  }

  func testWhatWasTakenAroundANestedRunStays() {
    let scenario = Scenario()
    let memory = FrameLoop.FrameMemory(arena: FrameArena(poisonsDrainedMemory: true))
    scenario.loop.addCommonMode("inner")
    memory.add(to: scenario.loop, mode: .common)
    XCTAssertEqual(nest(scenario, memory), [50, 50, 50, 50, 50])
    XCTAssertEqual(memory.arena.used, 0)
  }

  /// The memory enters the mode of a nested run while that runs: the turn around it is left alone.
  func testARunThatTheMemoryEntersLeavesTheOuterTurnAlone() {
    for becomesCommon in [true, false] {
      let scenario = Scenario()
      let memory = FrameLoop.FrameMemory(arena: FrameArena(poisonsDrainedMemory: true))
      let shared = Unchecked(memory)
      if becomesCommon { memory.add(to: scenario.loop, mode: .common) }
      let used = nest(scenario, memory) { [loop = scenario.loop] turn in
        guard turn == 1 else { return }
        if becomesCommon { loop.addCommonMode("inner") } else { shared.value.add(to: loop, mode: "inner") }
      }
      // Its first turn took from the outer run's level; all later turns begin with the same amount.
      XCTAssertEqual(used.count, 5)
      XCTAssertEqual(Set(used.dropFirst()).count, 1, "\(used)")
      if becomesCommon { XCTAssertEqual(memory.arena.used, 0) }
    }
  }

  func testInvalidatedInANestedRunItEndsTheLevelsThatItBegan() {
    let scenario = Scenario()
    let memory = FrameLoop.FrameMemory(arena: FrameArena(poisonsDrainedMemory: true))
    let shared = Unchecked(memory)
    scenario.loop.addCommonMode("inner")
    memory.add(to: scenario.loop, mode: .common)
    _ = nest(scenario, memory, every: 0) { _ in shared.value.invalidate() }
    XCTAssertEqual(memory.arena.used, 0)
    // The loop does not drain it any more.
    _ = memory.arena.take(UInt8.self, count: 10)
    scenario.timer("later", at: 20)
    scenario.run(until: 30)
    XCTAssertEqual(memory.arena.used, 10)
  }

  func testALoopThatNeverWaitsDrainsAllTheSame() {
    let scenario = Scenario()
    let memory = FrameLoop.FrameMemory()
    let arena = Unchecked(memory.arena)
    memory.add(to: scenario.loop, mode: .default)
    let count = Box(0)
    scenario.source("busy") { source in
      _ = arena.value.take(UInt8.self, count: 100)
      count.value += 1
      if count.value < 1_000 { source.signal() }
    }.signal()
    scenario.run(until: 1)
    XCTAssertEqual(count.value, 1_000)
    XCTAssertLessThan(memory.arena.highWaterMark, 3_000)
  }
}

/// A value that one thread passes to closures on the same thread.
private struct Unchecked<Value>: @unchecked Sendable {
  let value: Value
  init(_ value: Value) { self.value = value }
}
