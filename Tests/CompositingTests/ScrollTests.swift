import Geometry
import Glibc
import Raster
import Testing

@testable import Compositing
@testable import RenderTree

/// Scrolls that are moves, those that are not, and what is painted all the same: after each the picture has the bytes of one that is
/// painted whole.
@Suite struct ScrollTests {
  static let (width, height) = (320, 240)
  static let output = IntRect(x: 0, y: 0, width: width, height: height)

  /// A root, a list in it that clips, rows in the list, and what lies behind and in front.
  struct Scene {
    var origin = Point(0, 0)
    var listFrame = Rect(x: 20, y: 20, width: 280, height: 200)
    var listColor: UInt32 = 0xFF20_3040
    var cornerRadius: Float = 0
    var rowCount = 12
    /// Changes the record and the side values of each row.
    var changeRow: (Int, inout RenderRecord, inout SideValues) -> Void = { _, _, _ in }
    var behind: [RenderRecord] = []
    var behindSides = SideValues()
    var front: [RenderRecord] = []
    var frontSides = SideValues()
    var listSides = SideValues()
    var opacity: Float = 1
    var rootColor: UInt32 = 0xFFF0_F0F0

    var tree: TreeSnapshot {
      var tree = TreeSnapshot()
      let count = 2 + behind.count + rowCount + front.count
      tree.append(
        RenderRecord(
          id: 1, subtreeEnd: UInt32(count), bounds: Rect(ScrollTests.output), opacity: opacity, backgroundColor: rootColor),
        SideValues())
      for (index, record) in behind.enumerated() {
        var record = record
        (record.id, record.subtreeEnd) = (UInt32(100 + index), UInt32(2 + index))
        tree.append(record, behindSides)
      }
      let first = 2 + behind.count
      tree.append(
        RenderRecord(
          id: 2, subtreeEnd: UInt32(first + rowCount),
          transform: .translation(x: listFrame.minX - origin.x, y: listFrame.minY - origin.y),
          bounds: Rect(origin: origin, size: listFrame.size), cornerRadius: cornerRadius, backgroundColor: listColor,
          flags: .masksToBounds), listSides)
      for row in 0..<rowCount {
        var record = RenderRecord(
          id: UInt32(10 + row), subtreeEnd: UInt32(first + row + 1), transform: .translation(x: 0, y: Double(row) * 40),
          bounds: Rect(x: 0, y: 0, width: 280, height: 40),
          backgroundColor: 0xFF00_0000 | UInt32(row * 1_234_567 & 0xFF_FFFF))
        var sides = SideValues()
        changeRow(row, &record, &sides)
        tree.append(record, sides)
      }
      for (index, record) in front.enumerated() {
        var record = record
        (record.id, record.subtreeEnd) = (UInt32(200 + index), UInt32(first + rowCount + index + 1))
        tree.append(record, frontSides)
      }
      return tree
    }
  }

  static func layer(_ x: Double, _ y: Double, _ width: Double, _ height: Double, _ color: UInt32) -> RenderRecord {
    RenderRecord(
      id: 0, transform: .translation(x: x, y: y), bounds: Rect(x: 0, y: 0, width: width, height: height),
      backgroundColor: color)
  }

  static let smallMoves = WorthwhileMove(pixels: 100, slowShare: 0)

  func moves(from pixels: Int) -> WorthwhileMove { WorthwhileMove(pixels: pixels, slowShare: 0) }

  /// The change of a scene, checked.
  func change(
    _ scene: Scene = Scene(), _ worthwhile: WorthwhileMove = ScrollTests.smallMoves, _ edit: (inout Scene) -> Void
  ) throws -> FrameChange {
    var next = scene
    edit(&next)
    return try change(from: scene.tree, to: next.tree, worthwhile)
  }

  func change(from old: TreeSnapshot, to new: TreeSnapshot, _ worthwhile: WorthwhileMove = ScrollTests.smallMoves)
    throws -> FrameChange
  {
    var diff = SceneDiff(worthwhile)
    let change = diff.change(from: old, to: new, width: Self.width, height: Self.height)
    let bitmap = try old.picture(width: Self.width, height: Self.height)
    Compositor().render(new, change: change, into: bitmap)
    let whole = try new.picture(width: Self.width, height: Self.height)
    for y in 0..<Self.height where memcmp(bitmap.row(y), whole.row(y), Self.width * 4) != 0 {
      Issue.record("row \(y) differs after \(change)")
      break
    }
    return change
  }

  func rect(_ x: Int, _ y: Int, _ width: Int, _ height: Int) -> IntRect {
    IntRect(x: x, y: y, width: width, height: height)
  }

