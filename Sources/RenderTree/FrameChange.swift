public import Geometry

/// Pixels that show what other pixels showed before.
public struct PixelMove: Hashable, BitwiseCopyable, Sendable {
  /// The pixels after the move.
  public var rect: IntRect
  /// The distance from where they were to where they are.
  public var dx: Int32
  public var dy: Int32

  public init(_ rect: IntRect, dx: Int32, dy: Int32) {
    (self.rect, self.dx, self.dy) = (rect, dx, dy)
  }

  /// The pixels before the move.
  public var source: IntRect { rect.offsetBy(dx: -dx, dy: -dy) }
}

/// The way from an older picture to a newer one: first the pixels that only moved are copied, then the damage is painted.
///
/// A scrolled list moves all that it showed before and shows again; its damage is the strip that appeared.
///
/// ```swift
/// let list = IntRect(x: 0, y: 0, width: 600, height: 793)
/// let strip = IntRect(x: 0, y: 793, width: 600, height: 7)
/// compositor.render(tree, change: FrameChange(DamageRegion(strip), move: PixelMove(list, dx: 0, dy: -7)), into: bitmap)
/// ```
public struct FrameChange: Sendable {
  public var damage: DamageRegion
  /// The source of the move lies on the picture.
  public var move: PixelMove?

  public init(_ damage: DamageRegion = DamageRegion(), move: PixelMove? = nil) {
    (self.damage, self.move) = (damage, move)
  }

  /// True if both pictures are the same.
  public var isEmpty: Bool { move == nil && damage.isEmpty }

  /// The pixels that are copied or painted.
  public var written: DamageRegion {
    var written = damage
    if let move { written.add(move.rect) }
    return written
  }

  /// Adds the way from the newer picture to another one, which is newer still.
  ///
  /// Moves of pixels that were moved before add up. Where two moves have different pixels, what one of them leaves alone is
  /// painted.
  public mutating func add(_ next: FrameChange) {
    if let last = next.move { add(last) }
    damage.add(next.damage)
    if let move, damage.rects.contains(where: { $0.contains(move.rect) }) { self.move = nil }
  }

  private mutating func add(_ last: PixelMove) {
    var painted = DamageRegion()
    for rect in damage.rects {
      painted.add(rect, outside: last.rect)
      painted.add(rect.intersection(last.source).offsetBy(dx: last.dx, dy: last.dy))
    }
    if let first = move {
      let arrived = first.rect.offsetBy(dx: last.dx, dy: last.dy)
      painted.add(first.rect, outside: last.rect)
      painted.add(last.rect, outside: arrived)
      let both = last.rect.intersection(arrived)
      // One that leads back stays: the picture before it showed these pixels elsewhere.
      move = both.isEmpty ? nil : PixelMove(both, dx: first.dx + last.dx, dy: first.dy + last.dy)
    } else {
      move = last
    }
    damage = painted
  }
}
