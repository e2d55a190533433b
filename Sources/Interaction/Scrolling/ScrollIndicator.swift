public import LinuxSystem

/// The bar that shows where the viewport is in the content, along one edge of the viewport.
public struct ScrollIndicator: Hashable, BitwiseCopyable, Sendable {
  /// The time for which it stays when the content has come to rest, and that in which it fades out then.
  public static let stay = Nanoseconds.milliseconds(500)
  public static let fade = Nanoseconds.milliseconds(250)
  /// The least length, and that to which it is pressed at most when the content is pulled beyond an edge, in points.
  public static let leastLength = 36.0
  public static let leastPressedLength = 7.0

  /// The place of its beginning on the track, and its length, in points.
  public let offset: Double
  public let length: Double
  /// Within 0…1.
  public let opacity: Double

  /// Its share of the track is the viewport's share of the content, and its place that of the position between beginning and end. Pulled
  /// beyond an edge it stays there, and gets shorter by that way.
  ///
  /// - Parameters:
  ///   - track: the length in points in which it moves.
  ///   - extent: content and viewport.
  ///   - position: the position of the content.
  ///   - opacity: see `opacity(since:at:)`. Where nothing can be scrolled it is 0.
  public init(track: Double, extent: ScrollExtent, position: Double, opacity: Double = 1) {
    let track = track > 0 ? min(track, ScrollExtent.longest) : 0
    let excess = abs(extent.excess(of: position.isFinite ? position : 0))
    let way = extent.maximum - extent.minimum
    let whole = min(track, max(Self.leastLength, track * extent.viewport / (way + extent.viewport)))
    length = min(whole, max(Self.leastPressedLength, whole - excess))
    let part = way > 0 ? (extent.clamp(position) - extent.minimum) / way : 0
    offset = (track - length) * part
    self.opacity = extent.isScrollable ? min(max(0, opacity), 1) : 0
  }

  /// The opacity at a time: 1 while the content moves, and by the time since it came to rest.
  ///
  /// - Parameter rest: when the content came to rest; nil if it never moved.
  public static func opacity(since rest: MonotonicTime?, at time: MonotonicTime) -> Double {
    guard let rest else { return 0 }
    let fading = (time - rest - stay).seconds
    return min(max(1 - fading / fade.seconds, 0), 1)
  }
}

extension ScrollMotion {
  /// The indicator on a track of so many points.
  public func indicator(track: Double, at time: MonotonicTime) -> ScrollIndicator {
    let state = state(at: time)
    let opacity =
      if case .resting(_, let since) = state { ScrollIndicator.opacity(since: since, at: time) } else { 1.0 }
    return ScrollIndicator(track: track, extent: extent, position: position(of: state, at: time), opacity: opacity)
  }

  /// When the indicator has faded out and nothing is to be drawn any more; nil while a finger holds the content, and if that is over.
  public func indicatorEnd(after time: MonotonicTime) -> MonotonicTime? {
    let rest =
      if case .resting(_, let since) = state(at: time) { since } else { restTime(after: time) }
    guard let rest else { return nil }
    let end = rest + ScrollIndicator.stay + ScrollIndicator.fade
    return end > time ? end : nil
  }
}
