import Framepace
import FramepaceTesting
import Glibc
import XCTest

/// A state may have values for as many layers as a scene has.
@preconcurrency @MainActor final class ManyTargetsTests: XCTestCase {
  /// Sixteen times as many targets take about sixteen times as long to play and to print, and not 256 times.
  func testTheTimeGrowsWithTheNumberOfTargets() throws {
    let (few, many) = (200, 3200)
    // The fastest of several, on a machine with other work.
    let times = try (0..<3).map { _ in (few: try Self.times(few), many: try Self.times(many)) }
    for (index, name) in ["playing", "printing"].enumerated() {
      let (few, many) = (times.map { $0.few[index] }.min() ?? 0, times.map { $0.many[index] }.min() ?? 0)
      XCTAssertLessThan(many / few, 16 * 4, name)
    }
  }

  private static func times(_ count: Int) throws -> [Double] {
    let layers = (0..<count).map { "layer a\($0) {}\n" }.joined()
    func state(_ opacity: Double) -> String { (0..<count).map { "a\($0) { opacity \(opacity) }\n" }.joined() }
    let animations = (0..<count).map { "a\($0) { basic opacity { duration 1s } }\n" }.joined()
    let scene = try Scene(
      text: "layer {\n\(layers)\nstate a {\n\(state(0.5))}\nstate b {\n\(state(0.25))}\nstateTransition {\n\(animations)}\n}"
    )
    let picture = Picture(scene.root, width: 4, height: 4)
    picture.commit(at: .zero + .seconds(1))
    let playing = processorTime {
      for state in ["a", "b", nil, "a"] { scene.root.state = state }
    }
    XCTAssertEqual(scene.root.sublayers.last?.opacity, 0.5)
    var text = ""
    let printing = try processorTime { text = try Scene.text(of: scene.root) }
    XCTAssertTrue(text.contains("inState a"))
    return [playing, printing]
  }
}