  /// The pixels that are neither moved nor left alone.
  func painted(_ change: FrameChange) -> Int { change.damage.area }

  // MARK: Moves

  @Test(arguments: [(0, 7), (0, -7), (5, 0), (-3, 9)])
  func theStripThatAppearedIsPainted(x: Int, y: Int) throws {
    var scene = Scene()
    scene.origin = Point(40, 100)
    scene.rowCount = 30
    scene.changeRow = { row, record, _ in record.bounds.size.width = 900 }
    let change = try change(scene) { $0.origin += Point(Double(x), Double(y)) }
    #expect(change.move.map { ($0.dx, $0.dy) } ?? (0, 0) == (Int32(-x), Int32(-y)))
    let moved = (280 - abs(x)) * (200 - abs(y))
    #expect(change.move?.rect.area == moved)
    #expect(painted(change) == 280 * 200 - moved)
  }

  /// A layer that moves by its place, over one colour: what it leaves and where it enters is painted.
  @Test func aLayerThatMovesIsAScroll() throws {
    var scene = Scene()
    scene.rootColor = 0xFF10_2030
    let change = try change(scene) { $0.listFrame.origin.x += 6 }
    #expect(change.move?.rect == rect(26, 20, 280, 200))
    #expect(painted(change) == 6 * 200)
  }

  /// Pixels of which a layer covers a part count too.
  @Test func aLayerBetweenPixelsIsAsLargeAsThePixelsThatItTouches() throws {
    var scene = Scene()
    (scene.rootColor, scene.rowCount) = (0xFF10_2030, 0)
    scene.listFrame = Rect(x: 20.5, y: 20.5, width: 100, height: 100)
    func moved(_ pixels: Int) throws -> IntRect? {
      try change(scene, moves(from: pixels)) { $0.listFrame.origin.x += 6 }.move?.rect
    }
    #expect(try moved(101 * 101) == rect(26, 20, 101, 101))
    #expect(try moved(101 * 101 + 1) == nil)
  }

  /// Fewer pixels are painted, and so is a scroll of whole pages.
  @Test func onlyMovesThatPayAreMade() throws {
    #expect(try change(Scene(), moves(from: 280 * 200 + 1)) { $0.origin.y += 7 }.move == nil)
    #expect(try change(Scene(), moves(from: 280 * 150)) { $0.origin.y += 49 }.move != nil)
    #expect(try change(Scene(), moves(from: 280 * 150)) { $0.origin.y += 51 }.move == nil)
    #expect(try change { $0.origin.y += 300 }.move == nil)
  }

  /// Colours are filled faster than copied; clear layers are not painted at all.
  @Test func rowsOfColoursAreNotMoved() throws {
    let worthwhile = WorthwhileMove(pixels: 100, slowShare: 0.25)
    func isMoved(_ scene: Scene) throws -> Bool { try change(scene, worthwhile) { $0.origin.y += 7 }.move != nil }
    var scene = Scene()
    #expect(try !isMoved(scene))
    scene.changeRow = { _, record, _ in record.backgroundColor = 0 }
    #expect(try !isMoved(scene))
    let image = try Bitmap(width: 60, height: 36) { UInt32(0xFF00_0000 | $0 * 4_000 | $1 * 70) }.freeze()
    // A quarter of a row is 70 wide.
    for (width, pays) in [(60.0, false), (80, true)] {
      scene.changeRow = { _, record, sides in
        sides = SideValues(image: image)
        record.backgroundColor = 0
        record.bounds.size.width = width
      }
      #expect(try isMoved(scene) == pays)
      scene.changeRow = { _, record, _ in
        record.backgroundColor = 0x8000_0000
        record.bounds.size.width = width
      }
      #expect(try isMoved(scene) == pays)
    }
  }

  @Test func partsOfPixelsAreNotMoved() throws {
    #expect(try change { $0.origin.y += 7.5 }.move == nil)
    let turned = Scene()
    var (old, new) = (turned.tree, turned.tree)
    for (index, tree) in [old, new].enumerated() {
      var tree = tree
      let origin = Double(index * 7)
      tree.records[1].bounds.origin.y = origin
      tree.records[1].transform = Affine.translation(x: 0, y: -origin).concatenating(.rotation(0.1))
        .concatenating(.translation(x: 30, y: 20))
      if index == 0 { old = tree } else { new = tree }
    }
    #expect(try change(from: old, to: new).move == nil)
  }

  // MARK: Damage in a move

