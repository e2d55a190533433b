import FrameTiming
import FramepaceTesting
import Geometry
import XCTest

@testable import Framepace

/// The damage of the last frames, on manual time.
@preconcurrency @MainActor final class DamageLogTests: XCTestCase {
  private static let rate = RefreshRate(hertz: 100) ?? .hertz60

  /// Layers of 4 × 4 pixels, which move by four columns in each frame.
  private final class Movers {
    let stage: ManualStage<VirtualDisplay>
    private let link: DisplayLink
    private(set) var column = 0

    /// - Parameter starts: the places of the layers before they move.
    @MainActor
    init(starts: [Point] = [Point(0, 0), Point(320, 396)]) throws {
      let stage = try ManualStage(width: 640, height: 400, rate: DamageLogTests.rate)
      let layers = starts.map { start in
        let layer = Layer()
        layer.anchorPoint = .zero
        layer.bounds = Rect(x: 0, y: 0, width: 4, height: 4)
        layer.position = start
        layer.backgroundColor = .white
        stage.root.addSublayer(layer)
        return layer
      }
      var column = 0
      self.stage = stage
      link = stage.engine.makeDisplayLink { _ in
        column += 4
        Transaction.withoutActions {
          for (index, layer) in layers.enumerated() { layer.position.x = starts[index].x + Double(column % 300) }
        }
      }
    }

    /// The log of a run.
    @MainActor
    func log(frames: Int, for time: Nanoseconds) -> DamageLog {
      var log = DamageLog(frames: frames)
      let output = stage.engine.output
      let observation = output.observe { event in if case .committed(let frame) = event { log.add(frame, of: output) } }
      stage.run(for: time)
      observation.invalidate()
      return log
    }

    @MainActor
    func end() {
      link.invalidate()
      stage.engine.invalidate()
    }
  }

  /// A frame's rectangles are those that the layers left and came to, in each corner; frames before the last four are not kept.
  func testTheRectanglesOfFrames() throws {
    let movers = try Movers()
    defer { movers.end() }
    let log = movers.log(frames: 4, for: .milliseconds(200))
    let frames = movers.stage.frames
    XCTAssertGreaterThan(frames.count, 15)
    var last: IntRect?
    // One more was handed over, and is not seen yet.
    for frame in frames.suffix(3) {
      let detail = try XCTUnwrap(log.detail(of: frame))
      XCTAssertEqual([detail.width, detail.height], [640, 400])
      XCTAssertTrue(detail.isOf(frame))
      let rects = detail.damage.sorted { $0.minY < $1.minY }
      XCTAssertEqual(rects.map { [$0.minY, Int32($0.height), Int32($0.width)] }, [[0, 4, 8], [396, 4, 8]])
      XCTAssertEqual(detail.damage.reduce(0) { $0 + $1.area }, frame.damagePixels)
      if let last { XCTAssertEqual(rects[0].minX, last.minX + 4) }
      last = rects[0]
    }
    XCTAssertNil(log.detail(of: frames[frames.count - 5]))
  }

  /// Frames with many rectangles are kept as long. The layers lie so far apart that no two rectangles become one.
  func testManyRectangles() throws {
    let movers = try Movers(starts: (0..<12).map { Point(Double(50 * $0), Double(7 * $0 % 12 * 33)) })
    defer { movers.end() }
    let log = movers.log(frames: 4, for: .milliseconds(200))
    for frame in movers.stage.frames.suffix(3) {
      XCTAssertGreaterThan(try XCTUnwrap(log.detail(of: frame)).damage.count, 8)
    }
  }

  /// The first frame changes everything.
  func testTheFirstFrame() throws {
    let movers = try Movers()
    defer { movers.end() }
    let log = movers.log(frames: 4, for: .milliseconds(15))
    let frame = try XCTUnwrap(movers.stage.frames.first)
    XCTAssertEqual(log.detail(of: frame)?.damage, [IntRect(x: 0, y: 0, width: 640, height: 400)])
  }
}
