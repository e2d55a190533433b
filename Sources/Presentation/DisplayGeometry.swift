import Geometry
import RenderTree

/// The size of a display, and how it is mounted.
public struct DisplayGeometry: Hashable, BitwiseCopyable, Sendable {
  /// The pixels of the panel, as it is scanned: a portrait panel is wider than it is high.
  public var width: Int
  public var height: Int
  /// Pixels a point.
  public var scale: Double
  public var rotation: DisplayRotation

  public init(width: Int, height: Int, scale: Double = 1, rotation: DisplayRotation = .none) {
    self.width = width
    self.height = height
    self.scale = scale
    self.rotation = rotation
  }

  /// The size of the picture in pixels, as one sees it: that of a panel turned by a quarter is as wide as the panel is high.
  public var pictureSize: (width: Int, height: Int) { rotation.isSideways ? (height, width) : (width, height) }

  /// The viewport in which the picture is turned on the panel; nil for one that is neither turned nor placed.
  ///
  /// - Parameter viewport: the place of the tree in the upright picture; nil for pixel for pixel.
  func turned(_ viewport: Viewport?) -> Viewport? {
    guard rotation != .none else { return viewport }
    let turn = rotation.transform(width: Double(width), height: Double(height))
    let (size, clip) = (pictureSize, viewport?.clip)
    let seen = clip ?? IntRect(x: 0, y: 0, width: size.width, height: size.height)
    let rect = Rect(
      x: Double(seen.minX), y: Double(seen.minY), width: Double(seen.width), height: Double(seen.height))
    return Viewport(
      transform: (viewport?.transform ?? .identity).concatenating(turn), clip: IntRect(covering: turn.boundingBox(of: rect)))
  }
}

/// By how much the picture is turned clockwise on the panel, so that it is upright on one that is mounted the other way round.
public enum DisplayRotation: Int, CaseIterable, BitwiseCopyable, Sendable {
  case none = 0
  case right = 90
  case half = 180
  case left = 270

  /// True if the picture is as wide as the panel is high.
  public var isSideways: Bool { self == .right || self == .left }

  /// Takes the upright picture's pixels to the panel's.
  ///
  /// - Parameters:
  ///   - width: the panel's.
  ///   - height: the panel's.
  func transform(width: Double, height: Double) -> Affine {
    let right = self == .right || self == .half ? width : 0
    let bottom = self == .half || self == .left ? height : 0
    return .quarterTurns(rawValue / 90).concatenating(.translation(x: right, y: bottom))
  }
}
