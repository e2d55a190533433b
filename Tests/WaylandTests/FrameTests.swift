import Framepace
import LinuxSystem
import Raster
import Simulation
import WaylandTesting
import WindowScripts
import XCTest

@testable import Wayland

/// The frame that a window has of its own.
@preconcurrency @MainActor final class FrameTests: XCTestCase {
  private static let bare = CompositorGlobals.all.without("zxdg_decoration_manager_v1")

  private func run(
    _ globals: CompositorGlobals = FrameTests.bare, scale: Int = 120, _ body: (SeatStage, CompositorWindow) throws -> Void
  ) throws {
    let stage = try SeatStage(globals: globals, scale: scale)
    let window = try XCTUnwrap(stage.window.window)
    window.configure(width: 300, height: 130)
    stage.wait(100)
    try body(stage, window)
    stage.end()
  }

  func testTheContentIsSmallerByTheTitleBar() throws {
    for scale in [120, 150, 240] {
      try run(scale: scale) { stage, window in
        XCTAssertEqual(window.contentSize?.width, 300)
        XCTAssertEqual(window.contentSize?.height, 100)
        XCTAssertEqual(window.frameParts.count, 4)
        XCTAssertNil(window.frameFault)
        XCTAssertEqual(stage.window.display.geometry.height, 100 * scale / 120)
        // It fills the screen, and has no edges.
        window.configure(width: 400, height: 230, states: [.maximized, .activated])
        stage.wait(100)
        XCTAssertEqual(window.frameParts, [IntRect(x: 0, y: -30, width: 400, height: 30)])
        window.configure(width: 400, height: 230, states: [.fullscreen, .activated])
        stage.wait(100)
        XCTAssertEqual(window.frameParts, [])
        XCTAssertEqual(window.geometry, IntRect(x: 0, y: 0, width: 400, height: 230))
        XCTAssertEqual(window.contentSize?.height, 230)
        // Its own size is that of before.
        window.configure(width: 0, height: 0, states: [.activated])
        stage.wait(100)
        XCTAssertEqual(window.geometry, IntRect(x: 0, y: -30, width: 300, height: 130))
        XCTAssertNil(window.frameFault)
      }
    }
  }

  func testADesktopThatDrawsFramesIsLeftToIt() throws {
    try run(.all) { stage, window in
      XCTAssertEqual(window.contentSize?.height, 130)
      XCTAssertEqual(window.frameParts, [])
      XCTAssertNil(window.geometry)
    }
    // One that could, and does not.
    let stage = try SeatStage(globals: .all, decoration: .byClient)
    XCTAssertEqual(stage.window.window?.frameParts.count, 4)
    stage.end()
    try run(Self.bare.without("wl_subcompositor")) { _, window in XCTAssertEqual(window.contentSize?.height, 130) }
  }

  /// Frames of all sizes and states, at the worst moments: at no vblank does a part fit another size than the content that is seen.
  func testResizingNeverShowsAFrameOfTheWrongSize() throws {
    try run { stage, window in
      var random = SplitMix64(seed: 4)
      stage.window.animate()
      for _ in 0..<200 {
        let states: [Set<WindowState>] = [[.activated], [.resizing, .activated], [], [.maximized], [.fullscreen]]
        window.configure(
          width: .random(in: 1...400, using: &random), height: .random(in: 1...300, using: &random),
          states: states.randomElement(using: &random))
        stage.window.run(for: .microseconds(.random(in: 0...30_000, using: &random)))
        if random.chance(0.2) { stage.window.display.title = "\(random.next())" }
        if random.chance(0.2) { stage.seat.movePointer(window, x: .random(in: -20...400, using: &random), y: -10) }
      }
      stage.window.stop()
    }
  }

