import Framepace
import FramepaceTesting
import XCTest

/// The facts that an engine tells a monitor of hangs.
///
/// XCTest: these run on the process's main thread.
@preconcurrency @MainActor final class HangFactTests: XCTestCase {
  /// A layer that looks at the facts while it is laid out, as a monitor does while it hangs there.
  private final class LookingLayer: Layer {
    var look: (() -> Void)?

    override func layoutSublayers() { look?() }
  }

  func testAHangInLayoutKnowsTheFrame() throws {
    let stage = try ManualStage(width: 64, height: 48, rate: .hertz60)
    let facts = stage.engine.hangFacts()
    func fact(_ name: String) -> String? { facts().first { $0.name == name }?.value }
    XCTAssertEqual(fact("last frames"), "none")
    let layers = (0..<3).map { _ in LookingLayer() }
    for layer in layers { stage.root.addSublayer(layer) }
    stage.run(for: .milliseconds(100))
    XCTAssertEqual(fact("engine"), "after the commit")
    XCTAssertTrue(fact("last frames")?.hasSuffix(" frames") == true, fact("last frames") ?? "")

    let transactions = try XCTUnwrap(fact("transaction").flatMap { Int($0.dropFirst("number ".count)) })
    var seen: [String] = []
    layers[0].look = { seen = ["engine", "dirty layers", "transaction"].map { fact($0) ?? "" } }
    for layer in layers { layer.setNeedsLayout() }
    layers[1].setNeedsDisplay()
    stage.turn()
    XCTAssertEqual(seen[0], "in layout and drawing")
    XCTAssertEqual(seen[1], "3 to lay out, 1 to draw, at the last commit")
    XCTAssertEqual(seen[2], "number \(transactions + 1)")

    // In a timer.
    let timer = FrameLoop.Timer(fireTime: stage.clock.now + .milliseconds(1), .onMain { _ in seen = [fact("engine") ?? ""] })
    stage.loop.add(timer, to: .common)
    stage.run(for: .milliseconds(10))
    XCTAssertEqual(seen, ["in callbacks"])
  }
}
