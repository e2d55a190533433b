public import Geometry
public import RenderTree

/// The reason for a rectangle of damage: a layer, and what became of it from one tree to the next.
///
/// ```swift
/// for reason in SceneDiff.reasons(from: shown, to: next, width: 1920, height: 1080) {
///   print("layer \(reason.layer): \(reason.change) in \(reason.pixels)")
/// }
/// ```
public struct DamageReason: Hashable, Sendable {
  /// The pixels that look different. The pixels of layers that moved with `layer` have a reason each, which names `layer`.
  public var pixels: IntRect
  /// The id of the layer's record; 0 for the output, when backdrop or viewport changed.
  public var layer: UInt32
  public var change: Change

  public enum Change: Hashable, Sendable {
    /// The layer was not in the tree before.
    case inserted
    /// The layer is in the tree no more.
    case removed
    /// The layer has another place among its siblings, or another parent.
    case order
    /// At least one.
    case properties(Set<Property>)
  }

  /// The properties of which damage is told apart, in the order in which they are named.
  public enum Property: String, CaseIterable, Hashable, Sendable {
    case bounds
    /// The place of the layer's middle.
    case position
    case transform
    case opacity
    case visibility
    case background
    case cornerRadius = "corner radius"
    case edgeAntialiasing = "edge antialiasing"
    case clip
    case content
    /// The part of the content that is shown, and where.
    case contentPlacement = "content placement"
    case border
    case shadow
    case innerShadow = "inner shadow"
    /// Blur and map of colours.
    case filters
    /// The pixels behind the layer, which it filters, or the filters for them.
    case filteredBackdrop = "filtered backdrop"
    case blendMode = "blend mode"
    case rasterization
    case transition
    case mask
    /// Layers inside of one that becomes a picture of its own, or the first or last of a group's.
    case sublayers
    /// The colour behind the root.
    case backdrop
    /// The place of the tree on the output.
    case viewport
  }
}

extension DamageReason.Change: CustomStringConvertible {
  public var description: String {
    switch self {
    case .inserted: "inserted"
    case .removed: "removed"
    case .order: "order"
    case .properties(let properties):
      DamageReason.Property.allCases.filter(properties.contains).map(\.rawValue).joined(separator: ", ")
    }
  }
}

/// The place of a cause in two trees: the indices of one layer's record, −1 where it has none.
struct DamageCause: BitwiseCopyable {
  var old: Int32
  var new: Int32

  static let output = DamageCause(old: -1, new: -1)
  static func removed(_ index: Int) -> DamageCause { DamageCause(old: Int32(index), new: -1) }
  static func inserted(_ index: Int) -> DamageCause { DamageCause(old: -1, new: Int32(index)) }
  static func changed(_ old: Int, _ new: Int) -> DamageCause { DamageCause(old: Int32(old), new: Int32(new)) }
  /// True for one by `filteredBackdrop(of:)`.
  var isFilteredBackdrop: Bool { old == -2 }
  /// The layer is the same, but what it filters behind it is not.
  static func filteredBackdrop(of index: Int) -> DamageCause { DamageCause(old: -2, new: Int32(index)) }
}

/// Takes the rectangles that a comparison of two trees finds.
protocol DamageSink {
  /// - Parameter cause: the layer that changed. Where one moves, it is the cause for all layers in it.
  mutating func add(_ pixels: IntRect, from cause: DamageCause)
}

extension DamageCollector: DamageSink {
  @inline(__always)
  mutating func add(_ pixels: IntRect, from cause: DamageCause) { add(pixels) }
}

/// Keeps the causes, to look at both trees again when the comparison is over.
struct DamageCauses: DamageSink {
  var causes: [(pixels: IntRect, cause: DamageCause)] = []

  mutating func add(_ pixels: IntRect, from cause: DamageCause) { causes.append((pixels, cause)) }

  var rects: [IntRect] { causes.map(\.pixels) }

