package import Geometry
public import RenderTree

/// Finds the pixels in which two trees may look different.
///
/// A layer is recognised by its id among the children of one parent; one that has another
/// parent, or another place among its siblings, counts as removed there and added here. Keep the value from frame to frame:
/// it uses again the memory that it allocated for the first ones.
public struct SceneDiff {
  private var comparison = TreeComparison(DamageCollector())

  public init() {}

  /// Adds to `region` the pixels of an output of `width` × `height` that `new` may show differently from `old`.
  public mutating func damage(
    from old: TreeSnapshot, to new: TreeSnapshot, width: Int, height: Int, into region: inout DamageRegion
  ) {
    let output = IntRect(x: 0, y: 0, width: width, height: height)
    comparison.compare(old, new, on: output)
    if !comparison.damage.isEmpty, new.filtersBackdrop {
      // Only the causes tell which layers lie behind another.
      let causes = Self.causes(from: old, to: new, width: width, height: height)
      for (pixels, cause) in causes.causes where cause.isFilteredBackdrop { comparison.damage.add(pixels, from: cause) }
    }
    comparison.damage.finish(output: output, into: &region)
  }

  /// The rectangles of which `damage` makes a region for the same trees, each with its reason. It takes the time of a second
  /// diff, and allocates.
  public static func reasons(from old: TreeSnapshot, to new: TreeSnapshot, width: Int, height: Int) -> [DamageReason] {
    causes(from: old, to: new, width: width, height: height).reasons(from: old, to: new)
  }

  /// The same rectangles without their reasons.
  package static func rects(from old: TreeSnapshot, to new: TreeSnapshot, width: Int, height: Int) -> [IntRect] {
    causes(from: old, to: new, width: width, height: height).rects
  }

  private static func causes(from old: TreeSnapshot, to new: TreeSnapshot, width: Int, height: Int) -> DamageCauses {
    var comparison = TreeComparison(DamageCauses())
    let output = IntRect(x: 0, y: 0, width: width, height: height)
    comparison.compare(old, new, on: output)
    comparison.damage.addFilteredBackdrops(in: new, on: output)
    return comparison.damage
  }
}
