package import Geometry
public import RenderTree

/// Finds the pixels in which two trees may look different.
///
/// A layer is recognised by its id among the children of one parent; one that has another
/// parent, or another place among its siblings, counts as removed there and added here. Keep the value from frame to frame:
/// it uses again the memory that it allocated for the first ones.
public struct SceneDiff {
  private var comparison = TreeComparison(DamageCollector())
  private let worthwhile: WorthwhileMove

  public init() { self.init(.measured) }

  init(_ worthwhile: WorthwhileMove) {
    self.worthwhile = worthwhile
  }

  /// The pixels of an output of `width` × `height` that `new` shows elsewhere than `old` did, and those that it may show differently.
  public mutating func change(from old: TreeSnapshot, to new: TreeSnapshot, width: Int, height: Int) -> FrameChange {
    let output = IntRect(x: 0, y: 0, width: width, height: height)
    var change = FrameChange()
    let moved = comparison.compare(old, new, on: output, worthwhile)
    if moved != nil || !comparison.damage.isEmpty, new.filtersBackdrop {
      // Only the causes tell which layers lie behind another.
      let causes = Self.causes(from: old, to: new, width: width, height: height, worthwhile)
      for (pixels, cause) in causes.causes where cause.isFilteredBackdrop { comparison.damage.add(pixels, from: cause) }
    }
    change.move = moved?.move
    comparison.damage.finish(output: output, into: &change.damage)
    return change
  }

  /// The rectangles of which `change` makes its damage for the same trees, each with its reason. It takes the time of a second
  /// diff, and allocates.
  public static func reasons(from old: TreeSnapshot, to new: TreeSnapshot, width: Int, height: Int) -> [DamageReason] {
    causes(from: old, to: new, width: width, height: height).reasons(from: old, to: new)
  }

  /// The same rectangles without their reasons.
  package static func rects(from old: TreeSnapshot, to new: TreeSnapshot, width: Int, height: Int) -> [IntRect] {
    causes(from: old, to: new, width: width, height: height).rects
  }

  private static func causes(
    from old: TreeSnapshot, to new: TreeSnapshot, width: Int, height: Int, _ worthwhile: WorthwhileMove = .measured
  ) -> DamageCauses {
    var comparison = TreeComparison(DamageCauses())
    let output = IntRect(x: 0, y: 0, width: width, height: height)
    let moved = comparison.compare(old, new, on: output, worthwhile)
    comparison.damage.addFilteredBackdrops(in: new, on: output, moved)
    return comparison.damage
  }
}
