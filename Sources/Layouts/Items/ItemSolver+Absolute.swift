import Geometry
import Layers

// Items that take no room: section 4.1 of Flexible Boxes, 9 of Grid, and CSS Positioned Layout for their sizes.

extension ItemSolver {
  func absolutePlace(of index: Int, in size: Size) -> ItemPlace {
    let item = items[index]
    let insets = item.absolute ?? AbsoluteInsets()
    let left = insets.left?.points(of: size.width)
    let right = insets.right?.points(of: size.width)
    let top = insets.top?.points(of: size.height)
    let bottom = insets.bottom?.points(of: size.height)
    let horizontal = side(index, .horizontal, of: size.width)
    let vertical = side(index, .vertical, of: size.height)

    var height = vertical.length.map(vertical.clamp)
    let availableHeight = size.height - (top ?? 0) - (bottom ?? 0) - vertical.margins
    let fillsHeight = top != nil && bottom != nil && height == nil
    let availableWidth = max(size.width - (left ?? 0) - (right ?? 0) - horizontal.margins, 0)
    let fillsWidth = left != nil && right != nil
    if fillsHeight, item.ratio == nil || !(fillsWidth || horizontal.length != nil) {
      height = vertical.clamp(availableHeight)
    }
    let width: Double =
      if let length = horizontal.length {
        horizontal.clamp(length)
      } else if let height, let length = item.transferred(height, to: .horizontal) {
        horizontal.clamp(length)
      } else if fillsWidth {
        horizontal.clamp(availableWidth)
      } else {
        horizontal.clamp(fittingWidth(of: index, available: availableWidth, vertical, height: height))
      }
    let placedHeight =
      height ?? vertical.clamp(item.transferred(width, to: .vertical) ?? contentHeight(of: index, width: width))
    let frame = Rect(
      x: place(horizontal, .horizontal, item, from: left, to: right, length: width, in: size.width),
      y: place(vertical, .vertical, item, from: top, to: bottom, length: placedHeight, in: size.height), width: width,
      height: placedHeight)
    return ItemPlace(frame: frame, isHeightKnown: height != nil)
  }

  /// The left or top edge of an item between its insets.
  private func place(
    _ side: ItemSide, _ axis: LayoutAxis, _ item: LayoutItem, from first: Double?, to last: Double?, length: Double,
    in whole: Double
  ) -> Double {
    let isReversed = isReversed(axis)
    let (before, after) = isReversed ? (side.endMargin, side.startMargin) : (side.startMargin, side.endMargin)
    switch (first, last) {
    case (nil, nil):
      let (start, end) =
        axis == .horizontal ? (padding.left, padding.right) : (padding.top, padding.bottom)
      let free = whole - start - end - length - side.margins
      let offset = staticOffset(axis, item, free: free)
      return start + before.points + (isReversed ? free - offset : offset)
    case (let first?, nil):
      return first + before.points
    case (nil, let last?):
      return whole - last - length - after.points
    case (let first?, let last?):
      let free = whole - first - last - length - side.margins
      let isText = isTextReversed(axis)
      if before == .auto || after == .auto {
        let share = before == after ? free / 2 : before == .auto ? free : 0
        // An item that is wider than its room begins where text does.
        if free < 0, axis == .horizontal { return first + before.points + (isText ? free : 0) }
        return first + before.points + share
      }
      return first + before.points + (isText ? free : 0)
    }
  }
}
