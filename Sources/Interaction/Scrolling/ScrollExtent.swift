/// How much there is to scroll in one direction: the content, and the viewport through which a part of it is seen.
///
/// A position is the place of the content, in points, that is seen at the viewport's left or upper edge.
public struct ScrollExtent: Hashable, BitwiseCopyable, Sendable {
  /// The longest content or viewport in points: 250 kilometres, in which positions are exact to a millionth of a point.
  public static let longest = 1e9

  /// The length of the content in points.
  public let content: Double
  /// The length of the viewport in points.
  public let viewport: Double
  /// The room that may be scrolled into before the content and after it, such as that below a bar.
  public let leadingInset: Double
  public let trailingInset: Double

  /// Takes lengths in points. A negative length and one that is not a number become 0; none is longer than `longest`.
  public init(content: Double, viewport: Double, leadingInset: Double = 0, trailingInset: Double = 0) {
    func length(_ value: Double) -> Double { value > 0 ? min(value, Self.longest) : 0 }
    (self.content, self.viewport) = (length(content), length(viewport))
    (self.leadingInset, self.trailingInset) = (length(leadingInset), length(trailingInset))
  }

  /// The position at the beginning.
  public var minimum: Double { -leadingInset }
  /// The position at the end: the same as at the beginning if the viewport shows everything.
  public var maximum: Double { max(minimum, content + trailingInset - viewport) }
  /// False if the viewport shows everything at once.
  public var isScrollable: Bool { maximum > minimum }

  /// The nearest position between beginning and end; the beginning for one that is not a number.
  public func clamp(_ position: Double) -> Double { position > minimum ? min(position, maximum) : minimum }

  /// How far a position lies beyond an edge: negative before the beginning, positive after the end, 0 between them.
  public func excess(of position: Double) -> Double { position - clamp(position) }
}