  func testButtonsAndTitleDoWhatTheySay() throws {
    try run { stage, window in
      @MainActor func click(_ x: Double, _ y: Double, button: UInt32 = 272) {
        stage.seat.movePointer(window, x: x, y: y)
        stage.wait()
        stage.seat.button(button, isDown: true)
        stage.wait()
        stage.seat.button(button, isDown: false)
        stage.wait(50)
      }
      click(215, -15)
      XCTAssertEqual(window.wishes, [.minimize])
      click(250, -15)
      XCTAssertEqual(window.states, [.activated, .maximized])
      XCTAssertEqual(window.frameParts.count, 1)
      let width = Double(try XCTUnwrap(window.contentSize?.width))
      click(width - 50, -15)
      XCTAssertEqual(window.states, [.activated])
      XCTAssertNil(window.frameFault)
      XCTAssertEqual(stage.window.events.filter { $0 == "close" }, [])
      click(290, -15)
      XCTAssertEqual(stage.window.events.filter { $0 == "close" }, ["close"])
      click(100, -10, button: 273)
      XCTAssertEqual(window.wishes.last, .menu(x: 100, y: 20))
      click(50, -15)
      XCTAssertEqual(window.wishes.count, 2)
      click(50, -15)
      XCTAssertEqual(window.states, [.activated, .maximized])
      stage.wait(1000)
      stage.seat.button(isDown: true)
      stage.seat.movePointer(window, x: 60, y: -15)
      stage.wait()
      XCTAssertEqual(window.wishes.last, .move)
      // The application has heard of none of it.
      XCTAssertEqual(stage.taken(), [])
    }
  }

  func testEdgesResizeAndHaveTheirCursors() throws {
    try run { stage, window in
      stage.input.cursor = .text
      for (x, y, edges, shape) in [
        (-4.0, 50.0, UInt32(4), UInt32(26)), (304, 50, 8, 26), (150, -35, 1, 27), (150, 104, 2, 27), (-4, -35, 5, 29),
        (304, 104, 10, 29), (304, -35, 9, 28), (-4, 104, 6, 28),
      ] {
        stage.seat.movePointer(window, x: x, y: y)
        stage.wait()
        XCTAssertEqual(stage.seat.cursor, .shape(shape), "\(x) \(y)")
        stage.seat.button(isDown: true)
        stage.wait()
        XCTAssertEqual(window.wishes.last, .resize(edges: edges))
        stage.seat.button(isDown: false)
      }
      stage.seat.movePointer(window, x: 50, y: -15)
      stage.wait()
      XCTAssertEqual(stage.seat.cursor, .shape(1))
      stage.seat.movePointer(window, x: 50, y: 15)
      stage.wait()
      XCTAssertEqual(stage.seat.cursor, .shape(9))
      XCTAssertEqual(stage.taken().last, "position \(50.0 / 300) 0.15")
    }
  }

  func testFingersMoveAndPress() throws {
    try run { stage, window in
      stage.seat.touchDown(0, window, x: 100, y: -10)
      stage.seat.touchUp(0)
      stage.wait()
      XCTAssertEqual(window.wishes, [.move])
      stage.seat.touchDown(0, window, x: 215, y: -10)
      stage.seat.cancelTouches()
      stage.seat.touchDown(0, window, x: 215, y: -10)
      stage.seat.touchUp(0)
      stage.wait()
      XCTAssertEqual(window.wishes, [.move, .minimize])
      XCTAssertEqual(stage.taken(), [])
    }
  }

  /// A frame that changes is shown without another frame of the content, and one that stays costs nothing.
  func testTheFrameShowsStateTitleAndPointer() throws {
    try run { stage, window in
      @MainActor func look() throws -> [UInt32] {
        stage.wait(100)
        let image = try XCTUnwrap(window.copyFrame().first)
        return (0..<image.height).flatMap { y in
          (0..<image.width).map { image.row(y).load(fromByteOffset: 4 * $0, as: UInt32.self) }
        }
      }
      var looks = [try look()]
      let shown = stage.window.shown.count
      window.configure(width: 300, height: 130, states: [])
      looks.append(try look())
      stage.window.display.title = "Another"
      looks.append(try look())
      for x in [290.0, 250, 215] {
        stage.seat.movePointer(window, x: x, y: -15)
        looks.append(try look())
        stage.seat.button(isDown: true)
        looks.append(try look())
        stage.seat.movePointer(window, x: 10, y: -15)
        stage.seat.button(isDown: false)
        stage.seat.movePointer(nil)
        XCTAssertEqual(try look(), looks[2])
      }
      XCTAssertEqual(Set(looks).count, looks.count)
      XCTAssertEqual(stage.window.shown.count, shown)
      let commits = window.commitCount
      stage.wait(1000)
      XCTAssertEqual(window.commitCount, commits)
    }
  }
}