  /// A header and a button lie in front: they are painted, and so are the places to which they were dragged.
  @Test func layersInFrontStay() throws {
    var scene = Scene()
    scene.front = [Self.layer(20, 20, 280, 24, 0xC0FF_FFFF), Self.layer(240, 150, 32, 32, 0xFFFF_0000)]
    let change = try change(scene) { $0.origin.y += 7 }
    #expect(change.move?.rect == rect(20, 20, 280, 193))
    // The strip, the header and its lower edge one up, the button and its place above.
    for pixels in [rect(20, 213, 280, 7), rect(20, 20, 280, 24), rect(240, 143, 32, 39)] {
      #expect(change.damage.intersects(pixels))
    }
    #expect(painted(change) < 280 * 7 + 280 * 24 + 32 * 39 + 3 * 4_096)
    // One that covers most of the list leaves nothing to move.
    scene.front = [Self.layer(0, 0, 320, 160, 0x8000_0000)]
    #expect(try self.change(scene) { $0.origin.y += 7 }.move == nil)
    // One that moves at the same time.
    scene.front = [Self.layer(240, 150, 32, 32, 0xFFFF_0000)]
    let both = try self.change(scene) {
      $0.origin.y += 7
      $0.front[0].transform.ty = 90
    }
    #expect(both.move != nil)
  }

  @Test(arguments: [Float(3), 12, 40])
  func roundCornersArePainted(radius: Float) throws {
    var scene = Scene()
    scene.cornerRadius = radius
    let change = try change(scene) { $0.origin.y += 7 }
    #expect(change.move != nil)
    #expect(painted(change) < 280 * (Int(2 * radius) + 12))
  }

