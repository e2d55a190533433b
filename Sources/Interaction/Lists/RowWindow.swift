/// The rows that a list needs while it shows a part of them: those that are seen, and those that soon may be.
public struct RowWindow: Hashable, Sendable {
  /// The time for which rows are made ready ahead, in seconds of the present velocity.
  public static let lookahead = 0.5
  /// The most viewports for which rows are made ready ahead: more would be gone by before they are.
  public static let mostViewports = 4.0
  /// The viewports a second from which on nobody sees a picture.
  public static let fastViewports = 2.0

  /// The rows that are seen.
  public let visible: Range<Int>
  /// The rows that are to be ready, those that are seen among them.
  public let prefetched: Range<Int>
  /// The offsets that are seen, and those of the rows to be ready.
  private let seen: Range<Double>
  private let ahead: Double
  private let isGoingUp: Bool

  /// Rows are ready for half a viewport in both directions; in that of the motion for as long as it takes `lookahead`, at most
  /// `mostViewports` more.
  ///
  /// - Parameters:
  ///   - position: the offset at the viewport's upper edge, in points.
  ///   - viewport: its height in points.
  ///   - velocity: of the position in points per second: see `ScrollMotion.velocity(at:)`.
  public init(_ rows: RowIndex, position: Double, viewport: Double, velocity: Double) {
    let position = position.isFinite ? position : 0
    let viewport = viewport > 0 ? min(viewport, ScrollExtent.longest) : 0
    let speed = abs(ScrollPhysics.limit(velocity))
    let further = min(speed * Self.lookahead, Self.mostViewports * viewport)
    isGoingUp = velocity < 0
    ahead = viewport / 2 + further
    seen = position..<position + viewport
    visible = rows.rows(from: seen.lowerBound, to: seen.upperBound)
    let (above, below) = isGoingUp ? (ahead, viewport / 2) : (viewport / 2, ahead)
    prefetched = rows.rows(from: seen.lowerBound - above, to: seen.upperBound + below)
  }

  /// The urgency of a row as a distance from the viewport in points: 0 for a row that is seen, and at least 1 for the others: first those
  /// in the direction of the motion, the nearest first, then those of the prefetched ones that lie behind. A smaller one is needed sooner.
  ///
  /// - Parameters:
  ///   - top: the row's offset.
  ///   - height: the row's height.
  public func distance(top: Double, height: Double) -> Double {
    if top >= seen.upperBound { return 1 + top - seen.upperBound + (isGoingUp ? ahead : 0) }
    if top + height <= seen.lowerBound { return 1 + seen.lowerBound - top - height + (isGoingUp ? 0 : ahead) }
    return 0
  }
}
