/// How a layout treats one layer. The names are those of CSS, whose meaning they have.
///
/// ```swift
/// title.layoutItem.grow = 1
/// title.layoutItem.margin.left = .auto
/// title.layoutItem.minWidth = .percent(25)
/// ```
///
/// A length that is nil is found by the layout. Percentages are of the stack's size inside its padding, or of the item's cells in a
/// grid, for an absolute item of the whole layer, and count as nil while that is not known. A negative length, `grow` or `shrink`
/// counts as 0. `grow`, `shrink` and `basis` are for stacks, `column`, `row` and `justifySelf` for grids.
public struct LayoutItem: Hashable, Sendable {
  /// The share of the free space that the item takes, beside those of the others. If all together are below 1, the rest stays free.
  public var grow = 0.0
  /// The share of what is missing that the item gives up, weighted with its size.
  public var shrink = 1.0
  /// The size along the stack before the item grows or shrinks.
  public var basis = LayoutBasis.auto
  /// Items are placed by this number, and in the order of the sublayers where it is the same.
  public var order = 0
  /// The place across the stack; nil for the stack's `alignment`. In a grid the place in the height of the item's cells; nil for the
  /// grid's `alignItems`.
  public var alignSelf: StackLayout.Alignment?
  /// The place in the width of the item's cells; nil for the grid's `justifyItems`.
  public var justifySelf: StackLayout.Alignment?
  /// The columns of a grid that the item takes.
  public var column = GridPlacement.auto
  /// The rows of a grid that the item takes.
  public var row = GridPlacement.auto

  public var width: LayoutLength?
  public var height: LayoutLength?
  /// Nil along the stack, and in a column of a grid whose least size is `auto`: not smaller than the content, or than `width` if that
  /// is less. 0 otherwise. Prevails over `maxWidth`.
  public var minWidth: LayoutLength?
  /// As `minWidth`, along a column stack and in a row of a grid.
  public var minHeight: LayoutLength?
  /// Nil for no limit.
  public var maxWidth: LayoutLength?
  public var maxHeight: LayoutLength?
  /// The width divided by the height, above 0; finds the side that nothing else gives. Nil for none.
  public var aspectRatio: Double?

  public var margin = LayoutMargins()
  /// The distances from the edges of the superlayer, for an item that takes no room in the layout. Nil for one that does.
  public var absolute: AbsoluteInsets?

  public init() {}
}

/// A length in points, or in hundredths of a layout's size. `layer.layoutItem.width = 120` is 120 points.
public enum LayoutLength: Hashable, Sendable, ExpressibleByFloatLiteral, ExpressibleByIntegerLiteral {
  case points(Double)
  case percent(Double)

  public init(floatLiteral value: Double) { self = .points(value) }
  public init(integerLiteral value: Int) { self = .points(Double(value)) }

  /// In points; nil if it is a part of what is not known.
  func points(of whole: Double?) -> Double? {
    switch self {
    case .points(let points): points
    case .percent(let percent): whole.map { $0 * percent / 100 }
    }
  }
}

/// The size of an item along its stack before it grows or shrinks.
public enum LayoutBasis: Hashable, Sendable, ExpressibleByFloatLiteral, ExpressibleByIntegerLiteral {
  /// The item's `width` in a row and its `height` in a column; that of the content where it is nil.
  case auto
  /// The size of the content, whatever `width` and `height` say.
  case content
  case length(LayoutLength)

  public init(floatLiteral value: Double) { self = .length(.points(value)) }
  public init(integerLiteral value: Int) { self = .length(.points(Double(value))) }
}

/// The room that stays free on one side of an item: points, which may be negative, or a share of what is left over.
public enum LayoutMargin: Hashable, Sendable, ExpressibleByFloatLiteral, ExpressibleByIntegerLiteral {
  case points(Double)
  case auto

  public init(floatLiteral value: Double) { self = .points(value) }
  public init(integerLiteral value: Int) { self = .points(Double(value)) }

  /// In points; 0 for `auto`.
  var points: Double {
    switch self {
    case .points(let points): points
    case .auto: 0
    }
  }
}

/// The margins on the four sides of an item, all 0 at first.
public struct LayoutMargins: Hashable, Sendable {
  public var top = LayoutMargin.points(0)
  public var left = LayoutMargin.points(0)
  public var bottom = LayoutMargin.points(0)
  public var right = LayoutMargin.points(0)

  public init() {}

  public init(top: LayoutMargin, left: LayoutMargin, bottom: LayoutMargin, right: LayoutMargin) {
    (self.top, self.left, self.bottom, self.right) = (top, left, bottom, right)
  }

  /// The same on all sides.
  public init(all margin: LayoutMargin) {
    self.init(top: margin, left: margin, bottom: margin, right: margin)
  }
}

/// The distances of an item from the edges of its superlayer. With those on two opposite sides and no size, it lies between them;
/// with neither of the two it stays where the layout would place it alone.
public struct AbsoluteInsets: Hashable, Sendable {
  public var top: LayoutLength?
  public var left: LayoutLength?
  public var bottom: LayoutLength?
  public var right: LayoutLength?

  public init(
    top: LayoutLength? = nil, left: LayoutLength? = nil, bottom: LayoutLength? = nil, right: LayoutLength? = nil
  ) {
    (self.top, self.left, self.bottom, self.right) = (top, left, bottom, right)
  }
}
