import Geometry
import LinuxSystem

/// What a screen's cursor is to be, and what the driver was told of it last: a pure value.
struct CursorState: Equatable, Sendable {
  struct Look: Equatable, Sendable {
    /// The image's identity.
    let image: UInt64
    /// Where the image's upper left corner is on the screen, which may be beside it.
    let x: Int32
    let y: Int32
    let hotSpotX: Int32
    let hotSpotY: Int32

    init(image: UInt64, hotSpot: Point, position: Point) {
      self.image = image
      (hotSpotX, hotSpotY) = (Self.pixel(hotSpot.x), Self.pixel(hotSpot.y))
      (x, y) = (Self.pixel(position.x) - hotSpotX, Self.pixel(position.y) - hotSpotY)
    }

    /// Sums of two are no overflow, and no screen is as large.
    private static func pixel(_ value: Double) -> Int32 {
      guard value.isFinite else { return 0 }
      return Int32(min(max(value.rounded(.down), -1e6), 1e6))
    }
  }

  /// Nil for no cursor.
  var wanted: Look?
  private(set) var told: Look?

  /// Whether the driver is still to be told.
  var isDue: Bool { wanted != told }

  /// How long a change without a frame may wait at a variable rate: there every commit is a refresh, and a pointer that
  /// moves would take the rate from the scene. 30 Hz look steady.
  static let patience = Nanoseconds.seconds(1) / 30

  /// Until when a change waits for a frame to go with; nil for not at all.
  ///
  /// - Parameter last: when the last commit was.
  static func wait(
    isVariable: Bool, isFrameWanted: Bool, last: MonotonicTime, now: MonotonicTime
  ) -> MonotonicTime? {
    let end = last + patience
    return isVariable && isFrameWanted && now < end ? end : nil
  }

  /// The driver has been told of what is wanted.
  mutating func tell() { told = wanted }

  /// Nothing is shown any more of what was told.
  mutating func forget() { told = nil }
}
