import Geometry
package import Raster
package import RenderTree

/// The size of a display, and how it is mounted.
public struct DisplayGeometry: Hashable, BitwiseCopyable, Sendable {
  /// The pixels of the panel, as it is scanned: a portrait panel is wider than it is high.
  public var width: Int
  public var height: Int
  /// Pixels a point.
  public var scale: Double
  public var rotation: DisplayRotation
  public var rotatedBy: RotatedBy

  /// The part that turns the picture.
  public enum RotatedBy: BitwiseCopyable, Sendable {
    /// The screen's hardware: frames are composited upright.
    case plane
    case compositor
  }

  public init(
    width: Int, height: Int, scale: Double = 1, rotation: DisplayRotation = .none, rotatedBy: RotatedBy = .compositor
  ) {
    self.width = width
    self.height = height
    self.scale = scale
    self.rotation = rotation
    self.rotatedBy = rotatedBy
  }

  /// The size of the picture in pixels, as one sees it: that of a panel turned by a quarter is as wide as the panel is high.
  public var pictureSize: (width: Int, height: Int) { rotation.isSideways ? (height, width) : (width, height) }

  /// The viewport in which the compositor turns the picture on the panel; nil for one that is neither turned nor placed.
  ///
  /// - Parameter viewport: the place of the tree in the upright picture; nil for pixel for pixel.
  package func turned(_ viewport: Viewport?) -> Viewport? {
    guard rotation != .none, rotatedBy == .compositor else { return viewport }
    let turns = rotation.rawValue / 90
    return viewport?.turned(byQuarterTurns: turns, width: width, height: height)
      ?? Viewport(quarterTurns: turns, width: width, height: height)
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
}

extension Image {
  /// A copy that is turned clockwise.
  package func turned(_ rotation: DisplayRotation) throws(BitmapError) -> Image {
    let copy = try rotation.isSideways ? Bitmap(width: height, height: width) : Bitmap(width: width, height: height)
    for y in 0..<height {
      let pixels = row(y).assumingMemoryBound(to: UInt32.self)
      for x in 0..<width {
        let (column, row) =
          switch rotation {
          case .none: (x, y)
          case .right: (height - 1 - y, x)
          case .half: (width - 1 - x, height - 1 - y)
          case .left: (y, width - 1 - x)
          }
        copy.row(row).assumingMemoryBound(to: UInt32.self)[column] = pixels[x]
      }
    }
    return copy.freeze()
  }
}
