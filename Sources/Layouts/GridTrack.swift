/// The size of a column or a row of a grid. The names are those of CSS, whose meaning they have.
///
/// ```swift
/// grid.columns = [120, .fraction(1), .minmax(80, .fraction(2)), .fitContent(200)]
/// ```
///
/// Percentages are of the grid's size inside its padding, and count as `auto` while that is not known. A negative length or factor
/// counts as 0, as one that is no finite number does.
public enum GridTrack: Hashable, Sendable, ExpressibleByFloatLiteral, ExpressibleByIntegerLiteral {
  case length(LayoutLength)
  /// A share of the room that the other tracks leave (`fr`), beside those of the others; not smaller than the content. If all
  /// together are below 1, the rest stays free.
  case fraction(Double)
  /// Between the least size of the content and its whole size, and a share of what is left over if the content of the grid is
  /// stretched.
  case auto
  /// The least size in which no content is cut off.
  case minContent
  /// The size in which all content has the room that it would like to have.
  case maxContent
  /// As large as the content, up to this length, but not smaller than the least size of the content.
  case fitContent(LayoutLength)
  /// A size between two. The first one is the least, and prevails.
  case minmax(Minimum, Maximum)

  public enum Minimum: Hashable, Sendable, ExpressibleByFloatLiteral, ExpressibleByIntegerLiteral {
    case length(LayoutLength)
    case auto
    case minContent
    case maxContent

    public init(floatLiteral value: Double) { self = .length(.points(value)) }
    public init(integerLiteral value: Int) { self = .length(.points(Double(value))) }
  }

  public enum Maximum: Hashable, Sendable, ExpressibleByFloatLiteral, ExpressibleByIntegerLiteral {
    case length(LayoutLength)
    case fraction(Double)
    case auto
    case minContent
    case maxContent

    public init(floatLiteral value: Double) { self = .length(.points(value)) }
    public init(integerLiteral value: Int) { self = .length(.points(Double(value))) }
  }

  public init(floatLiteral value: Double) { self = .length(.points(value)) }
  public init(integerLiteral value: Int) { self = .length(.points(Double(value))) }
}

/// The columns or the rows that a grid has whatever is in it: `grid-template-columns`, `grid-template-rows`.
///
/// ```swift
/// grid.columns = [80, .auto]
/// grid.columns = .list(Array(repeating: .fraction(1), count: 7))
/// grid.columns = .autoFill([.minmax(120, .fraction(1))])
/// ```
///
/// At most ``GridPlacement/limit`` of them count.
public enum GridTracks: Hashable, Sendable, ExpressibleByArrayLiteral {
  case list([GridTrack])
  /// The pattern as often as it fits into the grid, and once if the size of that is not known. A track of the pattern counts with its
  /// greatest size if that is a length, else with its least; with 1 point if it has neither, or less.
  case autoFill([GridTrack], before: [GridTrack] = [], after: [GridTrack] = [])
  /// The same, and repeated tracks in which there is no item take no room.
  case autoFit([GridTrack], before: [GridTrack] = [], after: [GridTrack] = [])

  public init(arrayLiteral elements: GridTrack...) { self = .list(elements) }
}

/// The columns or rows that an item takes: `grid-column`, `grid-row`.
///
/// ```swift
/// header.layoutItem.column = .lines(1, -1)   // all columns
/// picture.layoutItem.row = .span(2)
/// total.layoutItem.column = 3
/// ```
///
/// Lines have numbers: 1 before the first track of `columns` or `rows`, -1 after the last, counted back from there. A line beyond
/// them makes tracks of `autoColumns` or `autoRows`. There is no line 0: a side that names it is placed by the grid. A span below 1
/// counts as 1.
public enum GridPlacement: Hashable, Sendable, ExpressibleByIntegerLiteral {
  /// So many tracks, where the grid's flow finds room for them.
  case span(Int)
  /// From a line on, across so many tracks.
  case line(Int, span: Int = 1)
  /// Across so many tracks, up to a line.
  case end(Int, span: Int = 1)
  /// Between two lines, in whichever order; from the first on across one track if they are the same.
  case lines(Int, Int)

  /// One track, where the grid's flow finds room.
  public static let auto = GridPlacement.span(1)

  /// Lines lie at most so many tracks before and after line 1, and a span is at most as long: what is beyond is moved to there.
  public static let limit = 10_000

  public init(integerLiteral value: Int) { self = .line(value) }
}
