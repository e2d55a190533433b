import Geometry
import Layers

// Sizes that follow from the content: section 9.9, and 4.5 for the automatic minimum.

extension FlexSolver {
  /// The width of the content alone: the most that it needs, or the least in which nothing is cut off. (9.9.1 and 9.9.2)
  func intrinsicWidth(isLeast: Bool, height: Double?) -> Double {
    if isRow { return rowWidth(isLeast: isLeast, height: height) }
    let widths = placedItems.map { widthContribution(of: $0, isLeast: isLeast, height: height) }
    let widest = max(widths.max() ?? 0, 0)
    guard wraps, !isLeast, height != nil else { return widest }
    // As many columns as there are when each item may be as wide as that.
    let lines = layout(width: widest, height: height, isHeightKnown: true).lines
    return lines.reduce(crossGap * Double(max(lines.count - 1, 0))) { sum, line in
      sum + max(line.items.map { widthContribution(of: $0.index, isLeast: false, height: height) }.max() ?? 0, 0)
    }
  }

  private func rowWidth(isLeast: Bool, height: Double?) -> Double {
    var (sum, widest) = (0.0, 0.0)
    let placed = placedItems
    for index in placed {
      let item = items[index]
      let main = side(index, .horizontal, of: nil)
      var width = widthContribution(of: index, isLeast: isLeast, height: height)
      widest = max(widest, width)
      // An item that cannot come from its base to the size of its content adds its base.
      if let base = definiteBase(of: item, main, in: nil) {
        let outer = base + main.margins
        if width > outer ? item.grow <= 0 : item.shrink <= 0 {
          let (_, least) = baseSize(of: index, main: main, cross: side(index, .vertical, of: height), in: (nil, height))
          width = max(min(base, main.maximum), least) + main.margins
        }
      }
      sum += width
    }
    sum += mainGap * Double(max(placed.count - 1, 0))
    guard wraps else { return max(sum, 0) }
    return isLeast ? widest : max(sum, rowWidth(isLeast: true, height: height))
  }

  /// The base size if it does not come from the content.
  func definiteBase(of item: LayoutItem, _ main: ItemSide, in whole: Double?) -> Double? {
    switch item.basis {
    case .length(let length): length.points(of: whole).map { max($0, main.padding) }
    case .auto: main.length
    case .content: nil
    }
  }

  /// The width that an item adds to that of its stack, with its margins. Percentages are not known here.
  private func widthContribution(of index: Int, isLeast: Bool, height: Double?) -> Double {
    let item = items[index]
    let (side, vertical) = (side(index, .horizontal, of: nil), side(index, .vertical, of: height))
    let known = vertical.length.map(vertical.clamp) ?? (isRow ? stretchedSize(of: item, vertical, in: height) : nil)
    let width = side.length ?? contentWidth(of: index, isLeast: isLeast, vertical, height: known)
    return side.clamp(width) + side.margins
  }

  /// The size across the stack of an item that fills its only line: it counts as known before the items are measured. (9.8, 1)
  func stretchedSize(of item: LayoutItem, _ cross: ItemSide, in whole: Double?) -> Double? {
    guard !wraps, stretches(item, cross) else { return nil }
    return whole.map { cross.clamp($0 - cross.margins) }
  }

  /// The flex base size of an item, and its least size along the stack. (Step 3)
  func baseSize(of index: Int, main: ItemSide, cross: ItemSide, in whole: (main: Double?, cross: Double?)) -> (
    base: Double, least: Double
  ) {
    let item = items[index]
    let knownCross = cross.length.map(cross.clamp) ?? stretchedSize(of: item, cross, in: whole.cross)
    // In a column the height of the content depends on the width.
    func content(isLeast: Bool) -> Double {
      if isRow { return contentWidth(of: index, isLeast: isLeast, cross, height: knownCross) }
      let width =
        knownCross ?? cross.clamp(fittingWidth(of: index, available: max((whole.cross ?? 0) - cross.margins, 0), main))
      guard let height = item.transferred(width, to: .vertical) else { return contentHeight(of: index, width: width) }
      guard isLeast, !main.isUnknown else { return height }
      return limited(max(height, contentHeight(of: index, width: width)), item, by: cross, along: .vertical)
    }
    func base() -> Double {
      if let base = definiteBase(of: item, main, in: whole.main) { return base }
      if let knownCross, let length = item.transferred(knownCross, to: mainAxis) { return length }
      return content(isLeast: false)
    }
    /// The automatic minimum size. (4.5)
    func least() -> Double {
      let least = content(isLeast: true)
      return min(main.length.map { min($0, least) } ?? least, main.maximum)
    }
    let base = base()
    if let minimum = main.minimum { return (base, max(minimum, 0)) }
    return (base, least())
  }

  /// The size across the stack that an item has by itself. (Step 7)
  func crossSize(of item: FlexItem, in whole: (main: Double?, cross: Double?)) -> Double {
    let (index, main, cross) = (item.index, item.main, item.cross)
    if let length = cross.length { return cross.clamp(length) }
    if let stretched = stretchedSize(of: items[index], cross, in: whole.cross) { return stretched }
    if let length = items[index].transferred(item.mainSize, to: crossAxis) {
      guard cross.minimum == nil, isRow ? cross.isAuto : !main.isAuto else { return cross.clamp(length) }
      return cross.clamp(
        max(length, isRow ? contentHeight(of: index, width: item.mainSize) : measure(index, SizeProposal(width: 0)).width))
    }
    if isRow { return cross.clamp(contentHeight(of: index, width: item.mainSize)) }
    let height = whole.main == nil && main.length == nil ? nil : item.mainSize
    return cross.clamp(fittingWidth(of: index, available: max((whole.cross ?? 0) - cross.margins, 0), main, height: height))
  }
}
