import Compositing
import Geometry
import Raster
import RenderTree

/// Measures frames in which a list scrolls by seven pixels, on two buffers: most of it is copied. The peer paints all of it anew.
@MainActor
enum ScrollBenchmarks {
  static let all = Benchmark(name: "scroll", peers: ["painted"]) {
    try [list(), allocations()] + kinds() + sizes()
  }

  fileprivate enum Row {
    case everything
    case images
    case text
  }

  /// Rows of an image, two lines and a separator on a screen of 1920 × 1080.
  private static func list() throws -> Result {
    try compare("a list on 1920×1080", .everything, width: 1920, height: 1080, limit: 1)
  }

  private static func allocations() throws -> Result {
    let list = try ScrolledList(.everything, width: 1920, height: 1080, isMoved: true)
    return Harness.allocations("allocations in a frame of it", list.showNext)
  }

  private static func kinds() throws -> [Result] {
    // Text is painted nearly as fast as it is copied, pictures are not.
    try [("images", Row.images, 0.5), ("text", .text, nil)].map { name, row, limit in
      try compare("the same of \(name)", row, width: 1920, height: 1080, limit: limit)
    }
  }

  /// `SceneDiff` leaves small lists alone.
  private static func sizes() throws -> [Result] {
    try [256, 384, 512].map { side in try compare("text on \(side)×\(side)", .text, width: side, height: side) }
  }

  private static func compare(_ name: String, _ row: Row, width: Int, height: Int, limit: Double? = nil) throws -> Result {
    let ours = try ScrolledList(row, width: width, height: height, isMoved: true)
    let peer = try ScrolledList(row, width: width, height: height, isMoved: false)
    return Harness.compare(name, repeats: 30, limit: limit, ours: ours.showNext, peer: peer.showNext)
  }

  fileprivate static func trees(_ row: Row, width: Int, height: Int) throws -> [TreeSnapshot] {
    let font = try SystemFonts.font(.sans, size: 15)
    let bitmap = try Bitmap(width: 40, height: 40)
    for y in 0..<40 {
      let pixels = bitmap.row(y).assumingMemoryBound(to: UInt32.self)
      for x in 0..<40 { pixels[x] = x / 10 % 2 == y / 10 % 2 ? 0x8040_2010 : 0xFF80_4020 }
    }
    let image = bitmap.freeze()
    let rowHeight = 56
    let rowWidth = Double(width)
    var rows: [(RenderRecord, SideValues)] = []
    func append(_ x: Double, _ y: Double, _ width: Double, _ height: Double, _ color: UInt32, _ sides: SideValues) {
      let id = UInt32(rows.count + 2)
      rows.append(
        (
          RenderRecord(
            id: id, subtreeEnd: id, transform: .translation(x: x, y: y),
            bounds: Rect(x: 0, y: 0, width: width, height: height), backgroundColor: color), sides
        ))
    }
    func text(_ string: String, _ width: Double) -> SideValues {
      let run = TextRun(TextLine(string, font: font), at: Point(0, 16), color: .black)
      return SideValues(
        text: TextContent(
          TextParts(run), area: Rect(x: 0, y: 0, width: width, height: 22), width: Int(width), height: 22, scale: 1))
    }
    for index in 0..<height / rowHeight + 10 {
      let y = Double(index * rowHeight)
      if row == .images || row == .everything {
        for column in 0..<(row == .images ? width / 48 : 1) {
          append(8 + Double(column) * 48, y + 8, 40, 40, 0, SideValues(image: image))
        }
      }
      if row == .text || row == .everything {
        let sentence = "Row \(index): what is written in it, long enough to fill some of its line. "
        append(60, y + 4, rowWidth - 70, 22, 0, text(sentence, rowWidth - 70))
        append(60, y + 28, rowWidth - 70, 22, 0, text(sentence + sentence, rowWidth - 70))
      }
      if row == .everything { append(60, y + 55, rowWidth - 60, 1, 0xFFC0_C0C0, SideValues()) }
    }
    return (0..<32).map { step in
      var tree = TreeSnapshot()
      let origin = Double(step * 7)
      tree.append(
        RenderRecord(
          id: 1, subtreeEnd: UInt32(rows.count + 1), transform: .translation(x: 0, y: -origin),
          bounds: Rect(x: 0, y: origin, width: rowWidth, height: Double(height)), backgroundColor: 0xFFFF_FFFF,
          flags: .masksToBounds), SideValues())
      for (record, sides) in rows { tree.append(record, sides) }
      return tree
    }
  }
}

/// A list on two buffers that scrolls down and up again. It is an object: the optimiser of Swift 6.3 frees variables of a closure that
/// is returned while the closure still uses them.
@MainActor
private final class ScrolledList {
  private let trees: [TreeSnapshot]
  private let bitmaps: [Bitmap]
  private var lacked: [FrameChange]
  private let compositor = Compositor()
  private var diff = SceneDiff()
  private let isMoved: Bool
  private var index = 0

  /// - Parameter isMoved: false to paint what moved.
  init(_ row: ScrollBenchmarks.Row, width: Int, height: Int, isMoved: Bool) throws {
    trees = try ScrollBenchmarks.trees(row, width: width, height: height)
    bitmaps = [try Bitmap(width: width, height: height), try Bitmap(width: width, height: height)]
    lacked = bitmaps.map { FrameChange(DamageRegion(IntRect(x: 0, y: 0, width: $0.width, height: $0.height))) }
    self.isMoved = isMoved
  }

  func showNext() {
    let last = 2 * trees.count - 2
    let (old, new) = (index % last, (index + 1) % last)
    let (shown, next) = (trees[min(old, last - old)], trees[min(new, last - new)])
    let buffer = index % bitmaps.count
    var change = diff.change(from: shown, to: next, width: bitmaps[buffer].width, height: bitmaps[buffer].height)
    if !isMoved { change = FrameChange(change.written) }
    for buffer in lacked.indices { lacked[buffer].add(change) }
    compositor.render(next, change: lacked[buffer], into: bitmaps[buffer])
    lacked[buffer] = FrameChange()
    index += 1
  }
}
