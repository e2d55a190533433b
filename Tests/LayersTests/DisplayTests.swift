import Geometry
import LinuxSystem
import Raster
import RenderTree
import XCTest

@testable import Layers

@preconcurrency @MainActor final class DisplayTests: XCTestCase {
  func testBitmapIsAsFineAsTheOutput() throws {
    let layer = RecordingLayer("layer")
    layer.bounds = Rect(x: 100, y: 50, width: 10.3, height: 4)
    layer.onDraw = { $0.fill(Rect(x: 100, y: 50, width: 1, height: 1), color: .white) }
    let stage = Stage(scale: 2)
    stage.root.addSublayer(layer)
    layer.setNeedsDisplay()
    stage.turn()
    let image = try XCTUnwrap(layer.contents)
    XCTAssertEqual([image.width, image.height], [21, 8], "a part of a pixel is a pixel")
    XCTAssertEqual(image.row(1).load(fromByteOffset: 4, as: UInt32.self), 0xFFFF_FFFF, "drawn in the layer's coordinates")
    XCTAssertEqual(image.row(2).load(fromByteOffset: 4, as: UInt32.self), 0)
    let place = stage.contentRect(ofRecordAt: 1)
    XCTAssertEqual(place.minX, 100)
    XCTAssertEqual(place.width, 10.5, accuracy: 1e-9, "a pixel of it is a pixel of the output")
    XCTAssertEqual(place.height, 4, accuracy: 1e-9)
    (layer.contentsGravity, layer.contentsCenter) = (.right, Rect(x: 0.5, y: 0.5, width: 0, height: 0))
    XCTAssertEqual(
      layer.sideValues.effects.contentRect(in: layer.bounds).minX, 100, accuracy: 1e-9, "of the size it was drawn for")
    layer.contentsGravity = .resize
    XCTAssertEqual(layer.sideValues.effects?.parts.cut.scale, 2)

    stage.context.scale = 3
    stage.turn()
    XCTAssertEqual(layer.contents?.width, 31, "drawn again")
    layer.contentsScale = 1
    layer.setNeedsDisplay()
    stage.turn()
    XCTAssertEqual(layer.contents?.width, 11)
    stage.context.scale = 1
    stage.turn()
    XCTAssertEqual(layer.draws, 3, "one with a scale of its own is not drawn again")
  }

  func testSetContentsAreMeasuredByTheirScale() throws {
    let stage = Stage()
    stage.root.contents = try Bitmap(width: 40, height: 20).freeze(isOpaque: true)
    stage.root.contentsGravity = .topLeft
    stage.turn()
    XCTAssertEqual(stage.contentRect(ofRecordAt: 0), Rect(x: 0, y: 0, width: 40, height: 20))
    stage.root.contentsScale = 2
    stage.turn()
    XCTAssertEqual(stage.contentRect(ofRecordAt: 0), Rect(x: 0, y: 0, width: 20, height: 10))
  }

  /// A part of a pixel is one more, but not what rounding made of a whole number.
  func testPixelsAreCounted() {
    for (length, scale, pixels) in [(0.8 * 3, 1.25, 3), (2.41, 1.25, 4), (8, 1.5, 12), (8.1, 1.5, 13), (1e-9, 1.5, 1)] {
      let target = DrawingTarget(bounds: Rect(x: 0, y: 0, width: length, height: length), scale: scale)
      XCTAssertEqual([target?.width, target?.height], [pixels, pixels], "\(length) at \(scale)")
    }
    XCTAssertGreaterThan(0.8 * 3 * 1.25, 3)
  }

  func testTooLargeALayerIsDrawnCoarser() {
    let layer = RecordingLayer("layer")
    layer.bounds = Rect(x: 0, y: 0, width: 1_000_000, height: 2)
    let stage = Stage()
    stage.root.addSublayer(layer)
    layer.setNeedsDisplay()
    stage.turn()
    XCTAssertEqual(layer.contents?.width, Bitmap.maximumSide)
    XCTAssertEqual(stage.contentRect(ofRecordAt: 1).width, 1_000_000, accuracy: 1e-3)
  }

