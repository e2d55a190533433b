import Framepace
import FramepaceTesting
import KMSTesting
import XCTest

@testable import KMS

/// Something moves where nobody sees it: the screen ticks, and is not flipped.
final class UndamagedFrameTests: XCTestCase {
  func testAnAnimationOutOfSightTicksWithoutFlips() throws {
    try onMain {
      for (hasVBlanks, isAtomic) in [(true, true), (true, false), (false, true), (false, false)] {
        let place = "vblanks \(hasVBlanks), atomic \(isAtomic)"
        let stage = CardStage(hasVBlanks: hasVBlanks, isAtomic: isAtomic)
        let display = try stage.openDisplay()
        let root = Layer()
        let layer = Layer()
        layer.frame = Rect(x: 1000, y: 0, width: 8, height: 8)
        layer.backgroundColor = .white
        root.addSublayer(layer)
        let engine = Engine(display: display, root: root, loop: stage.loop)
        var ticks = 0
        engine.output.observe { if case .tick = $0 { ticks += 1 } }.keep()
        stage.run(for: .milliseconds(200))
        let start = FrameLoop.Timer(
          fireTime: stage.clock.now,
          .onMain { _ in layer.add(BasicAnimation(.cornerRadius, from: 0, to: 4, duration: .seconds(3)), forKey: "turn") })
        stage.loop.add(start, to: .default)
        stage.run(for: .milliseconds(200))
        let flips = stage.card.callCount(of: .commit) + stage.card.callCount(of: .pageFlip)
        ticks = 0
        stage.run(for: .seconds(2))
        XCTAssertEqual(Double(ticks), 120, accuracy: 1, place)
        XCTAssertEqual(stage.card.callCount(of: .commit) + stage.card.callCount(of: .pageFlip), flips, place)
        stage.run(for: .seconds(2))
        ticks = 0
        stage.run(for: .seconds(5))
        XCTAssertEqual(ticks, 0, "\(place): it ticks at rest")
        engine.invalidate()
      }
    }
  }
}
