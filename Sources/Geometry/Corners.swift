/// A set of corners of a rectangle. y points down: `minXMinY` is the top left one.
public struct Corners: OptionSet, BitwiseCopyable, Hashable, Sendable {
  public let rawValue: UInt8

  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let minXMinY = Corners(rawValue: 1 << 0)
  public static let maxXMinY = Corners(rawValue: 1 << 1)
  public static let minXMaxY = Corners(rawValue: 1 << 2)
  public static let maxXMaxY = Corners(rawValue: 1 << 3)
  public static let all: Corners = [.minXMinY, .maxXMinY, .minXMaxY, .maxXMaxY]
}
