/// The room before, between and in things that follow each other.
struct Spread {
  var before = 0.0
  var between = 0.0
  /// By how much each becomes larger.
  var more = 0.0

  /// - Parameter isTurned: true if the things follow each other against the direction of text. Where they need more room than there
  ///   is, a distribution with room at the edges begins where text does.
  init(_ distribution: StackLayout.LineAlignment, free: Double, count: Int, isTurned: Bool) {
    let share = count > 0 ? max(free, 0) / Double(count) : 0
    switch distribution {
    case .start: break
    case .end: before = free
    case .center: before = free / 2
    case .spaceBetween: between = count > 1 ? max(free, 0) / Double(count - 1) : 0
    case .spaceAround, .spaceEvenly:
      if free < 0 { before = isTurned ? free : 0 }
      guard free > 0 else { break }
      between = distribution == .spaceAround ? share : free / Double(count + 1)
      before = distribution == .spaceAround ? share / 2 : between
    case .stretch: more = share
    }
  }

  init(_ distribution: StackLayout.Distribution, free: Double, count: Int, isTurned: Bool) {
    let alignment: StackLayout.LineAlignment =
      switch distribution {
      case .start: .start
      case .end: .end
      case .center: .center
      case .spaceBetween: .spaceBetween
      case .spaceAround: .spaceAround
      case .spaceEvenly: .spaceEvenly
      }
    self.init(alignment, free: free, count: count, isTurned: isTurned)
  }
}

extension FlexSolver {
  /// Places the items along their line. (Step 12)
  func justify(_ line: inout FlexLine, in main: Double) {
    let gaps = mainGap * Double(line.items.count - 1)
    let free = main - line.items.reduce(gaps) { $0 + $1.mainSize + $1.main.margins }
    let autos = line.items.reduce(0) { $0 + ($1.main.startMargin == .auto ? 1 : 0) + ($1.main.endMargin == .auto ? 1 : 0) }
    let share = autos > 0 ? max(free, 0) / Double(autos) : 0
    let spread = Spread(
      rules.justification, free: autos > 0 ? min(free, 0) : free, count: line.items.count, isTurned: isTurned(mainAxis))
    var start = spread.before
    for index in line.items.indices {
      let item = line.items[index]
      start += item.main.startMargin == .auto ? share : item.main.startMargin.points
      line.items[index].mainStart = start
      start += item.mainSize + (item.main.endMargin == .auto ? share : item.main.endMargin.points) + mainGap + spread.between
    }
  }

  /// Stretches the items (step 11) and places them across their line (steps 13 and 14).
  func align(_ line: inout FlexLine) {
    for index in line.items.indices {
      let (item, settings) = (line.items[index], items[line.items[index].index])
      let cross = item.cross
      if stretches(settings, cross) {
        line.items[index].crossSize = cross.clamp(line.crossSize - cross.margins)
      }
      let free = line.crossSize - line.items[index].crossSize - cross.margins
      line.items[index].crossStart =
        line.crossStart + cross.startMargin.points + before(cross, free, alignment(of: settings))
    }
  }

  /// The room before an item besides its own margin.
  private func before(_ cross: ItemSide, _ free: Double, _ alignment: StackLayout.Alignment) -> Double {
    if cross.hasAutoMargin {
      // An item without room begins where text does.
      guard free > 0 else { return isTurned(crossAxis) ? free : 0 }
      return cross.startMargin != .auto ? 0 : cross.endMargin == .auto ? free / 2 : free
    }
    return switch alignment {
    case .start, .stretch: 0
    case .end: free
    case .center: free / 2
    }
  }

  /// The room before an item that would be the only one of its stack, in the stack's direction.
  func staticOffset(_ axis: LayoutAxis, _ item: LayoutItem, free: Double) -> Double {
    if axis == mainAxis {
      return switch rules.justification {
      case .start, .spaceBetween: 0
      case .end: free
      case .center, .spaceAround, .spaceEvenly: free / 2
      }
    }
    return switch alignment(of: item) {
    case .start, .stretch: 0
    case .end: free
    case .center: free / 2
    }
  }
}
