import Framepace
import FramepaceTesting
import Glibc
import SampleScenes
import XCTest

/// The paper of the sample `Paint`, on which its event script draws.
@preconcurrency @MainActor final class PaintTests: XCTestCase {
  private static let folder = String(#filePath.dropLast("Tests/SampleSceneTests/PaintTests.swift".count))

  private func stage() throws -> (ManualStage<VirtualDisplay>, PaintBoard) {
    let stage = try ManualStage(width: 480, height: 800, rate: .hertz60)
    let board = try PaintBoard(frame: stage.root.bounds, scale: 1, fonts: SceneFonts().library())
    stage.root.addSublayer(board)
    return (stage, board)
  }

  private func play(_ script: InputScript, on stage: ManualStage<VirtualDisplay>, for duration: Nanoseconds) {
    let player = InputPlayer(script, clock: stage.loop.clock) { stage.engine.inputRouter.receive($0) }
    player.add(to: stage.loop, mode: .common)
    player.start(at: stage.clock.now)
    stage.run(for: duration)
    player.stop()
  }

  func testFiveFingersDrawAtOnce() throws {
    let (stage, board) = try stage()
    defer { stage.engine.invalidate() }
    let script = try InputScript(contentsOf: "\(Self.folder)Samples/Paint/rainbow.input")
    play(script, on: stage, for: .seconds(5))
    XCTAssertEqual(board.strokeCount, 20)
    try GoldenImage.check(stage.display.capture(), against: "\(Self.folder)Tests/SampleSceneTests/Goldens/paint.png")
    // Nothing moves any more.
    let frames = stage.frames.count
    stage.run(for: .seconds(5))
    XCTAssertEqual(stage.frames.count, frames)
    // A tap on the button.
    let button = board.clearButton.frame
    let tap = """
      framepace input 1
      0 1 added "mouse" pointer
      0.1 1 position \(button.midX / 480) \(button.midY / 800)
      0.2 1 button BTN_LEFT down
      0.3 1 button BTN_LEFT up
      """
    play(try InputScript(tap), on: stage, for: .seconds(1))
    XCTAssertEqual(board.strokeCount, 0)
    try GoldenImage.check(stage.display.capture(), against: "\(Self.folder)Tests/SampleSceneTests/Goldens/paint-clear.png")
  }

  /// The display is turned and back: what is drawn stays as it is, where the paper is still and where it is again, and the rest is paper.
  func testThePaperHasTheSizeOfItsDisplay() throws {
    let (stage, board) = try stage()
    defer { stage.engine.invalidate() }
    play(try InputScript(contentsOf: "\(Self.folder)Samples/Paint/rainbow.input"), on: stage, for: .seconds(5))
    let before = try stage.display.capture()
    func show(_ width: Double, _ height: Double) throws -> Image {
      board.frame = Rect(x: 0, y: 0, width: width, height: height)
      stage.run(for: .milliseconds(500))
      return try stage.display.capture()
    }
    func pixel(_ image: Image, _ x: Int, _ y: Int) -> UInt32 { image.row(y).assumingMemoryBound(to: UInt32.self)[x] }
    let small = try show(300, 500)
    for y in 0..<428 {
      for x in 0..<300 where pixel(small, x, y) != pixel(before, x, y) { return XCTFail("\(x) \(y) has changed") }
    }
    let again = try show(480, 800)
    for y in 0..<800 {
      for x in 0..<480 where pixel(again, x, y) != pixel(before, x, y) { return XCTFail("\(x) \(y) is not back") }
    }
    // Larger than the display: paper is below the place of the bar.
    let large = try show(600, 900)
    for y in 0..<728 {
      for x in 0..<480 where pixel(large, x, y) != pixel(before, x, y) { return XCTFail("\(x) \(y) is not kept") }
    }
    for y in 729..<800 {
      for x in 0..<480 where pixel(large, x, y) != 0xFFFB_F8F1 { return XCTFail("\(x) \(y) is no paper") }
    }
  }

  /// A frame paints what was drawn since the last one, however much there is on the paper.
  func testALongDrawingStaysFast() throws {
    let (stage, board) = try stage()
    defer { stage.engine.invalidate() }
    var lines = ["framepace input 1", "0 1 added \"finger\" touch", "0.1 1 touch 0 down 0.5 0.4"]
    for step in 0..<1_200 {
      let (x, y) = (0.5 + 0.4 * sin(Double(step) * 0.05), 0.4 + 0.3 * cos(Double(step) * 0.031))
      lines.append("\(0.1 + Double(step) * 0.004) 1 touch 0 moved \(x) \(y)")
    }
    play(try InputScript(lines.joined(separator: "\n")), on: stage, for: .seconds(6))
    XCTAssertEqual(board.strokeCount, 1)
    XCTAssertGreaterThan(stage.frames.count, 250)
    let painted = stage.frames.dropFirst(5).map(\.paintedPixels)
    let (early, late) = (painted.prefix(100).max() ?? 0, painted.suffix(100).max() ?? 0)
    XCTAssertLessThan(late, 480 * 800 / 8)
    XCTAssertLessThan(late, 2 * early)
  }
}
