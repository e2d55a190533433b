import Geometry
import Layers

/// Sizes and places the items of a stack: CSS Flexible Box Layout Level 1, section 9. Its steps are named where they are taken. Sizes of
/// items include everything but their margins, as with `box-sizing: border-box`.
///
/// The width of a stack is always known when its items are placed; the height may be what comes out.
struct FlexSolver {
  let rules: StackRules
  let items: [LayoutItem]
  /// The room that the padding of each item takes: an item is not smaller, and this part of it does not shrink.
  let paddings: [Size]
  /// The size that the content of an item would like to have: see `Layer.size(fitting:)`.
  let measure: (Int, SizeProposal) -> Size

  init(rules: StackRules, items: [LayoutItem], paddings: [Size], measure: @escaping (Int, SizeProposal) -> Size) {
    (self.rules, self.items, self.paddings, self.measure) = (rules, items, paddings, measure)
  }

  /// The place of an item.
  struct Place {
    var frame = Rect.zero
    /// False if the height comes from the item's own content: parts of it are not known then.
    var isHeightKnown = true
  }

  /// The places of the items in a stack of this size, of which the height may come from the items.
  func places(in size: Size, isHeightKnown: Bool) -> [Place] {
    var places = [Place](repeating: Place(), count: items.count)
    let (width, height) = (inner(size.width, .horizontal), inner(size.height, .vertical))
    let layout = layout(width: width, height: height, isHeightKnown: isHeightKnown)
    for line in layout.lines {
      for item in line.items {
        let main = isReversed(mainAxis) ? layout.main - item.mainStart - item.mainSize : item.mainStart
        let cross = isReversed(crossAxis) ? layout.cross - item.crossStart - item.crossSize : item.crossStart
        let settings = items[item.index]
        let isKnown =
          isRow
          ? item.cross.length != nil || stretches(settings, item.cross)
          : isHeightKnown || definiteBase(of: settings, item.main, in: nil) != nil
        places[item.index] = Place(
          frame: rect(main: main, cross: cross, mainSize: item.mainSize, crossSize: item.crossSize), isHeightKnown: isKnown)
      }
    }
    for index in items.indices where items[index].absolute != nil {
      places[index] = absolutePlace(of: index, in: size)
    }
    return places
  }

  /// The size that the stack would like to have: a width between those of the least and of the most content, and the height for
  /// exactly the proposed width.
  func size(fitting proposal: SizeProposal) -> Size {
    let height = proposal.height.map { inner($0, .vertical) }
    let most = intrinsicWidth(isLeast: false, height: height) + padding(.horizontal)
    var width = most
    if let proposed = proposal.width, proposed < most {
      width = max(proposed, intrinsicWidth(isLeast: true, height: height) + padding(.horizontal))
    }
    if let height = proposal.height { return Size(width, height) }
    let layout = layout(width: inner(proposal.width ?? most, .horizontal), height: nil, isHeightKnown: false)
    return Size(width, (isRow ? layout.cross : layout.main) + padding(.vertical))
  }

  // MARK: Axes

  enum Axis {
    case horizontal
    case vertical
  }

  var isRow: Bool { rules.direction == .row || rules.direction == .rowReverse }
  var wraps: Bool { rules.wrap != .none }
  var mainAxis: Axis { isRow ? .horizontal : .vertical }
  var crossAxis: Axis { isRow ? .vertical : .horizontal }
  var mainGap: Double { isRow ? rules.gap.width : rules.gap.height }
  var crossGap: Double { isRow ? rules.gap.height : rules.gap.width }

  /// True if the axis goes from right to left, or up.
  func isReversed(_ axis: Axis) -> Bool {
    isTurned(axis) != isTextReversed(axis)
  }

  /// True if the axis goes against the direction of text.
  func isTurned(_ axis: Axis) -> Bool {
    if axis == crossAxis { return rules.wrap == .wrapReverse }
    return rules.direction == .rowReverse || rules.direction == .columnReverse
  }

  /// True if the axis goes from right to left for what follows the text and not the stack.
  func isTextReversed(_ axis: Axis) -> Bool { axis == .horizontal && rules.layoutDirection == .rightToLeft }

  func padding(_ axis: Axis) -> Double {
    axis == .horizontal ? rules.padding.left + rules.padding.right : rules.padding.top + rules.padding.bottom
  }

  func inner(_ outer: Double, _ axis: Axis) -> Double { max(outer - padding(axis), 0) }

  private func rect(main: Double, cross: Double, mainSize: Double, crossSize: Double) -> Rect {
    let (left, top) = (rules.padding.left, rules.padding.top)
    return isRow
      ? Rect(x: left + main, y: top + cross, width: mainSize, height: crossSize)
      : Rect(x: left + cross, y: top + main, width: crossSize, height: mainSize)
  }

  /// An item's settings of one axis, with the margins at its beginning and end in the stack's direction.
  struct Side {
    /// Nil if the content or the stack gives it, and for a part of what is not known.
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

  func side(_ index: Int, _ axis: Axis, of whole: Double?) -> Side {
    let item = items[index]
    let padding = axis == .horizontal ? paddings[index].width : paddings[index].height
    let (margin, isReversed) = (item.margin, isReversed(axis))
    let (first, last) = axis == .horizontal ? (margin.left, margin.right) : (margin.top, margin.bottom)
    let (length, least, most) =
      axis == .horizontal
      ? (item.width, item.minWidth, item.maxWidth) : (item.height, item.minHeight, item.maxHeight)
    return Side(
      length: length?.points(of: whole).map { max($0, padding) }, isAuto: length == nil,
      minimum: least.map { $0.points(of: whole) ?? 0 },
      maximum: most?.points(of: whole) ?? .infinity, padding: padding, startMargin: isReversed ? last : first,
      endMargin: isReversed ? first : last)
  }

  func alignment(of item: LayoutItem) -> StackLayout.Alignment { item.alignSelf ?? rules.alignment }

  /// True for an item that fills its line.
  func stretches(_ item: LayoutItem, _ cross: Side) -> Bool {
    alignment(of: item) == .stretch && cross.isAuto && !cross.hasAutoMargin
  }

  /// The indices of the items that take room, in the order in which they are placed. (Step 1)
  var placedItems: [Int] {
    let placed = items.indices.filter { items[$0].absolute == nil }
    return placed.contains { items[$0].order != 0 }
      ? placed.sorted { (items[$0].order, $0) < (items[$1].order, $1) } : placed
  }
}

/// The aspect ratio of an item, if it is one.
extension LayoutItem {
  var ratio: Double? { aspectRatio.flatMap { $0 > 0 && $0.isFinite ? $0 : nil } }

  /// The length of the other axis that the ratio gives.
  func transferred(_ length: Double, to axis: FlexSolver.Axis) -> Double? {
    ratio.map { axis == .horizontal ? length * $0 : length / $0 }
  }
}