  /// A layer of any size is drawn in bounded time and memory.
  func testALayerOfTooManyPixelsIsDrawnCoarser() throws {
    for length in [10_000, 1e9, 1e300] {
      let target = try XCTUnwrap(DrawingTarget(bounds: Rect(x: 0, y: 0, width: length, height: length), scale: 1))
      XCTAssertEqual([target.width, target.height], [8192, 8192])
      XCTAssertEqual(target.scale * length, 8192, accuracy: 1e-6)
    }
    // As many pixels as may be.
    let most = try XCTUnwrap(DrawingTarget(bounds: Rect(x: 0, y: 0, width: 4096, height: 16_384), scale: 1))
    XCTAssertEqual([Double(most.width), Double(most.height), most.scale], [4096, 16_384, 1])
  }

  func testDelegate() {
    let stage = Stage()
    let layer = Layer(frame: Rect(x: 0, y: 0, width: 2, height: 2))
    let delegate = Painter()
    layer.delegate = delegate
    stage.root.addSublayer(layer)
    layer.setNeedsLayout()
    layer.setNeedsDisplay()
    stage.turn()
    XCTAssertEqual(delegate.log, ["layout", "draw"])
    XCTAssertEqual(layer.contents?.base.load(as: UInt32.self), 0xFFFF_FFFF)
    delegate.displaysItself = true
    layer.setNeedsDisplay()
    stage.turn()
    XCTAssertEqual(delegate.log, ["layout", "draw", "display"])
    XCTAssertNil(layer.contents)
  }

  /// A shape is content of its own: no bitmap is drawn, also for a layer without a size.
  func testShapeLayer() throws {
    let (stage, layer) = Stage.showing(ShapeLayer())
    func shape() throws -> ShapeContent {
      stage.turn()
      let tree = stage.context.renderTree(at: .zero)
      let index = try XCTUnwrap(tree.records.firstIndex { $0.id == layer.id })
      return try XCTUnwrap(tree.sides[index].content as? ShapeContent)
    }
    layer.path = .rect(Rect(x: 5, y: 5, width: 10, height: 10))
    Transaction.withoutActions { layer.fillColor = Color(hex: 0xFF0000) }
    let red = try shape()
    XCTAssertEqual(red.parts.path, layer.path)
    XCTAssertEqual(red.parts.fillColor, Color(hex: 0xFF0000))
    XCTAssertNil(red.parts.strokeColor)
    XCTAssertTrue(red.drawnBounds(in: .zero, nil).contains(Point(5.5, 14.5)))
    XCTAssertFalse(red.drawnBounds(in: .zero, nil).contains(Point(3, 10)))
    Transaction.withoutActions {
      layer.fillColor = Color(hex: 0xFF0000)
      layer.position = Point(3, 4)
    }
    XCTAssertTrue(try shape() === red, "neither the same colour nor another place is another shape")
    Transaction.withoutActions {
      layer.strokeColor = .white
      layer.strokeStyle = StrokeStyle(width: 4)
      layer.strokeEnd = 0.5
    }
    XCTAssertEqual(try shape().parts.strokeEnd, 0.5)
    XCTAssertTrue(try shape().drawnBounds(in: .zero, nil).contains(Point(3.1, 10)))
    XCTAssertNil(layer.contents)
  }

