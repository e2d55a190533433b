import Geometry
import Layers

enum LayoutAxis {
  case horizontal
  case vertical
}

/// The place that a solver gives an item.
struct ItemPlace {
  var frame = Rect.zero
  /// False if the height comes from the item's own content: parts of it are not known then.
  var isHeightKnown = true
}

/// Sizes and places the items of a layer. Sizes of items include everything but their margins, as with `box-sizing: border-box`.
protocol ItemSolver {
  var items: [LayoutItem] { get }
  /// The room that the padding of each item takes: an item is not smaller.
  var paddings: [Size] { get }
  /// The size that the content of an item would like to have: see `Layer.size(fitting:)`.
  var measure: (Int, SizeProposal) -> Size { get }
  var padding: Insets { get }
  var isRightToLeft: Bool { get }

  /// True if the layout goes from right to left, or up.
  func isReversed(_ axis: LayoutAxis) -> Bool
  /// The room before an item that would be the only one, in the layout's direction.
  func staticOffset(_ axis: LayoutAxis, _ item: LayoutItem, free: Double) -> Double
  /// The places of the items in a layer of this size, of which the height may come from the items.
  func places(in size: Size, isHeightKnown: Bool) -> [ItemPlace]
  /// The size that the layer would like to have: a width between those of the least and of the most content, and the height for
  /// exactly the proposed width.
  func size(fitting proposal: SizeProposal) -> Size
}

/// An item's settings of one axis, with the margins at its beginning and end in the layout's direction.
struct ItemSide {
  /// Nil if the content or the layout gives it, and for a part of what is not known.
  var length: Double?
  /// True if nothing was set.
  var isAuto: Bool
  /// Nil for `auto`.
  var minimum: Double?
  var maximum: Double
  /// The room that the item's padding takes.
  var padding: Double
  var startMargin: LayoutMargin
  var endMargin: LayoutMargin

  /// True for a part of what is not known.
  var isUnknown: Bool { length == nil && !isAuto }
  var margins: Double { startMargin.points + endMargin.points }
  var hasAutoMargin: Bool { startMargin == .auto || endMargin == .auto }

  func clamp(_ length: Double) -> Double { max(min(length, maximum), minimum ?? 0, padding) }
}

extension ItemSolver {
  /// True if the axis goes from right to left for what follows the text and not the layout.
  func isTextReversed(_ axis: LayoutAxis) -> Bool { axis == .horizontal && isRightToLeft }

  func padding(_ axis: LayoutAxis) -> Double {
    axis == .horizontal ? padding.left + padding.right : padding.top + padding.bottom
  }

  func inner(_ outer: Double, _ axis: LayoutAxis) -> Double { max(outer - padding(axis), 0) }

  func side(_ index: Int, _ axis: LayoutAxis, of whole: Double?) -> ItemSide {
    let item = items[index]
    let padding = axis == .horizontal ? paddings[index].width : paddings[index].height
    let (margin, isReversed) = (item.margin, isReversed(axis))
    let (first, last) = axis == .horizontal ? (margin.left, margin.right) : (margin.top, margin.bottom)
    let (length, least, most) =
      axis == .horizontal
      ? (item.width, item.minWidth, item.maxWidth) : (item.height, item.minHeight, item.maxHeight)
    return ItemSide(
      length: length?.points(of: whole).map { max($0, padding) }, isAuto: length == nil,
      minimum: least.map { $0.points(of: whole) ?? 0 },
      maximum: most?.points(of: whole) ?? .infinity, padding: padding, startMargin: isReversed ? last : first,
      endMargin: isReversed ? first : last)
  }

  /// The indices of the items that take room, in the order in which they are placed.
  var placedItems: [Int] {
    let placed = items.indices.filter { items[$0].absolute == nil }
    return placed.contains { items[$0].order != 0 }
      ? placed.sorted { (items[$0].order, $0) < (items[$1].order, $1) } : placed
  }

  // MARK: Sizes that follow from the content

  /// The width of an item's content, or the one that its ratio gives.
  func contentWidth(of index: Int, isLeast: Bool, _ vertical: ItemSide, height: Double?) -> Double {
    if let height, let width = items[index].transferred(height, to: .horizontal) {
      return items[index].minWidth == nil ? max(width, measure(index, SizeProposal(width: 0)).width) : width
    }
    let width = measure(index, SizeProposal(width: isLeast ? 0 : nil, height: height)).width
    return limited(width, items[index], by: vertical, along: .horizontal)
  }

  /// A length within the limits of the other axis, where a ratio relates them.
  func limited(_ length: Double, _ item: LayoutItem, by other: ItemSide, along axis: LayoutAxis) -> Double {
    guard let most = item.transferred(other.maximum, to: axis), let least = item.transferred(other.minimum ?? 0, to: axis)
    else {
      return length
    }
    return max(min(length, most), least)
  }

  /// The width that an item takes in the available one.
  func fittingWidth(of index: Int, available: Double, _ vertical: ItemSide, height: Double? = nil) -> Double {
    let most = contentWidth(of: index, isLeast: false, vertical, height: height)
    return most <= available ? most : max(available, contentWidth(of: index, isLeast: true, vertical, height: height))
  }

  func contentHeight(of index: Int, width: Double) -> Double {
    measure(index, SizeProposal(width: width)).height
  }
}

/// The aspect ratio of an item, if it is one.
extension LayoutItem {
  var ratio: Double? { aspectRatio.flatMap { $0 > 0 && $0.isFinite ? $0 : nil } }

  /// The length of the other axis that the ratio gives.
  func transferred(_ length: Double, to axis: LayoutAxis) -> Double? {
    ratio.map { axis == .horizontal ? length * $0 : length / $0 }
  }
}
