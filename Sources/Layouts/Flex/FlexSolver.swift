import Geometry
import Layers

/// Sizes and places the items of a stack: CSS Flexible Box Layout Level 1, section 9. Its steps are named where they are taken.
///
/// The width of a stack is always known when its items are placed; the height may be what comes out.
struct FlexSolver: ItemSolver {
  let rules: StackRules
  let items: [LayoutItem]
  /// This part of an item does not shrink.
  let paddings: [Size]
  let measure: (Int, SizeProposal) -> Size

  init(rules: StackRules, items: [LayoutItem], paddings: [Size], measure: @escaping (Int, SizeProposal) -> Size) {
    (self.rules, self.items, self.paddings, self.measure) = (rules, items, paddings, measure)
  }

  func places(in size: Size, isHeightKnown: Bool) -> [ItemPlace] {
    var places = [ItemPlace](repeating: ItemPlace(), count: items.count)
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
        places[item.index] = ItemPlace(
          frame: rect(main: main, cross: cross, mainSize: item.mainSize, crossSize: item.crossSize), isHeightKnown: isKnown)
      }
    }
    for index in items.indices where items[index].absolute != nil {
      places[index] = absolutePlace(of: index, in: size)
    }
    return places
  }

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

  var isRow: Bool { rules.direction == .row || rules.direction == .rowReverse }
  var wraps: Bool { rules.wrap != .none }
  var mainAxis: LayoutAxis { isRow ? .horizontal : .vertical }
  var crossAxis: LayoutAxis { isRow ? .vertical : .horizontal }
  var mainGap: Double { isRow ? rules.gap.width : rules.gap.height }
  var crossGap: Double { isRow ? rules.gap.height : rules.gap.width }

  /// True if the axis goes from right to left, or up.
  func isReversed(_ axis: LayoutAxis) -> Bool {
    isTurned(axis) != isTextReversed(axis)
  }

  /// True if the axis goes against the direction of text.
  func isTurned(_ axis: LayoutAxis) -> Bool {
    if axis == crossAxis { return rules.wrap == .wrapReverse }
    return rules.direction == .rowReverse || rules.direction == .columnReverse
  }

  var padding: Insets { rules.padding }
  var isRightToLeft: Bool { rules.layoutDirection == .rightToLeft }

  private func rect(main: Double, cross: Double, mainSize: Double, crossSize: Double) -> Rect {
    let (left, top) = (rules.padding.left, rules.padding.top)
    return isRow
      ? Rect(x: left + main, y: top + cross, width: mainSize, height: crossSize)
      : Rect(x: left + cross, y: top + main, width: crossSize, height: mainSize)
  }

  func alignment(of item: LayoutItem) -> StackLayout.Alignment { item.alignSelf ?? rules.alignment }

  /// True for an item that fills its line.
  func stretches(_ item: LayoutItem, _ cross: ItemSide) -> Bool {
    alignment(of: item) == .stretch && cross.isAuto && !cross.hasAutoMargin
  }
}