  /// Paths of the same structure change point by point, and others at once; setting one begins no animation.
  func testAnimatedPaths() throws {
    let (stage, layer) = Stage.showing(ShapeLayer(frame: Rect(x: 0, y: 0, width: 20, height: 20)))
    (layer.shadowOpacity, layer.shadowPath) = (1, .rect(Rect(x: 0, y: 0, width: 4, height: 4)))
    stage.turn()
    layer.removeAllAnimations()
    layer.path = try Path(svg: "M0 0L10 0C1 2 3 4 5 6Q7 8 9 10Z")
    layer.shadowPath = .rect(Rect(x: 0, y: 0, width: 8, height: 8))
    XCTAssertEqual(layer.animationKeys, [])
    let target = try Path(svg: "M2 4L20 6C3 6 5 8 9 8Q9 10 9 20Z")
    layer.add(BasicAnimation(AnimatableKey<Path>.path, to: target, duration: .seconds(1)), forKey: "path")
    layer.add(
      BasicAnimation(.shadowPath, to: .rect(Rect(x: 8, y: 0, width: 8, height: 16)), duration: .seconds(1)), forKey: "shadow"
    )
    stage.turn()
    let begin = stage.now
    func sides(_ milliseconds: Int64) throws -> SideValues {
      let tree = stage.context.renderTree(at: begin + .milliseconds(milliseconds))
      return tree.sides[try XCTUnwrap(tree.records.firstIndex { $0.id == layer.id })]
    }
    func path(_ milliseconds: Int64) throws -> Path? { (try sides(milliseconds).content as? ShapeContent)?.parts.path }
    XCTAssertEqual(try path(500)?.svg, "M1 2L15 3C2 4 4 6 7 7Q8 9 9 15Z")
    XCTAssertEqual(try sides(500).effects?.parts.shadow?.path, .rect(Rect(x: 4, y: 0, width: 8, height: 12)))
    XCTAssertEqual(try path(1100), layer.path)
    let other = Path.rect(Rect(x: 1, y: 2, width: 3, height: 4))
    layer.add(BasicAnimation(AnimatableKey<Path>.path, to: other, duration: .seconds(1)), forKey: "path")
    stage.turn()
    XCTAssertEqual(try path(1), other)
  }

  /// The numbers of a shape animate by themselves, and a frame with the same ones shows the same shape.
  func testAnimatedShape() throws {
    let (stage, layer) = Stage.showing(ShapeLayer(frame: Rect(x: 0, y: 0, width: 20, height: 20)))
    layer.path = .circle(center: Point(10, 10), radius: 5)
    layer.strokeColor = .white
    stage.turn()
    layer.add(BasicAnimation(.strokeEnd, from: 0, to: 1, duration: .seconds(1)), forKey: "end")
    layer.add(BasicAnimation(.lineWidth, from: 2, to: 6, duration: .seconds(1)), forKey: "width")
    stage.turn()
    let begin = stage.now
    func shape(_ milliseconds: Int64) throws -> ShapeContent {
      let tree = stage.context.renderTree(at: begin + .milliseconds(milliseconds))
      let index = try XCTUnwrap(tree.records.firstIndex { $0.id == layer.id })
      return try XCTUnwrap(tree.sides[index].content as? ShapeContent)
    }
    let half = try shape(500)
    XCTAssertEqual(half.parts.strokeEnd, 0.5, accuracy: 1e-9)
    XCTAssertEqual(half.parts.strokeStyle.width, 4, accuracy: 1e-9)
    XCTAssertEqual(half.parts.strokeColor, .white)
    XCTAssertEqual(try shape(750).parts.strokeEnd, 0.75, accuracy: 1e-9)
    XCTAssertEqual(try shape(1100).parts.strokeEnd, 1)
    layer.removeAllAnimations()
    layer.add(BasicAnimation(.lineWidth, from: 6, to: 6, duration: .seconds(1)), forKey: "width")
    stage.turn()
    let still = try shape(300)
    XCTAssertEqual(still.parts.strokeStyle.width, 6)
    XCTAssertTrue(try shape(600) === still, "the same numbers are the same shape")
    layer.removeAllAnimations()
    layer.add(BasicAnimation(.fillColor, from: .black, to: .white, duration: .seconds(1)), forKey: "color")
    stage.turn()
    let (early, late) = (try shape(200), try shape(800))
    XCTAssertNotEqual(early.parts.fillColor, late.parts.fillColor)
    XCTAssertEqual(
      [early.fillNumber, early.strokeNumber], [late.fillNumber, late.strokeNumber], "what it covers stays the same")
  }