  func reasons(from old: TreeSnapshot, to new: TreeSnapshot) -> [DamageReason] {
    let (oldIDs, newIDs) = (Set(old.records.map(\.id)), Set(new.records.map(\.id)))
    return causes.map { pixels, cause in
      switch (Int(cause.old), Int(cause.new)) {
      case (-1, -1):
        var properties: Set<DamageReason.Property> = []
        if old.backdrop != new.backdrop { properties.insert(.backdrop) }
        if old.viewport != new.viewport { properties.insert(.viewport) }
        return DamageReason(pixels: pixels, layer: 0, change: .properties(properties))
      case (-2, let index):
        return DamageReason(
          pixels: pixels, layer: new.records[index].id, change: .properties([.filteredBackdrop]))
      case (-1, let index):
        let id = new.records[index].id
        return DamageReason(pixels: pixels, layer: id, change: oldIDs.contains(id) ? .order : .inserted)
      case (let index, -1):
        let id = old.records[index].id
        return DamageReason(pixels: pixels, layer: id, change: newIDs.contains(id) ? .order : .removed)
      case (let oldIndex, let newIndex):
        let properties = RenderRecord.differences(
          (old.records[oldIndex], old.sides[oldIndex]), (new.records[newIndex], new.sides[newIndex]))
        return DamageReason(pixels: pixels, layer: new.records[newIndex].id, change: .properties(properties))
      }
    }
  }
}

extension RenderRecord {
  /// The properties in which two records of one layer differ. Where none does, layers inside of it do.
  fileprivate static func differences(
    _ old: (record: RenderRecord, sides: SideValues), _ new: (record: RenderRecord, sides: SideValues)
  ) -> Set<DamageReason.Property> {
    var result: Set<DamageReason.Property> = []
    func compare<Value: Equatable>(_ property: DamageReason.Property, _ value: (RenderRecord) -> Value) {
      if value(old.record) != value(new.record) { result.insert(property) }
    }
    compare(.bounds) { $0.bounds }
    compare(.transform) { [$0.transform.a, $0.transform.b, $0.transform.c, $0.transform.d] }
    compare(.opacity) { $0.opacity }
    compare(.visibility) { $0.flags.contains(.hidden) }
    compare(.background) { $0.backgroundColor }
    compare(.cornerRadius) { $0.cornerRadius }
    compare(.clip) { $0.flags.contains(.masksToBounds) }
    compare(.mask) { $0.flags.intersection([.masked, .mask]) }
    compare(.transform) { $0.flags.contains(.singleSided) }
    compare(.content) { $0.content }
    let (before, after) = (old.sides.effects?.parts, new.sides.effects?.parts)
    func compare<Value: Equatable>(
      _ property: DamageReason.Property, _ value: KeyPath<RenderEffects.Parts, Value>
    ) {
      let none = RenderEffects.Parts()
      if (before ?? none)[keyPath: value] != (after ?? none)[keyPath: value] { result.insert(property) }
    }
    compare(.contentPlacement, \.placement)
    compare(.contentPlacement, \.cut)
    compare(.cornerRadius, \.corners)
    compare(.edgeAntialiasing, \.smoothEdges)
    compare(.border, \.border)
    compare(.shadow, \.shadow)
    compare(.innerShadow, \.innerShadow)
    compare(.filters, \.blurRadius)
    compare(.filters, \.colorMatrix)
    compare(.filteredBackdrop, \.backdropBlurRadius)
    compare(.filteredBackdrop, \.backdropColorMatrix)
    compare(.blendMode, \.blendMode)
    compare(.transform, \.homography)
    compare(.rasterization, \.rasterizationScale)
    compare(.transition, \.transition)
    if old.record.transform != new.record.transform {
      // A layer that turns or grows about its middle stays where it is, but for rounding.
      let middles = [old.record, new.record].map { $0.transform.apply($0.bounds.center) }
      let isMoved = max(abs(middles[0].x - middles[1].x), abs(middles[0].y - middles[1].y)) > 1e-6
      if isMoved || result.isDisjoint(with: [.bounds, .transform]) { result.insert(.position) }
    }
    return result.isEmpty ? [.sublayers] : result
  }
}
