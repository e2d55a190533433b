public import Geometry

/// The pixels to paint again: at most `capacity` rectangles, none of which overlap.
///
/// A region always covers the pixels that were added, and few more: rectangles are united only where that wastes few pixels or
/// where there would be too many. So far corners never become one box, nor much damage the whole screen. The value holds its
/// rectangles itself: nothing is ever allocated.
///
/// ```swift
/// var damage = DamageRegion()
/// damage.add(IntRect(x: 10, y: 10, width: 80, height: 20))
/// for rect in damage.rects { print(rect) }
/// ```
public struct DamageRegion: Sendable {
  /// The most rectangles that a region is made of.
  public static let capacity = 32

  /// Two rectangles become one when that adds no more than this many pixels: the cost of one more rectangle.
  ///
  /// The benchmark `damage` measures that cost: 2,200 to 16,000 pixels of 500 layers, the fewer, the more a pixel costs (opaque,
  /// translucent, rounded, images). A screen's pixels cost more, since they are copied to memory that is not cached; and from
  /// 6,000 pixels on, more than half as many again are painted of 40 small rectangles that are scattered over a screen.
  static let worthwhileWaste = 4_096

  /// The rectangles of a region, in no order.
  public struct Rects: RandomAccessCollection, Sendable {
    private var storage = InlineArray<32, IntRect>(repeating: .zero)
    public fileprivate(set) var count = 0

    public var startIndex: Int { 0 }
    public var endIndex: Int { count }

    public fileprivate(set) subscript(position: Int) -> IntRect {
      get { storage[position] }
      set { storage[position] = newValue }
    }

    fileprivate mutating func append(_ rect: IntRect) {
      storage[count] = rect
      count += 1
    }

    fileprivate mutating func remove(at position: Int) -> IntRect {
      let removed = storage[position]
      count -= 1
      storage[position] = storage[count]
      return removed
    }
  }

  public private(set) var rects = Rects()

  public init() {}

  /// The pixels of one rectangle.
  public init(_ rect: IntRect) {
    add(rect)
  }

  public var isEmpty: Bool { rects.count == 0 }

  /// The number of pixels.
  public var area: Int {
    var sum = 0
    for index in 0..<rects.count { sum += rects[index].area }
    return sum
  }

  /// The smallest rectangle around all of them.
  public var boundingBox: IntRect {
    var box = IntRect.zero
    for index in 0..<rects.count { box = box.union(rects[index]) }
    return box
  }

  public mutating func removeAll() {
    rects.count = 0
  }

  /// True if a pixel of `rect` is in the region.
  public func intersects(_ rect: IntRect) -> Bool {
    for index in 0..<rects.count where rects[index].intersects(rect) { return true }
    return false
  }

  /// Adds the pixels of another region.
  public mutating func add(_ other: DamageRegion) {
    for index in 0..<other.rects.count { add(other.rects[index]) }
  }

  /// Removes the pixels outside `bounds`.
  public mutating func clip(to bounds: IntRect) {
    var index = 0
    while index < rects.count {
      let clipped = rects[index].intersection(bounds)
      if clipped.isEmpty {
        _ = rects.remove(at: index)
      } else {
        rects[index] = clipped
        index += 1
      }
    }
  }

  /// Adds the pixels of a rectangle.
  public mutating func add(_ rect: IntRect) {
    if rect.isEmpty { return }
    // Pieces that were cut off wait here.
    var pending = Pending()
    pending.push(rect)
    while let piece = pending.pop() { insert(piece, &pending) }
  }

  /// Adds the pixels of a rectangle that lie outside of another.
  public mutating func add(_ rect: IntRect, outside hole: IntRect) {
    rect.forEachPart(outside: hole) { add($0) }
  }

  private mutating func insert(_ piece: IntRect, _ pending: inout Pending) {
    var piece = piece
    var index = 0
    while index < rects.count {
      let other = rects[index]
      if other.contains(piece) { return }
      if piece.contains(other) {
        _ = rects.remove(at: index)
        continue
      }
      if isWorthUniting(piece, index) || (piece.intersects(other) && !pending.mayCut(beside: rects.count)) {
        _ = rects.remove(at: index)
        piece = piece.union(other)
        index = 0  // The larger one may touch what the smaller one did not.
        continue
      }
      if piece.intersects(other) {
        if piece.area <= other.area {
          pending.push(differenceOf: piece, and: other)
          return
        }
        _ = rects.remove(at: index)
        pending.push(differenceOf: other, and: piece)
        continue
      }
      index += 1
    }
    if rects.count == Self.capacity { piece = makeRoom(for: piece) }
    rects.append(piece)
  }

