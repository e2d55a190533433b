import Geometry
import Input

/// The scrolling of a pointer within one of its frames: the events of both axes make one. A pure value.
struct PointerAxes: Hashable, Sendable {
  /// The kinds of devices that scroll, by the protocol's numbers.
  enum Source: UInt32 {
    case wheel = 0
    case finger = 1
    case continuous = 2
    case tiltedWheel = 3
  }

  private var source: Source?
  /// In points.
  private var distance = Point.zero
  /// In clicks; nil where the compositor tells none.
  private var clicks: Point?
  private var hasStopped = false

  mutating func setSource(_ number: UInt32) { source = Source(rawValue: number) }

  mutating func add(_ value: Double, isHorizontal: Bool) { distance = distance + Self.point(value, isHorizontal) }

  mutating func addClicks(_ value: Double, isHorizontal: Bool) {
    clicks = (clicks ?? .zero) + Self.point(value, isHorizontal)
  }

  mutating func stop() { hasStopped = true }

  private static func point(_ value: Double, _ isHorizontal: Bool) -> Point {
    isHorizontal ? Point(value, 0) : Point(0, value)
  }

  /// Ends the frame.
  ///
  /// - Returns: the frame's scrolling; nil for a frame without any. Fingers that move along one axis and rest on the other still scroll.
  mutating func take() -> InputEvent.Scroll? {
    defer { self = PointerAxes() }
    switch source {
    case .wheel, .tiltedWheel:
      // Compositors before version 5 of the seat tell no clicks, and the points of one differ among them.
      if let clicks { return clicks == .zero ? nil : .wheel(clicks) }
      return distance == .zero ? nil : .continuous(distance)
    case .finger:
      if distance != .zero { return .fingers(distance) }
      return hasStopped ? .fingersEnded : nil
    case .continuous, nil: return distance == .zero ? nil : .continuous(distance)
    }
  }
}
