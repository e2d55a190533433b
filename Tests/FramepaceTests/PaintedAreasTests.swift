import FramepaceTesting
import XCTest

@testable import Framepace

@preconcurrency @MainActor final class PaintedAreasTests: XCTestCase {
  /// A translucent square of 10 × 10 that moves by 4 on a coloured root: 14 × 10 pixels differ each time, and a buffer lacks those
  /// of two moves.
  func testFramesAreCounted() throws {
    let stage = try ManualStage(width: 200, height: 100, rate: .hertz60)
    let areas = stage.engine.measureAreas()
    stage.root.backgroundColor = Color(hex: 0x203040)
    let square = Layer(frame: Rect(x: 20, y: 20, width: 10, height: 10))
    square.backgroundColor = Color(hex: 0xFFFFFF).withAlpha(0.5)
    stage.root.addSublayer(square)
    for _ in 0..<10 {
      stage.run(for: .milliseconds(50))
      Transaction.withoutActions { square.position.x += 4 }
    }
    let rows = Dictionary(uniqueKeysWithValues: areas.rows(of: 10).map { ($0.kind, $0) })
    XCTAssertEqual(rows[.dirty]?.p50, 140)
    XCTAssertEqual(rows[.dirty]?.maximum, 20_000)
    XCTAssertEqual(rows[.painted]?.p50, 180)
    XCTAssertEqual(rows[.painted]?.maximum, 20_000)
    XCTAssertEqual(try XCTUnwrap(rows[.paintedRatio]?.p50), 180 / 140, accuracy: 1e-9)
    // The root on the whole rectangle, the square on its own pixels.
    XCTAssertEqual(try XCTUnwrap(rows[.overdraw]?.p50), 280 / 180, accuracy: 1e-9)
    XCTAssertNil(areas.rows(of: 0)[0].p50)
    // The first frames alone: one, and the middle between two.
    XCTAssertEqual(areas.rows(of: 1)[0].p50, 20_000)
    XCTAssertEqual(areas.rows(of: 2)[0].p50, (20_000 + 140) / 2)
  }

  /// A frame that paints all anew counts as one that changes all, also where nothing is seen.
  func testAllIsDirtyAfterAReset() throws {
    let stage = try ManualStage(width: 40, height: 30, rate: .hertz60)
    let areas = stage.engine.measureAreas()
    let square = Layer(frame: Rect(x: 4, y: 4, width: 10, height: 10))
    square.backgroundColor = .white
    stage.root.addSublayer(square)
    stage.run(for: .milliseconds(50))
    XCTAssertEqual(areas.rows(of: 1)[0].p50, 1200)
  }

  /// The first frames are the same of each kind, also where a renderer did not count some of them.
  func testAFrameWithoutACountKeepsItsPlace() throws {
    let areas = PaintedAreas()
    for layerPixels in [0, 100, 300] {
      var record = FrameRecord()
      (record.paintedPixels, record.layerPixels) = (100, layerPixels)
      areas.add(record)
    }
    func overdraw(_ frames: Int) throws -> PaintedAreas.Row {
      try XCTUnwrap(areas.rows(of: frames).first { $0.kind == .overdraw })
    }
    XCTAssertNil(try overdraw(1).p50)
    XCTAssertEqual(try overdraw(2).maximum, 1)
    XCTAssertEqual(try overdraw(3).maximum, 3)
  }

  /// A frame is counted at the end of the turn that handed it over.
  func testAFrameIsCountedAtTheTurnsEnd() throws {
    let stage = try ManualStage(width: 40, height: 30, rate: .hertz60)
    let areas = stage.engine.measureAreas()
    func isCounted() -> Bool { areas.rows(of: 1)[0].p50 != nil }
    var counted: [Bool] = []
    stage.engine.output.observe { event in
      if case .committed = event { counted.append(isCounted()) }
    }.keep()
    let afterCommit = FrameLoop.Observer(
      [.beforeWaiting, .exit], order: ObserverOrder.afterCommit,
      .onMain { _, _ in if counted.count == 1 { counted.append(isCounted()) } })
    stage.loop.add(afterCommit, to: .common)
    stage.turn()
    XCTAssertEqual(counted, [false, false])
    XCTAssertTrue(isCounted())
  }

  /// Frames are the same with the inspector as without.
  func testCountingChangesNoFrame() throws {
    func frames(_ isCounted: Bool) throws -> [String] {
      let stage = try ManualStage(width: 96, height: 64, rate: .hertz60)
      let layers = RandomLayers(in: stage.root, seed: 5, count: 10, images: try RandomLayers.images(seed: 1))
      stage.engine.waitsForDrawings = true
      if isCounted { _ = stage.engine.measureAreas() }
      for _ in 0..<60 {
        layers.edit()
        stage.run(for: .milliseconds(20))
      }
      defer { stage.engine.invalidate() }
      return stage.frames.map { "\($0)" }
    }
    XCTAssertEqual(try frames(true), try frames(false))
  }
}