  /// True if `piece` and the rectangle at `index` are cheaper as one, and that one touches no third, which would be cut again.
  private func isWorthUniting(_ piece: IntRect, _ index: Int) -> Bool {
    guard waste(piece, rects[index]) <= Self.worthwhileWaste else { return false }
    let united = piece.union(rects[index])
    for third in 0..<rects.count where third != index && rects[third].intersects(united) { return false }
    return true
  }

  /// The number of pixels in the union of both that are in neither.
  private func waste(_ one: IntRect, _ other: IntRect) -> Int {
    one.union(other).area - one.area - other.area + one.intersection(other).area
  }

  /// Unites the two rectangles, of all and `piece`, that waste the least, and with them those that they then touch.
  ///
  /// - Returns: the rectangle that is still to be appended.
  private mutating func makeRoom(for piece: IntRect) -> IntRect {
    var least = (waste: Int.max, first: 0, second: 0)
    for first in 0..<rects.count {
      let withPiece = waste(rects[first], piece)
      if withPiece < least.waste { least = (withPiece, first, -1) }
      for second in 0..<first {
        let together = waste(rects[first], rects[second])
        if together < least.waste { least = (together, first, second) }
      }
    }
    let first = rects.remove(at: least.first)
    if least.second < 0 { return absorbing(first.union(piece)) }
    let united = absorbing(first.union(rects.remove(at: least.second)))
    if united.intersects(piece) { return absorbing(united.union(piece)) }
    rects.append(united)
    return piece
  }

  /// Removes the rectangles that `rect` touches and unites them with it, until it touches no other.
  private mutating func absorbing(_ rect: IntRect) -> IntRect {
    var rect = rect
    var index = 0
    while index < rects.count {
      if rects[index].intersects(rect) {
        rect = rect.union(rects.remove(at: index))
        index = 0
      } else {
        index += 1
      }
    }
    return rect
  }

  /// Pieces on their way into the region.
  private struct Pending {
    private var storage = InlineArray<64, IntRect>(repeating: .zero)
    private var count = 0
    private var cuts = 0

    /// True if the pieces of another difference fit into a region that has `count` rectangles already, and so few have been
    /// taken yet that an end is in sight. Otherwise what overlaps is united without regard to waste, which leaves fewer
    /// rectangles each time. (Cutting in a full region makes room for each piece by uniting others, which are cut next:
    /// hundreds of cuts for one rectangle.)
    func mayCut(beside rects: Int) -> Bool { rects + count + 4 <= DamageRegion.capacity && cuts < 256 }

    mutating func push(_ rect: IntRect) {
      storage[count] = rect
      count += 1
    }

    mutating func pop() -> IntRect? {
      if count == 0 { return nil }
      count -= 1
      return storage[count]
    }

    /// Pushes the parts of `rect` outside `hole`, which it overlaps.
    mutating func push(differenceOf rect: IntRect, and hole: IntRect) {
      cuts += 1
      rect.forEachPart(outside: hole) { push($0) }
    }
  }
}

/// The rectangles of one diff on their way into a region. A few go there as they are; very many are first united by the cell
/// of the output in which they lie, so that the time stays in proportion to their number.
package struct DamageCollector {
  /// From this many rectangles on cells are used.
  private static let many = 96
  /// A cell's side in pixels, 1 << `cellShift`.
  private static let cellShift: Int32 = 8

  private var rects: ContiguousArray<IntRect> = []
  private var cells: ContiguousArray<IntRect> = []

  package init() {}

  package var isEmpty: Bool { rects.isEmpty }

  package mutating func add(_ rect: IntRect) {
    rects.append(rect)
  }

  /// Moves the gathered rectangles into `region`. All lie inside `output`, which starts at 0, 0.
  package mutating func finish(output: IntRect, into region: inout DamageRegion) {
    if rects.count <= Self.many {
      for rect in rects { region.add(rect) }
    } else {
      let columns = Int((output.maxX - 1) >> Self.cellShift) + 1
      let rows = Int((output.maxY - 1) >> Self.cellShift) + 1
      cells.removeAll(keepingCapacity: true)
      cells.append(contentsOf: repeatElement(.zero, count: columns * rows))
      for rect in rects {
        let column = Int((rect.minX + rect.maxX) >> (Self.cellShift + 1))
        let row = Int((rect.minY + rect.maxY) >> (Self.cellShift + 1))
        cells[row * columns + column] = cells[row * columns + column].union(rect)
      }
      for cell in cells { region.add(cell) }
    }
    rects.removeAll(keepingCapacity: true)
  }
}
