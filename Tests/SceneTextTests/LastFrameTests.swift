import Framepace
import FramepaceTesting
import SceneText
import TestLength
import XCTest

/// A text that is taken after the frame at a time renders to that frame, also where an animation stands at its end or fills the time after it.
@preconcurrency @MainActor final class LastFrameTests: XCTestCase {
  func testAnimationsThatAreOverComeBackWhereTheyAreSeen() throws {
    for seed in UInt64(runSeed)..<UInt64(runSeed + (isLongRun ? 1000 : 40)) {
      var random = SplitMix64(seed: seed)
      func quarters(_ range: ClosedRange<Int64>) -> Nanoseconds { .milliseconds(250 * .random(in: range, using: &random)) }
      let root = Layer(frame: Rect(x: 0, y: 0, width: 40, height: 30))
      var layers = [root]
      for _ in 0..<4 {
        let layer = Layer(frame: Rect(x: 4, y: Double.random(in: 0...20, using: &random), width: 8, height: 8))
        layer.backgroundColor = Color(red: .random(in: 0...1, using: &random), green: 1, blue: 0.5)
        (layer.speed, layer.timeOffset) = ([0, 0, 0.5, 1, -1].randomElement(using: &random) ?? 0, quarters(0...4))
        for _ in 0..<2 {
          var move = BasicAnimation(.positionX, from: .random(in: 0...40, using: &random), to: 30, duration: quarters(1...3))
          move.beginTime = random.chance(0.8) ? .zero + quarters(0...2) : nil
          move.fillMode = MediaTiming.FillMode.allCases.randomElement(using: &random) ?? .removed
          move.isRemovedOnCompletion = random.chance(0.7)
          layer.add(move)
        }
        layers.randomElement(using: &random)?.addSublayer(layer)
        layers.append(layer)
      }
      let time = quarters(0...4)
      func frame(_ root: Layer, start: (MonotonicTime) -> Void) throws -> (pixels: [UInt8], text: String) {
        let renderer = try OfflineRenderer(root: root, width: 40, height: 30, frames: 1, from: time)
        defer { renderer.invalidate() }
        renderer.engine.context.lastFrameTime = renderer.start + time
        start(renderer.start)
        let image = try XCTUnwrap(try renderer.nextFrame()?.image)
        return (image.pixels, try Scene.text(of: root, origin: renderer.start))
      }
      let original = try frame(root) { root.beginTime = $0 }
      let scene = try Scene(text: original.text)
      let copy = try frame(scene.root) { scene.start(at: $0) }
      guard original.pixels == copy.pixels else { return XCTFail("seed \(seed) at \(time)\n\(original.text)") }
    }
  }
}
