/// An item on its way through the solver. "Main" is along the stack and "cross" across it, both from where the stack begins.
struct FlexItem {
  let index: Int
  let main: ItemSide
  let cross: ItemSide
  /// The size before it grows or shrinks, and the same within the item's limits.
  let base: Double
  let hypothetical: Double
  let least: Double
  let grow: Double
  let shrink: Double
  var mainSize: Double
  var crossSize = 0.0
  var mainStart = 0.0
  var crossStart = 0.0
  var isFrozen = false

  func clamp(_ size: Double) -> Double { max(min(size, main.maximum), least, main.padding) }

  /// The item's share of a shortage, beside those of the others: its padding does not shrink.
  var shrinkWeight: Double { shrink * max(base - main.padding, 0) }
}

/// Items that follow each other along the stack.
struct FlexLine {
  var items: [FlexItem]
  var crossSize = 0.0
  var crossStart = 0.0
}

/// The lines of a stack, and its size inside the padding.
struct FlexLayout {
  var lines: [FlexLine]
  var main: Double
  var cross: Double
}

extension FlexSolver {
  /// Lays out the items in a stack of this size inside its padding. Without a height it has that of its content. Where that is given but
  /// not known, parts of it are not either.
  func layout(width: Double, height: Double?, isHeightKnown: Bool) -> FlexLayout {
    let known = isHeightKnown ? height : nil
    let whole = isRow ? (main: Optional(width), cross: known) : (main: known, cross: Optional(width))
    var lines = lines(in: whole, length: isRow ? width : height)
    let main = (isRow ? width : height) ?? lines.map { contentMain(of: $0) }.max() ?? 0
    for index in lines.indices {
      flex(&lines[index], in: main)
      for item in lines[index].items.indices {
        lines[index].items[item].crossSize = crossSize(of: lines[index].items[item], in: whole)
      }
    }
    let cross = sizeLines(&lines, in: isRow ? height : width)
    for index in lines.indices {
      justify(&lines[index], in: main)
      align(&lines[index])
    }
    return FlexLayout(lines: lines, main: main, cross: cross)
  }

  /// Measures the items (step 3) and breaks them into lines (step 5).
  private func lines(in whole: (main: Double?, cross: Double?), length: Double?) -> [FlexLine] {
    var lines: [FlexLine] = []
    var used = 0.0
    for index in placedItems {
      let item = item(index, in: whole)
      let outer = item.hypothetical + item.main.margins
      if wraps, let length, !lines.isEmpty, used + mainGap + outer > length + Self.tolerance {
        lines.append(FlexLine(items: [item]))
        used = outer
      } else if lines.isEmpty {
        lines.append(FlexLine(items: [item]))
        used = outer
      } else {
        lines[lines.count - 1].items.append(item)
        used += mainGap + outer
      }
    }
    return lines
  }

  /// A sum of lengths that should be equal to the stack's may be more by an error of rounding.
  static let tolerance = 1e-6

  private func item(_ index: Int, in whole: (main: Double?, cross: Double?)) -> FlexItem {
    let item = items[index]
    let main = side(index, mainAxis, of: whole.main)
    let cross = side(index, crossAxis, of: whole.cross)
    let (base, least) = baseSize(of: index, main: main, cross: cross, in: whole)
    let hypothetical = max(min(base, main.maximum), least, main.padding)
    return FlexItem(
      index: index, main: main, cross: cross, base: base, hypothetical: hypothetical, least: least, grow: max(item.grow, 0),
      shrink: max(item.shrink, 0), mainSize: hypothetical)
  }

  private func contentMain(of line: FlexLine) -> Double {
    let gaps = mainGap * Double(max(line.items.count - 1, 0))
    return max(line.items.reduce(gaps) { $0 + $1.hypothetical + $1.main.margins }, 0)
  }

  /// Resolves the flexible lengths. (9.7)
  private func flex(_ line: inout FlexLine, in main: Double) {
    let margins = line.items.reduce(mainGap * Double(line.items.count - 1)) { $0 + $1.main.margins }
    let grows = line.items.reduce(margins) { $0 + $1.hypothetical } < main
    for (index, item) in line.items.enumerated() {
      let isRigid =
        grows ? item.grow == 0 || item.base > item.hypothetical : item.shrink == 0 || item.base < item.hypothetical
      line.items[index].isFrozen = isRigid
    }
    func freeSpace() -> Double {
      line.items.reduce(main - margins) { $0 - ($1.isFrozen ? $1.mainSize : $1.base) }
    }
    let initial = freeSpace()
    while line.items.contains(where: { !$0.isFrozen }) {
      let open = line.items.indices.filter { !line.items[$0].isFrozen }
      let factors = open.reduce(0) { $0 + (grows ? line.items[$1].grow : line.items[$1].shrink) }
      var free = freeSpace()
      if factors < 1, abs(initial * factors) < abs(free) { free = initial * factors }
      let weights = open.reduce(0) { $0 + line.items[$1].shrinkWeight }
      var violation = 0.0
      let sizes = open.map { index in
        let item = line.items[index]
        let share = grows ? item.grow / factors : weights > 0 ? item.shrinkWeight / weights : 0
        let (wanted, size) = (item.base + free * share, item.clamp(item.base + free * share))
        violation += size - wanted
        return (index, wanted, size)
      }
      for (index, wanted, size) in sizes {
        line.items[index].mainSize = size
        // Those that met a limit in the direction of the sum keep it; a sum that is nothing ends the distribution.
        line.items[index].isFrozen = violation > 0 ? size > wanted : violation < 0 ? size < wanted : true
      }
    }
  }

  /// Gives the lines their sizes and places across the stack, and returns the stack's size. (Steps 8, 9, 15 and 16)
  private func sizeLines(_ lines: inout [FlexLine], in whole: Double?) -> Double {
    for index in lines.indices {
      lines[index].crossSize = max(lines[index].items.map { $0.crossSize + $0.cross.margins }.max() ?? 0, 0)
    }
    if !wraps {
      if let whole, !lines.isEmpty { lines[0].crossSize = whole }
      return whole ?? lines.first?.crossSize ?? 0
    }
    let content = lines.reduce(crossGap * Double(max(lines.count - 1, 0))) { $0 + $1.crossSize }
    let cross = whole ?? content
    let spread = Spread(
      rules.lineAlignment, free: cross - content, count: lines.count, isTurned: isTurned(crossAxis))
    var start = spread.before
    for index in lines.indices {
      lines[index].crossSize += spread.more
      lines[index].crossStart = start
      start += lines[index].crossSize + crossGap + spread.between
    }
    return cross
  }
}
