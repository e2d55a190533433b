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
    var lookAtDrawing: (() -> Void)?

    override func layoutSublayers() { look?() }
    override func draw(in context: DrawingContext) { lookAtDrawing?() }
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

    // The layer is known while it is laid out or displayed, and at no other time.
    XCTAssertNil(fact("layer"))
    var (laidOut, drawn): ([String?], [String?]) = ([], [])
    layers[0].name = "chart"
    layers[2].name = String(repeating: "ä", count: 30)
    for layer in layers {
      layer.frame = Rect(x: 0, y: 0, width: 10, height: 10)
      layer.look = { laidOut.append(fact("layer")) }
      layer.lookAtDrawing = { drawn.append(fact("layer")) }
      layer.setNeedsLayout()
      layer.setNeedsDisplay()
    }
    stage.turn()
    let names = ["`chart`, a LookingLayer", "a LookingLayer", "`\(String(repeating: "ä", count: 20))`, a LookingLayer"]
    XCTAssertEqual(laidOut, names.map { "\($0), which is laid out" })
    XCTAssertEqual(drawn, names.map { "\($0), which is displayed" })
    XCTAssertNil(fact("layer"))

    // In a timer.
    let timer = FrameLoop.Timer(fireTime: stage.clock.now + .milliseconds(1), .onMain { _ in seen = [fact("engine") ?? ""] })
    stage.loop.add(timer, to: .common)
    stage.run(for: .milliseconds(10))
    XCTAssertEqual(seen, ["in callbacks"])
  }

  func testAHangInARegionKnowsItsName() throws {
    let facts = try ManualStage(width: 64, height: 48, rate: .hertz60).engine.hangFacts()
    func region() -> String? { facts().first { $0.name == "region" }?.value }
    XCTAssertNil(region())
    try FrameProfile.region("load") {
      XCTAssertEqual(region(), "load")
      XCTAssertThrowsError(
        try FrameProfile.region("decode") {
          XCTAssertEqual(region(), "decode")
          throw CancellationError()
        })
      XCTAssertEqual(region(), "load")
    }
    XCTAssertNil(region())
    // Another thread's region is none of the main thread's.
    let thread = try LoopThread(name: "worker")
    let isSeen = try thread.loop.performAndWait { FrameProfile.region("other") { facts().contains { $0.name == "region" } } }
    XCTAssertFalse(isSeen)
    thread.stop()
  }
}
