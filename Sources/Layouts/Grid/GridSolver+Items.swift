import Geometry
import Layers

// Contributions of items to their tracks (12.5), their automatic least sizes (6.6), and their places in their cells (6.2, 10).

extension GridSolver {
  /// The width that an item asks of its columns. Percentages are not known here.
  ///
  /// - Parameter areaHeight: the height of its cells, if that is known.
  func columnContribution(
    of index: Int, _ kind: GridTrackSizer.Contribution, _ item: GridTrackSizer.Item, _ sizer: GridTrackSizer,
    areaHeight: Double?
  ) -> Double {
    let side = side(index, .horizontal, of: nil)
    let vertical = self.side(index, .vertical, of: areaHeight)
    let height = knownHeight(of: index, vertical, in: areaHeight)
    func content(isLeast: Bool) -> Double {
      side.length ?? contentWidth(of: index, isLeast: isLeast, vertical, height: height)
    }
    return contribution(kind, side, item, sizer, content)
  }

  /// The height that an item asks of its rows.
  func rowContribution(
    of index: Int, _ kind: GridTrackSizer.Contribution, _ item: GridTrackSizer.Item, _ sizer: GridTrackSizer,
    areaWidth: Double
  ) -> Double {
    let side = side(index, .vertical, of: nil)
    return contribution(kind, side, item, sizer) { _ in
      side.length ?? naturalHeight(of: index, side, width: itemWidth(of: index, in: areaWidth, side, height: nil))
    }
  }

  private func contribution(
    _ kind: GridTrackSizer.Contribution, _ side: ItemSide, _ item: GridTrackSizer.Item, _ sizer: GridTrackSizer,
    _ content: (_ isLeast: Bool) -> Double
  ) -> Double {
    switch kind {
    case .maxContent: return side.clamp(content(false)) + side.margins
    case .minContent: return side.clamp(content(true)) + side.margins
    case .minimum:
      if side.length != nil { return side.clamp(content(true)) + side.margins }
      if let minimum = side.minimum { return side.clamp(minimum) + side.margins }
      let tracks = sizer.tracks[item.range]
      guard tracks.contains(where: { $0.minimum == .auto }), tracks.count == 1 || !item.isFlexible else {
        return side.clamp(0) + side.margins
      }
      var least = content(true)
      if tracks.allSatisfy({ $0.fixedMaximum != nil }) {
        least = min(least, max(sizer.size(of: item.range) { $0.fixedMaximum ?? 0 } - side.margins, 0))
      }
      return side.clamp(least) + side.margins
    }
  }

  // MARK: Places

  private func justification(of item: LayoutItem) -> StackLayout.Alignment { item.justifySelf ?? rules.justifyItems }
  private func alignment(of item: LayoutItem) -> StackLayout.Alignment { item.alignSelf ?? rules.alignItems }

  private func stretches(_ alignment: StackLayout.Alignment, _ side: ItemSide) -> Bool {
    alignment == .stretch && side.isAuto && !side.hasAutoMargin
  }

  /// The height of an item that does not come from its content.
  private func knownHeight(of index: Int, _ side: ItemSide, in areaHeight: Double?) -> Double? {
    if let length = side.length { return side.clamp(length) }
    guard let areaHeight, stretches(alignment(of: items[index]), side) else { return nil }
    return side.clamp(areaHeight - side.margins)
  }

  private func itemWidth(of index: Int, in areaWidth: Double, _ vertical: ItemSide, height: Double?) -> Double {
    let side = side(index, .horizontal, of: areaWidth)
    if let length = side.length { return side.clamp(length) }
    let available = areaWidth - side.margins
    if stretches(justification(of: items[index]), side) { return side.clamp(available) }
    let known = height ?? vertical.length.map(vertical.clamp)
    return side.clamp(fittingWidth(of: index, available: max(available, 0), vertical, height: known))
  }

  /// The height of the content, or the one that the item's ratio gives.
  private func naturalHeight(of index: Int, _ vertical: ItemSide, width: Double) -> Double {
    guard let height = items[index].transferred(width, to: .vertical) else { return contentHeight(of: index, width: width) }
    return vertical.minimum == nil && vertical.isAuto ? max(height, contentHeight(of: index, width: width)) : height
  }

  /// The place of an item in its cells, from where these begin.
  func itemPlace(of index: Int, in area: Size) -> ItemPlace {
    let item = items[index]
    let (horizontal, vertical) = (side(index, .horizontal, of: area.width), side(index, .vertical, of: area.height))
    let known = knownHeight(of: index, vertical, in: area.height)
    let width = itemWidth(of: index, in: area.width, vertical, height: known)
    let height = known ?? vertical.clamp(naturalHeight(of: index, vertical, width: width))
    let frame = Rect(
      x: offset(horizontal, justification(of: item), free: area.width - width - horizontal.margins),
      y: offset(vertical, alignment(of: item), free: area.height - height - vertical.margins), width: width, height: height)
    return ItemPlace(frame: frame, isHeightKnown: known != nil)
  }

  /// The room before an item.
  private func offset(_ side: ItemSide, _ alignment: StackLayout.Alignment, free: Double) -> Double {
    if side.hasAutoMargin {
      let share = side.startMargin != .auto ? 0 : side.endMargin == .auto ? max(free, 0) / 2 : max(free, 0)
      return side.startMargin.points + share
    }
    return side.startMargin.points + before(alignment, free)
  }

  private func before(_ alignment: StackLayout.Alignment, _ free: Double) -> Double {
    switch alignment {
    case .start, .stretch: 0
    case .end: free
    case .center: free / 2
    }
  }

  /// An absolute item lies in the whole grid, not in cells.
  func staticOffset(_ axis: LayoutAxis, _ item: LayoutItem, free: Double) -> Double {
    before(axis == .horizontal ? justification(of: item) : alignment(of: item), free)
  }
}