  /// Rows that change, come and go while the list scrolls.
  @Test func changesInAScrollArePainted() throws {
    let change = try change {
      $0.origin.y += 7
      $0.changeRow = { row, record, _ in if row == 3 { record.backgroundColor = 0xFFFF_FFFF } }
    }
    #expect(change.move != nil && painted(change) < 280 * 7 + 280 * 40 + 4_096)
    for count in [3, 14] {
      #expect(
        try self.change {
          $0.origin.y += 7
          $0.rowCount = count
        }.move != nil)
    }
  }

  /// Behind the rows two colours meet: the rows do not hide them everywhere.
  @Test func aBackgroundThatIsNotOneColourIsPainted() throws {
    var scene = Scene()
    scene.listColor = 0
    scene.behind = [Self.layer(0, 0, 100, 240, 0xFF80_0000)]
    // More than a row alone would move.
    let least = 20_000
    #expect(try change(scene, moves(from: least)) { $0.origin.y += 7 }.move == nil)
    // Translucent, over two colours.
    scene.listColor = 0x8000_0000
    #expect(try change(scene, moves(from: least)) { $0.origin.y += 7 }.move == nil)
    // An opaque list hides them, and a translucent one over one colour shows one colour.
    scene.listColor = 0xFF00_2000
    #expect(try change(scene) { $0.origin.y += 7 }.move != nil)
    scene.behind = []
    scene.listColor = 0x8000_0000
    #expect(try change(scene) { $0.origin.y += 7 }.move != nil)
    // A row that hides all of them moves with what it hides.
    scene.listColor = 0
    scene.behind = [Self.layer(0, 0, 100, 240, 0xFF80_0000)]
    scene.changeRow = { row, record, _ in
      if row == 0 { record.bounds.size.height = 900 }
    }
    scene.origin.y = 20
    #expect(try change(scene) { $0.origin.y += 7 }.move != nil)
    // The colour behind changes with the scroll.
    scene = Scene()
    let recoloured = try change(scene) {
      $0.origin.y += 7
      $0.listColor = 0xFF00_FF00
    }
    #expect(recoloured.move == nil)
  }

  // MARK: Borders and shadows

  private static func sides(_ change: (inout RenderEffects.Parts) -> Void) -> SideValues {
    var parts = RenderEffects.Parts()
    change(&parts)
    return SideValues(effects: RenderEffects(parts))
  }

  /// Rows with borders and shadows are copied as others are, whether a shadow is that of the shape or of a picture.
  @Test func rowsWithBordersAndShadowsAreMoved() throws {
    let shadow = Shadow(color: 0x8000_0000, offset: Size(0, 2), radius: 4)
    let decorations = [
      Self.sides { $0.border = Border(width: 2, color: 0xFFFF_FFFF) }, Self.sides { $0.shadow = shadow },
      Self.sides { $0.innerShadow = shadow },
    ]
    for decoration in decorations {
      for color: UInt32 in [0xFF50_6070, 0x8030_4050] {
        var scene = Scene()
        scene.changeRow = { row, record, sides in
          record.backgroundColor = color
          record.cornerRadius = 6
          record.bounds.size.height = 30
          sides = decoration
        }
        let moved = try change(scene) { $0.origin.y += 7 }
        #expect(moved.move != nil && painted(moved) == 280 * 7, "\(decoration), \(color)")
        // A row that changes is painted with its shadow.
        let changed = try change(scene) {
          let old = $0.changeRow
          $0.origin.y += 7
          $0.changeRow = { row, record, sides in
            old(row, &record, &sides)
            if row == 2 { record.backgroundColor = 0xFF12_3456 }
          }
        }
        #expect(changed.move != nil && painted(changed) < 280 * (7 + 60) + 4_096)
      }
    }
  }

  /// The border of a list stays where it is while its rows are moved inside of it, and so does one that is gone, or another one, next.
  @Test func theBorderOfAListStays() throws {
    let border = Self.sides { $0.border = Border(width: 2, color: 0xFFFF_FFFF) }
    var scene = Scene()
    scene.listSides = border
    let moved = try change(scene) { $0.origin.y += 7 }
    #expect(moved.move?.rect == rect(22, 22, 276, 189))
    #expect(try change(scene) { ($0.origin.y, $0.listSides) = (7, SideValues()) }.move == nil)
    scene.listSides = Self.sides { $0.innerShadow = Shadow(color: 0xFF00_0000, offset: .zero, radius: 3) }
    #expect(try change(scene) { $0.origin.y += 7 }.move == nil)
    // A border behind the rows is not one colour.
    scene = Scene()
    (scene.listColor, scene.behind, scene.behindSides) = (0, [Self.layer(0, 60, 320, 60, 0xFF40_4040)], border)
    scene.changeRow = { _, record, _ in record.bounds.size.height = 30 }
    #expect(try change(scene, moves(from: 280 * 40)) { $0.origin.y += 7 }.move == nil)
  }

  @Test func groupsAreNotMoved() throws {
    var scene = Scene()
    scene.opacity = 0.5
    #expect(try change(scene) { $0.origin.y += 7 }.move == nil)
  }

  // MARK: Filters of what lies behind

  private static let glass: SideValues = {
    var parts = RenderEffects.Parts()
    parts.backdropBlurRadius = 4
    return SideValues(effects: RenderEffects(parts))
  }()

  /// The pixels that are copied change what a layer blurs, also where it lies beside them and nothing is painted near.
  @Test func aBlurInFrontIsPaintedWhereItReachesWhatMoved() throws {
    var scene = Scene()
    scene.frontSides = Self.glass
    // The list begins at 20 and is copied down to 213; the blur reaches twelve pixels.
    scene.front = [Self.layer(100, 2, 60, 16, 0x2020_2020)]
    let beside = try change(scene) { $0.origin.y += 7 }
    #expect(beside.move?.rect == rect(20, 20, 280, 193))
    #expect(beside.damage.intersects(rect(100, 17, 60, 1)))
    #expect(!beside.damage.intersects(rect(170, 2, 60, 16)) && painted(beside) < 280 * 7 + 60 * 16 + 4_096)
    scene.front = [Self.layer(100, 10, 60, 40, 0x2020_2020)]
    #expect(try change(scene) { $0.origin.y += 7 }.damage.intersects(rect(100, 10, 60, 10)))
    scene.front = [Self.layer(100, 0, 60, 4, 0x2020_2020)]
    #expect(try !change(scene) { $0.origin.y += 7 }.damage.intersects(rect(100, 0, 60, 4)), "too far away")
  }

  @Test func aBlurInAListIsPaintedAndOneAroundOrBehindItIsNotCopied() throws {
    var scene = Scene()
    scene.changeRow = { row, record, sides in
      if row == 3 { (record.backgroundColor, sides) = (0x4040_4040, Self.glass) }
    }
    let inside = try change(scene) { $0.origin.y += 7 }
    #expect(inside.move != nil && inside.damage.intersects(rect(20, 150, 280, 1)))
    scene = Scene()
    (scene.listColor, scene.listSides) = (0x4040_4040, Self.glass)
    #expect(try change(scene) { $0.origin.y += 7 }.move == nil)
    #expect(try change(scene) { $0.listFrame.origin.x += 6 }.move == nil)
    // Behind rows that leave gaps.
    scene = Scene()
    (scene.listColor, scene.behind, scene.behindSides) = (0, [Self.layer(0, 0, 320, 240, 0x4040_4040)], Self.glass)
    scene.changeRow = { _, record, _ in record.bounds.size.height = 30 }
    #expect(try change(scene, moves(from: 280 * 40)) { $0.origin.y += 7 }.move == nil)
  }
}
