/// A column or row on its way through the sizing: its functions, in points where they are lengths, and its sizes.
struct GridTrackState {
  enum Minimum: Equatable {
    case fixed(Double)
    case auto
    case minContent
    case maxContent
  }

  enum Maximum: Equatable {
    case fixed(Double)
    case flexible(Double)
    case auto
    case minContent
    case maxContent
    case fitContent(Double)
  }

  let minimum: Minimum
  let maximum: Maximum
  /// True for a track of `autoFit` without items: it takes no room.
  let isCollapsed: Bool

  var base = 0.0
  var limit = 0.0
  /// Its limit has just become finite, and is none yet.
  var isInfinitelyGrowable = false
  /// The increase that an item asks for, and the greatest one of all items that are considered together.
  var incurred = 0.0
  var planned = 0.0

  /// A track in which nothing is, of length 0.
  init(collapsed: Void) { (minimum, maximum, isCollapsed) = (.fixed(0), .fixed(0), true) }

  /// - Parameter whole: the size of the grid inside its padding; nil if it is not known.
  init(_ track: GridTrack, of whole: Double?) {
    func points(_ length: LayoutLength) -> Double? { length.points(of: whole).map(Self.positive) }
    func minimum(_ length: LayoutLength) -> Minimum { points(length).map(Minimum.fixed) ?? .auto }
    func maximum(_ length: LayoutLength) -> Maximum { points(length).map(Maximum.fixed) ?? .auto }
    isCollapsed = false
    switch track {
    case .length(let length): (self.minimum, self.maximum) = (minimum(length), maximum(length))
    case .fraction(let factor): (self.minimum, self.maximum) = (.auto, .flexible(Self.positive(factor)))
    case .auto: (self.minimum, self.maximum) = (.auto, .auto)
    case .minContent: (self.minimum, self.maximum) = (.minContent, .minContent)
    case .maxContent: (self.minimum, self.maximum) = (.maxContent, .maxContent)
    case .fitContent(let length):
      (self.minimum, self.maximum) = (.auto, points(length).map(Maximum.fitContent) ?? .maxContent)
    case .minmax(let least, let most):
      self.minimum =
        switch least {
        case .length(let length): minimum(length)
        case .auto: .auto
        case .minContent: .minContent
        case .maxContent: .maxContent
        }
      self.maximum =
        switch most {
        case .length(let length): maximum(length)
        case .fraction(let factor): .flexible(Self.positive(factor))
        case .auto: .auto
        case .minContent: .minContent
        case .maxContent: .maxContent
        }
    }
  }

  /// Nothing but a positive number may get into the sizing.
  private static func positive(_ value: Double) -> Double { value.isFinite ? max(value, 0) : 0 }

  var factor: Double? {
    guard case .flexible(let factor) = maximum else { return nil }
    return factor
  }

  var isFlexible: Bool { factor != nil }
  var hasIntrinsicMinimum: Bool { fixedMinimum == nil }
  var fixedMinimum: Double? {
    guard case .fixed(let length) = minimum else { return nil }
    return length
  }

  /// The length that limits the content, without that of `fitContent`.
  var fixedMaximum: Double? {
    guard case .fixed(let length) = maximum else { return nil }
    return length
  }

  /// The length up to which a track of `fitContent` grows with its content.
  var fitLimit: Double {
    guard case .fitContent(let length) = maximum else { return .infinity }
    return length
  }

  var hasIntrinsicMaximum: Bool { fixedMaximum == nil && !isFlexible }
  var hasMaxContentMaximum: Bool { hasIntrinsicMaximum && maximum != .minContent }
}
