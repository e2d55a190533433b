import Geometry
import Raster
import RenderTree

/// The values of the properties that few layers change, each at first the default of its property. `AnimatableValues` has them
/// in a box, so that a plain layer stays small.
struct RareValues: Hashable, Sendable {
  /// The layer's transform while it is no map of the plane.
  var transform: Transform3D?
  var sublayerTransform = Transform3D.identity
  var zPosition = 0.0
  var anchorPointZ = 0.0
  var borderWidth = 0.0
  var borderColor: Color? = .black
  var maskedCorners = Corners.all
  var edgeAntialiasingMask = Edges.all
  var shadowColor: Color? = .black
  var shadowOpacity = 0.0
  var shadowOffset = Size(0, -3)
  var shadowRadius = 3.0
  var shadowPath: Path?
  var innerShadowColor: Color? = .black
  var innerShadowOpacity = 0.0
  var innerShadowOffset = Size.zero
  var innerShadowRadius = 3.0
  var contentsRect = Rect(x: 0, y: 0, width: 1, height: 1)
  var contentsCenter = Rect(x: 0, y: 0, width: 1, height: 1)
  var minificationFilter = ImageFilter.linear
  var magnificationFilter = ImageFilter.linear
  var blurRadius = 0.0
  var colorMatrix = ColorMatrix.identity
  var backdropBlurRadius = 0.0
  var backdropColorMatrix = ColorMatrix.identity
  var compositingFilter = BlendMode.normal
  var shouldRasterize = false
  var rasterizationScale = 1.0
  // Set by animations alone.
  var transition: LayerTransition?
  var mixture: ImageMixture?

  /// The values of a layer that changes none of them.
  static let defaults = RareValues()
}

/// Values that are shared until one of the holders changes them.
///
/// Unchecked but safe to share: `AnimatableValues` alone writes them, and only while nobody else holds the box.
@usableFromInline
final class RareBox: @unchecked Sendable {
  fileprivate(set) var values: RareValues

  fileprivate init(_ values: RareValues) { self.values = values }
}

extension AnimatableValues {
  /// The values that few layers change. Reading allocates nothing; changing them makes a box unless this value has one of its own.
  var rare: RareValues {
    get { rareBox?.values ?? .defaults }
    _modify {
      let box = isKnownUniquelyReferenced(&rareBox) ? rareBox ?? RareBox(.defaults) : RareBox(rare)
      rareBox = box
      defer { if box.values == .defaults { rareBox = nil } }
      yield &box.values
    }
  }
}
