/// A set of edges of a rectangle. y points down: `minY` is the top one.
public struct Edges: OptionSet, BitwiseCopyable, Hashable, Sendable {
  public let rawValue: UInt8

  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let minX = Edges(rawValue: 1 << 0)
  public static let maxX = Edges(rawValue: 1 << 1)
  public static let minY = Edges(rawValue: 1 << 2)
  public static let maxY = Edges(rawValue: 1 << 3)
  public static let all: Edges = [.minX, .maxX, .minY, .maxY]
}
