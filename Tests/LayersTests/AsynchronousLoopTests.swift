import Geometry
import Layers
import LinuxSystem
import RunLoops
import XCTest

/// Real workers wake a real loop, which shows what they drew: for the thread sanitizer.
@preconcurrency @MainActor final class AsynchronousLoopTests: XCTestCase {
  func testWorkersWakeTheLoop() {
    var random = SplitMix64(seed: 1)
    let loop = FrameLoop(clock: .monotonic)
    let (stage, layers) = makeStage(4, threads: 3)
    stage.context.wake = { loop.wakeUp() }
    // The limit of a minute, which also keeps the loop alive.
    let limit = FrameLoop.Timer(fireTime: loop.clock.now + .seconds(60), .onMain { _ in loop.stop() })
    loop.add(limit, to: .default)
    var requests: [UInt32] = [0, 0, 0, 0]
    var rounds = 0
    let turn = FrameLoop.Observer(
      .beforeWaiting, order: ObserverOrder.commit,
      .onMain { _, _ in
        stage.turn()
        _ = stage.tree()
        guard zip(layers, requests).allSatisfy({ $0.gray == $1 || $1 == 0 }) else { return }
        rounds += 1
        if rounds == 200 { return loop.stop() }
        for (index, layer) in layers.enumerated() where index == 0 || random.chance(0.7) {
          layer.drawingPriority = DrawingPriority.allCases.randomElement(using: &random) ?? .normal
          layer.publishesDrawingsAlone = random.chance(0.3)
          requests[index] = UInt32(rounds)
          layer.request(Double(rounds) / 255)
        }
        stage.turn()
        if random.chance(0.3) { stage.context.waitForNewDrawings(until: loop.clock.now + .milliseconds(1)) }
      })
    loop.add(turn, to: .default)
    loop.run(mode: .default, until: loop.clock.now + .seconds(60))
    XCTAssertEqual(rounds, 200)
    turn.invalidate()
    limit.invalidate()
  }
}
