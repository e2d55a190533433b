import Geometry
import Layers
import LinuxSystem
import XCTest

/// Drawings of several priorities, on simulated workers.
@preconcurrency @MainActor final class AsynchronousPriorityTests: XCTestCase {
  /// Layers of these priorities, whose pictures have the numbers 1, 2, … and are requested in one commit.
  private static func stage(_ priorities: [DrawingPriority]) -> SimulatedWorkers {
    let workers = SimulatedWorkers(layers: priorities.count)
    for (index, priority) in priorities.enumerated() {
      workers.layers[index].drawingPriority = priority
      workers.layers[index].request(index + 1)
    }
    workers.stage.turn()
    return workers
  }

  func testTheHighestComesFirst() {
    let workers = Self.stage([.normal, .high, .normal, .high])
    workers.workOff()
    XCTAssertEqual(workers.log.begun, [2, 4, 1, 3])
    XCTAssertEqual(Layer().drawingPriority, .normal)
  }

  func testTheLowestIsNotForgotten() {
    let workers = Self.stage([.low] + Array(repeating: .high, count: 12))
    for number in 2...4 {
      workers.drawOne()
      XCTAssertEqual(workers.log.begun.last, number)
    }
    workers.drawOne()
    XCTAssertEqual(workers.log.begun.last, 1, "passed over three times")
  }

  /// Those of one priority appear together, and do not wait for others.
  func testEachPriorityIsAGroup() {
    let workers = Self.stage([.low, .normal, .high, .high, .normal])
    let seen = (0..<5).map { _ in
      workers.drawOne()
      workers.stage.turn()
      return workers.layers.map { $0.shown ?? 0 }
    }
    XCTAssertEqual(workers.log.begun, [3, 4, 2, 1, 5])
    XCTAssertEqual(
      seen, [[0, 0, 0, 0, 0], [0, 0, 3, 4, 0], [0, 0, 3, 4, 0], [1, 0, 3, 4, 0], [1, 2, 3, 4, 5]])
  }

  /// One that is to appear alone does not wait for the others of its commit, which appear together.
  func testOneAppearsAlone() {
    let workers = SimulatedWorkers(layers: 3)
    workers.layers[0].publishesDrawingsAlone = true
    for (index, layer) in workers.layers.enumerated() { layer.request(index + 1) }
    workers.stage.turn()
    let seen = (0..<3).map { _ in
      workers.drawOne()
      workers.stage.turn()
      return workers.layers.map { $0.shown ?? 0 }
    }
    XCTAssertEqual(seen, [[1, 0, 0], [1, 0, 0], [1, 2, 3]])
  }

  /// A group wakes the loop once: when the last picture of it is finished or cancelled, unless all of them were cancelled.
  func testAGroupWakesTheLoopOnce() {
    for (cancelled, expected) in [([], 1), ([1], 1), ([0, 1], 0)] as [([Int], Int)] {
      let workers = SimulatedWorkers(layers: 2)
      let context = workers.stage.context
      let wakes = Lock(0)
      context.wake = { wakes.withLock { $0 += 1 } }
      for (index, layer) in workers.layers.enumerated() { layer.request(index + 1) }
      workers.stage.turn()
      if cancelled != [0, 1] { workers.drawOne() }
      XCTAssertEqual(wakes.withLock(\.self), 0)
      for index in cancelled { workers.layers[index].removeFromSuperlayer() }
      workers.workOff()
      XCTAssertEqual(wakes.withLock(\.self), expected, "\(cancelled)")
      XCTAssertEqual(context.publishFinishedDrawings(), expected > 0, "\(cancelled)")
      XCTAssertFalse(context.publishFinishedDrawings())
    }
  }

  /// A layer that comes into view is raised: it is drawn once, before the others, and does not wait for those that it was grouped with.
  func testADrawingThatWaitsIsRaised() {
    let workers = Self.stage([.low, .low, .low])
    workers.layers[2].drawingPriority = .high
    workers.stage.turn()
    workers.drawOne()
    workers.stage.turn()
    XCTAssertEqual(workers.layers.map(\.shown), [nil, nil, 3])
    workers.workOff()
    workers.stage.turn()
    XCTAssertEqual(workers.log.begun, [3, 1, 2])
    XCTAssertEqual(workers.layers.map(\.shown), [1, 2, 3])
  }

  func testADrawingThatBeganIsNotRequestedAnew() {
    let workers = SimulatedWorkers(layers: 1)
    let layer = workers.layers[0]
    for step in 0..<3 {
      if step == 1 { layer.request(1) { layer.drawingPriority = .low } }
      workers.stage.turn()
      workers.workOff()
      layer.drawingPriority = DrawingPriority.allCases[step]
      XCTAssertFalse(layer.needsDisplay, "step \(step)")
    }
    workers.stage.turn()
    XCTAssertEqual(layer.shown, 1)
    XCTAssertEqual(workers.log.begun, [1])
  }

  /// A wait on request is for what the last commit began, and is wanted soon: nothing of it is waited for here. A wait that is not
  /// over at once would take its minute and fail.
  func testWhatIsNotWaitedFor() {
    let workers = Self.stage([.normal, .high])
    workers.layers[0].drawingPriority = .low
    workers.stage.turn()
    XCTAssertEqual(workers.stage.context.pendingDrawings, 2)
    XCTAssertTrue(workers.stage.context.waitForNewDrawings(until: SystemClock.monotonic.now + .seconds(60)))
    // A drawing of another priority is waited for.
    workers.layers[0].drawingPriority = .high
    workers.stage.turn()
    for limit in [.zero, .milliseconds(1), .seconds(-1)] as [Nanoseconds] {
      XCTAssertFalse(workers.stage.context.waitForNewDrawings(until: SystemClock.monotonic.now + limit))
    }
    workers.workOff()
    XCTAssertTrue(workers.stage.context.waitForNewDrawings(until: SystemClock.monotonic.now + .seconds(60)))
  }
}
