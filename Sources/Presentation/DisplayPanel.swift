public import Geometry

/// A screen's own hardware, by which touch screens that lie on it are found.
public struct DisplayPanel: Hashable, Sendable {
  /// The connector's name: "DSI-1".
  public var connector: String
  /// The size of the picture in millimetres, as the panel is scanned; nil if the screen does not say.
  public var size: Size?

  public init(connector: String, size: Size?) { (self.connector, self.size) = (connector, size) }
}
