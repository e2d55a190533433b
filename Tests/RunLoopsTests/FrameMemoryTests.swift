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

  func testWhatWasTakenAroundANestedRunStays() {
    let scenario = Scenario()
    let memory = FrameLoop.FrameMemory(arena: FrameArena(poisonsDrainedMemory: true))
    let arena = Unchecked(memory.arena)
    scenario.loop.addCommonMode("inner")
    memory.add(to: scenario.loop, mode: .common)
    let inside = Box<[Int]>([])
    scenario.timer("inner", at: 2, every: 1, mode: "inner") { _ in
      inside.value.append(arena.value.used)
      _ = arena.value.take(UInt8.self, count: 1_000)
    }
    let survived = Box(false)
    scenario.timer("outer", at: 1) { _ in
      let buffer = arena.value.copy(Array(1...50) as [UInt8])
      scenario.run("inner", until: 6)
      survived.value = Array(buffer) == Array(1...50)
    }
    scenario.run(until: 10)
    XCTAssertTrue(survived.value)
    XCTAssertEqual(Set(inside.value), [50])
    XCTAssertEqual(memory.arena.used, 0)
  }

  /// A run that begins without the memory, and in whose turns it is taken into the mode: it leaves the turn around it alone.
  private func join(_ join: @escaping @Sendable (FrameLoop, _ memory: FrameLoop.FrameMemory) -> Void, isThereBefore: Bool) {
    let scenario = Scenario()
    let memory = FrameLoop.FrameMemory(arena: FrameArena(poisonsDrainedMemory: true))
    let shared = Unchecked(memory)
    if isThereBefore { memory.add(to: scenario.loop, mode: .common) }
    let used = Box<[Int]>([])
    scenario.timer("inner", at: 2, every: 1, mode: "inner") { [loop = scenario.loop] _ in
      if used.value.isEmpty { join(loop, shared.value) }
      used.value.append(shared.value.arena.used)
      _ = shared.value.arena.take(UInt8.self, count: 1_000)
    }
    let survived = Box(false)
    scenario.timer("outer", at: 1) { _ in
      let buffer = shared.value.arena.copy(Array(1...50) as [UInt8])
      scenario.run("inner", until: 6)
      survived.value = Array(buffer) == Array(1...50)
    }
    scenario.run(until: 10)
    XCTAssertTrue(survived.value)
    // Its first turn took from the outer run's level; all later turns begin with the same amount.
    XCTAssertEqual(used.value.count, 5)
    XCTAssertEqual(Set(used.value.dropFirst()).count, 1, "\(used.value)")
    if isThereBefore { XCTAssertEqual(memory.arena.used, 0) }
  }

  func testARunWhoseModeBecomesCommonLeavesTheOuterTurnAlone() {
    join({ loop, _ in loop.addCommonMode("inner") }, isThereBefore: true)
  }

  func testARunThatTheMemoryIsAddedInLeavesTheOuterTurnAlone() {
    join({ loop, memory in memory.add(to: loop, mode: "inner") }, isThereBefore: false)
  }

  func testInvalidatedInANestedRunItEndsTheLevelsThatItBegan() {
    let scenario = Scenario()
    let memory = FrameLoop.FrameMemory(arena: FrameArena(poisonsDrainedMemory: true))
    let shared = Unchecked(memory)
    scenario.loop.addCommonMode("inner")
    memory.add(to: scenario.loop, mode: .common)
    let survived = Box(false)
    scenario.timer("inner", at: 2, mode: "inner") { _ in
      _ = shared.value.arena.take(UInt8.self, count: 1_000)
      shared.value.invalidate()
    }
    scenario.timer("outer", at: 1) { _ in
      let buffer = shared.value.arena.copy(Array(1...50) as [UInt8])
      scenario.run("inner", until: 6)
      survived.value = Array(buffer) == Array(1...50)
    }
    scenario.run(until: 10)
    XCTAssertTrue(survived.value)
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