  func testTextLayer() throws {
    let face = try FontFace(path: "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf")
    let layer = TextLayer()
    let stage = Stage()
    stage.root.addSublayer(layer)
    XCTAssertEqual(layer.preferredSize, .zero)
    layer.string = "Hill"
    layer.font = Font(face, size: 20)
    XCTAssertEqual(layer.preferredSize.width, TextLine("Hill", font: Font(face, size: 20)).width.rounded(.up))
    layer.bounds = Rect(x: 0, y: 0, width: 200, height: 40)
    stage.turn()
    let left = layer.inkRange
    XCTAssertLessThan(left.lowerBound, 4)
    XCTAssertLessThan(left.upperBound, 45)
    layer.alignment = .right
    stage.turn()
    XCTAssertGreaterThan(layer.inkRange.lowerBound, 155)
    XCTAssertGreaterThan(layer.inkRange.upperBound, 195)
    layer.alignment = .center
    stage.turn()
    XCTAssertEqual(Double(layer.inkRange.lowerBound + layer.inkRange.upperBound) / 2, 100, accuracy: 2)

    layer.string = "A line that is much too long for its layer to be seen"
    layer.bounds.size.width = 100
    layer.alignment = .left
    stage.turn()
    let whole = layer.contents
    XCTAssertLessThan(layer.inkRange.upperBound, 100)
    layer.truncation = .none
    stage.turn()
    XCTAssertFalse(layer.contents === whole)
    XCTAssertEqual(layer.inkRange.upperBound, 100, accuracy: 3)
    layer.font = nil
    stage.turn()
    XCTAssertTrue(layer.inkRange.isEmpty)
  }

  /// A layout rounds to pixels: a layer that became less than one narrower than its text still shows all of it.
  func testTextIsNotTruncatedForLessThanAPixel() throws {
    let face = try FontFace(path: "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf")
    let line = TextLine("Over hill, over dale", font: Font(face, size: 20))
    for (scale, missing, isWhole) in [(1.0, 0.9, true), (1, 1.1, false), (1.25, 0.7, true), (1.25, 0.9, false)] {
      let layer = TextLayer()
      (layer.string, layer.font) = ("Over hill, over dale", Font(face, size: 20))
      let stage = Stage(scale: scale)
      stage.root.addSublayer(layer)
      func contents(_ truncation: TextLayer.Truncation) -> [UInt32] {
        layer.truncation = truncation
        layer.bounds = Rect(x: 0, y: 0, width: line.width - missing, height: 30)
        stage.turn()
        guard let image = layer.contents else { return [] }
        return (0..<image.height).flatMap { y in
          (0..<image.width).map { image.row(y).load(fromByteOffset: $0 * 4, as: UInt32.self) }
        }
      }
      XCTAssertEqual(contents(.end) == contents(.none), isWhole, "\(missing) points at \(scale)")
    }
  }
}

private final class Painter: LayerDelegate {
  var log: [String] = []
  var displaysItself = false

  func layoutSublayers(of layer: Layer) { log.append("layout") }

  func display(_ layer: Layer) {
    if displaysItself {
      log.append("display")
      layer.contents = nil
    } else {
      layer.displayByDrawing()
    }
  }

  func draw(_ layer: Layer, in context: DrawingContext) {
    log.append("draw")
    context.fill(color: .white)
  }
}

extension Layer {
  fileprivate func pixel(_ x: Int, _ y: Int) -> UInt32? {
    contents.map { $0.row(y).load(fromByteOffset: x * 4, as: UInt32.self) }
  }

  /// The range of the columns that contain ink.
  fileprivate var inkRange: Range<Int> {
    guard let contents else { return 0..<0 }
    let columns = (0..<contents.width).filter { x in (0..<contents.height).contains { pixel(x, $0) != 0 } }
    guard let first = columns.first, let last = columns.last else { return 0..<0 }
    return first..<(last + 1)
  }
}
