import Geometry
import Glibc
import Raster
import Testing

@testable import Compositing
@testable import RenderTree

/// Scrolls of each kind of content, and of a list with all of them.
extension ScrollTests {
  /// The pixels that are painted when a list with such rows scrolls by so many pixels; nil where nothing is moved.
  private func painted(_ content: SideValues, by distances: [Double], at place: Double = 0, scale: Double = 1) throws
    -> [Int?]
  {
    var scene = Scene()
    scene.changeRow = { row, record, sides in
      guard row % 3 == 0 else { return }
      sides = content
      record.backgroundColor = 0
      record.transform = Affine.scale(scale).concatenating(.translation(x: 10 + place, y: Double(row) * 40 + place))
      record.bounds.size = Size(60, 36)
    }
    return try distances.map { distance in
      let change = try change(scene) { $0.origin.y += distance }
      return change.move == nil ? nil : painted(change)
    }
  }

  @Test func everyKindSaysWhatMoves() throws {
    let strips = [280 * 7, 280 * 8]
    let image = try Bitmap(width: 60, height: 36) { UInt32(0xFF00_0000 | $0 * 4_000 | $1 * 70) }.freeze()
    #expect(try painted(SideValues(image: image), by: [7, 8]) == strips)
    #expect(try painted(SideValues(image: image), by: [7, 8], at: 0.25) == strips, "sampled at exact places")
    #expect(try painted(SideValues(image: image), by: [7, 8], scale: 0.5) == strips, "halved")
    let parts = RenderEffects.Parts()
    var nine = parts
    nine.cut.center = Rect(x: 0.25, y: 0.25, width: 0.5, height: 0.5)
    let small = try Bitmap(width: 8, height: 8) { UInt32(0xFF00_0000 | $0 * 4_000 | $1 * 70) }.freeze()
    #expect(try painted(SideValues(image: small, effects: RenderEffects(nine)), by: [7, 8]) == strips)

    let font = try SystemFonts.font(.sans, size: 13)
    let run = TextRun(TextLine("rows", font: font), at: Point(2.3, 20), color: .white)
    let text = TextContent(TextParts(run), area: Rect(x: 0, y: 0, width: 60, height: 36), width: 60, height: 36, scale: 1)
    #expect(try painted(SideValues(text: text), by: [7, 8]) == strips)
    var shape = ShapeContent.Parts()
    shape.path = .ellipse(in: Rect(x: 3, y: 3, width: 30, height: 20))
    shape.fillColor = .white
    #expect(try painted(SideValues(shape: ShapeContent(shape)), by: [7, 8]) == strips)

    let course = GradientContent.Course(
      .axial, from: .zero, to: Point(1, 1), stops: [Gradient.Stop(.black, at: 0), Gradient.Stop(.white, at: 1)])
    let gradient = try painted(SideValues(content: GradientContent(course)), by: [7, 8, 16])
    #expect(gradient[0] ?? 0 > strips[0] + 60 * 36, "dithered by place")
    #expect(gradient[1] == strips[1] && gradient[2] == 280 * 16, "by the size of the matrix")

    var shadowed = parts
    shadowed.shadow = Shadow(color: 0xFF00_0000, offset: Size(1, 2), radius: 4)
    #expect(try painted(SideValues(effects: RenderEffects(shadowed)), by: [7, 8]) == strips)
  }

  /// A place that rounds differently elsewhere is not moved: a third of a pixel has no end in binary.
  @Test func whatRoundsDifferentlyIsPainted() throws {
    let image = try Bitmap(width: 50, height: 30) { UInt32(0xFF00_0000 | $0 * 4_000 | $1 * 70) }.freeze()
    let third = try painted(SideValues(image: image), by: [7], at: 1 / 3)
    #expect(third[0] ?? .max >= 280 * 7)
  }

  // MARK: A list

  /// Fifty rows of an image, two lines and a separator scroll by seven pixels a frame, on two buffers: so many pixels are painted and
  /// copied.
  @Test func aListOf50RowsPaintsItsStrips() throws {
    let (width, height) = (600, 800)
    let font = try SystemFonts.font(.sans, size: 15)
    let image = try Bitmap(width: 40, height: 40) { UInt32(0xFF00_0000 | $0 * 4_000 | $1 * 70) }.freeze()
    func tree(_ origin: Double) -> TreeSnapshot {
      var tree = TreeSnapshot()
      tree.append(
        RenderRecord(
          id: 1, subtreeEnd: 201, transform: .translation(x: 0, y: -origin),
          bounds: Rect(x: 0, y: origin, width: Double(width), height: Double(height)), backgroundColor: 0xFFFF_FFFF,
          flags: .masksToBounds), SideValues())
      for row in 0..<50 {
        func append(_ part: Int, _ x: Double, _ y: Double, _ size: Size, _ color: UInt32, _ sides: SideValues) {
          let id = UInt32(2 + row * 4 + part)
          tree.append(
            RenderRecord(
              id: id, subtreeEnd: id, transform: .translation(x: x, y: Double(row) * 56 + y),
              bounds: Rect(origin: .zero, size: size), backgroundColor: color), sides)
        }
        func text(_ string: String) -> SideValues {
          SideValues(
            text: TextContent(
              TextParts(TextRun(TextLine(string, font: font), at: Point(0, 16), color: .black)),
              area: Rect(x: 0, y: 0, width: 500, height: 22), width: 500, height: 22, scale: 1))
        }
        append(0, 8, 8, Size(40, 40), 0, SideValues(image: image))
        append(1, 60, 6, Size(500, 22), 0, text("Row \(row)"))
        append(2, 60, 28, Size(500, 22), 0, text("What it says below, \(row * 37)"))
        append(3, 60, 55.5, Size(540, 0.5), 0xFF80_8080, SideValues())
      }
      return tree
    }
    var diff = SceneDiff()
    let compositor = Compositor()
    var shown = tree(0)
    let ring = [try shown.picture(width: width, height: height), try shown.picture(width: width, height: height)]
    var lacked = [FrameChange(), FrameChange()]
    var (painted, copied) = (0, 0)
    for frame in 1...40 {
      let next = tree(Double(frame * 7))
      let change = diff.change(from: shown, to: next, width: width, height: height)
      #expect(change.damage.area <= width * 7 && change.move?.rect.area == width * (height - 7))
      for reason in SceneDiff.reasons(from: shown, to: next, width: width, height: height) {
        #expect(reason.layer == 1 && change.damage.intersects(reason.pixels))
      }
      for index in lacked.indices { lacked[index].add(change) }
      let buffer = frame % 2
      compositor.render(next, change: lacked[buffer], into: ring[buffer])
      painted += lacked[buffer].damage.area
      copied += lacked[buffer].move?.rect.area ?? 0
      lacked[buffer] = FrameChange()
      let whole = try next.picture(width: width, height: height)
      #expect((0..<height).allSatisfy { memcmp(whole.row($0), ring[buffer].row($0), width * 4) == 0 }, "frame \(frame)")
      shown = next
    }
    // The first buffer lacks one frame at its first use; from then on both lack two.
    #expect(painted <= width * 7 * (1 + 39 * 2) && painted > width * 7 * 39)
    #expect(copied == width * (height - 7 + 39 * (height - 14)))
  }
}
