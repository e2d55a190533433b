public import Geometry
public import Raster

/// The properties of a layer that few layers have. Immutable, and compared by identity as a `RenderContent` is.
public final class RenderEffects: Sendable {
  public let parts: Parts

  /// The properties with their values: each begins as that of a layer that does not have it.
  public struct Parts: Hashable, Sendable {
    /// The place of the content. A layer whose content fills its bounds needs none.
    public var placement: ContentPlacement?
    /// The part of the content that is shown, and how it is stretched.
    public var cut = ContentCut()
    /// The corners that the radius rounds; the others are square.
    public var corners = Corners.all
    /// The edges that are antialiased where they lie between pixels. The others end at the pixels whose middles lie beyond them, so that
    /// layers that meet at them leave no pixel out and paint none twice. The edges of a layer with a homography are all antialiased.
    public var smoothEdges = Edges.all
    public var border: Border?
    /// The standard deviation of the blur of the layer's picture, in the layer's units; 0 for none. On the output it is at most
    /// 64 pixels.
    public var blurRadius = 0.0
    /// The map of the picture's colours, after the blur; nil for none.
    public var colorMatrix: ColorMatrix?
    /// The standard deviation of the blur of what lies behind the layer in its group, in the layer's units; 0 for none. On the output
    /// it is at most 64 pixels. What is blurred is painted below the layer, within its bounds with their round corners. A layer with a
    /// homography has none.
    public var backdropBlurRadius = 0.0
    /// The map of the colours of what lies behind, after that blur; nil for none.
    public var backdropColorMatrix: ColorMatrix?
    public var shadow: Shadow?
    /// The shadow that the edges of the layer throw into it, above its background and its content.
    public var innerShadow: Shadow?
    public var blendMode = BlendMode.normal
    /// Maps the layer's coordinates to its parent's, instead of the record's transform, where parallels do not stay parallel.
    public var homography: Homography?
    /// Pixels for each of the layer's units in the picture that the layer with all its descendants becomes; nil without one.
    public var rasterizationScale: Double?
    /// The way from an older picture of the layer; nil while it shows itself alone.
    public var transition: LayerTransition?

    public init() {}
  }

  public init(_ parts: Parts) {
    self.parts = parts
  }

  public convenience init(placement: ContentPlacement) {
    var parts = Parts()
    parts.placement = placement
    self.init(parts)
  }

  /// The effects with these parts: `last` if they are its own, nil where nothing differs from a layer without effects.
  package static func make(_ parts: Parts, last: RenderEffects?) -> RenderEffects? {
    if let last, last.parts == parts { return last }
    return parts == Parts() ? nil : RenderEffects(parts)
  }

  /// True if the layer with its descendants becomes a picture of its own before it is blended. One with a shadow may do without: see
  /// `TreeLayers.throwsShadowOfShape`.
  package var isolates: Bool { parts.shadow != nil || parts.isolateBesideShadow }

  /// True if the effects change pixels in the layer's bounds, also where it has neither background nor content.
  var paintsFrame: Bool {
    if parts.border != nil || parts.filtersBackdrop || parts.blendMode.actsWhereClear { return true }
    guard let shadow = parts.innerShadow else { return false }
    return shadow.path == nil
  }
}

extension RenderEffects.Parts {
  /// True if other effects than the shadow make the layer a picture.
  package var isolateBesideShadow: Bool {
    homography != nil || blendMode != .normal || rasterizationScale != nil || transition != nil || blurRadius > 0
      || colorMatrix != nil
  }

  /// True if the layer shows what lies behind it filtered.
  package var filtersBackdrop: Bool { (backdropBlurRadius > 0 || backdropColorMatrix != nil) && homography == nil }
}

/// A line inside the edges of a layer, above its descendants.
public struct Border: Hashable, Sendable {
  /// In the layer's units, above 0.
  public var width: Double
  /// 0xAARRGGBB, alpha multiplied in.
  public var color: UInt32

  public init(width: Double, color: UInt32) {
    (self.width, self.color) = (width, color)
  }
}

/// A shadow behind a layer with all its descendants, or inside of its edges.
public struct Shadow: Hashable, Sendable {
  /// 0xAARRGGBB, alpha and the shadow's opacity multiplied in.
  public var color: UInt32
  /// In the layer's units. Inside of three layers whose shadows fall farther than 1024 pixels on the output, such a shadow is left out.
  public var offset: Size
  /// Twice the standard deviation of the blur, in the layer's units; 0 for sharp edges. On the output the deviation is at most
  /// 64 pixels.
  public var radius: Double
  /// The shape that throws the shadow; nil for the layer's own picture and, inside of the edges, for its bounds with their round
  /// corners.
  public var path: Path?

  public init(color: UInt32, offset: Size, radius: Double, path: Path? = nil) {
    (self.color, self.offset, self.radius, self.path) = (color, offset, radius, path)
  }
}

/// The part of a content that a layer shows, and the rule by which it is stretched and sampled.
public struct ContentCut: Hashable, BitwiseCopyable, Sendable {
  /// The part in units of the content's size; beyond them its edge pixels go on.
  public var rect = Rect(x: 0, y: 0, width: 1, height: 1)
  /// The middle of nine parts, in units of `rect`: the others keep their size in one direction or both.
  public var center = Rect(x: 0, y: 0, width: 1, height: 1)
  /// Pixels of the content for each of the layer's units, by which the eight outer parts have their size.
  public var scale = 1.0
  public var minification = ImageFilter.linear
  public var magnification = ImageFilter.linear

  public init() {}
}

/// The way in which pixels are made of an image that is shown in another size.
public enum ImageFilter: String, CaseIterable, Hashable, BitwiseCopyable, Sendable {
  /// The nearest pixel.
  case nearest
  /// The mixture of the four nearest. An image that is shown smaller is halved first as often as it must be, so that no pixel is
  /// lost; one in nine parts is not.
  case linear
  /// As `linear`, but the halved copies next to the size on the output are mixed, each by its share on the way from one size to the
  /// next: an image that shrinks evenly shows no jump. Two copies where width and height shrink alike or one alone does, otherwise
  /// three. As magnification the same as `linear`.
  case trilinear
}

/// The way in which the colours of a layer and of what lies behind it are combined. The names are those of the W3C's
/// specification Compositing and Blending.
public enum BlendMode: String, CaseIterable, Hashable, BitwiseCopyable, Sendable {
  case normal
  case multiply
  case screen
  case overlay
  case darken
  case lighten
  case colorDodge
  case colorBurn
  case hardLight
  case softLight
  case difference
  case exclusion
  // The next four take parts of the colour from one side and the rest from the other.
  case hue
  case saturation
  case color
  case luminosity
  // The next are operators of Porter and Duff, which take shares of both sides.
  /// The content behind is painted over the layer.
  case destinationOver
  /// The layer is seen only on what lies behind.
  case sourceAtop
  /// The layer cuts itself out of what lies behind.
  case destinationOut
  /// Each is seen where the other is not.
  case xor
  /// The sum of both, limited.
  case plusLighter
  // The last six change what lies behind also where the layer is clear. They act inside of its bounds with their round corners, and
  // nothing of the layer is seen outside of these.
  /// Neither is seen: a hole in the group.
  case clear
  /// The layer takes the place of what lies behind.
  case copy
  /// The layer is seen only on what lies behind, which is not seen itself.
  case sourceIn
  /// The content behind is seen only where the layer is.
  case destinationIn
  /// The layer is seen only where nothing lies behind, which is not seen itself.
  case sourceOut
  /// The content behind is seen only where the layer is, over the layer.
  case destinationAtop

  /// True for an operator that acts on all of the layer's bounds.
  package var actsWhereClear: Bool {
    switch self {
    case .clear, .copy, .sourceIn, .destinationIn, .sourceOut, .destinationAtop: true
    default: false
    }
  }
}

extension RenderEffects? {
  /// The rectangle of the content in a layer with these bounds: the bounds, unless the effects place it.
  public func contentRect(in bounds: Rect) -> Rect { self?.parts.placement?.rect(in: bounds) ?? bounds }
}

extension RenderEffects: CustomStringConvertible {
  public var description: String {
    var words: [String] = []
    if let placement = parts.placement { words.append(placement.description) }
    if parts.cut != ContentCut() { words.append(parts.cut.description) }
    if parts.corners != .all { words.append("corners \(parts.corners.rawValue)") }
    if parts.smoothEdges != .all { words.append("smooth edges \(parts.smoothEdges.rawValue)") }
    if let border = parts.border { words.append("border \(border.width) \(border.color.hexadecimalColor)") }
    if parts.blurRadius > 0 { words.append("blur \(parts.blurRadius)") }
    if let matrix = parts.colorMatrix { words.append("colors \(matrix)") }
    if parts.backdropBlurRadius > 0 { words.append("backdrop blur \(parts.backdropBlurRadius)") }
    if let matrix = parts.backdropColorMatrix { words.append("backdrop colors \(matrix)") }
    if let shadow = parts.shadow {
      words.append(
        "shadow \(shadow.color.hexadecimalColor) \(shadow.offset.width) \(shadow.offset.height) \(shadow.radius)")
      if let path = shadow.path { words.append("path of \(path.elements.count) elements") }
    }
    if let shadow = parts.innerShadow {
      words.append(
        "inner shadow \(shadow.color.hexadecimalColor) \(shadow.offset.width) \(shadow.offset.height) \(shadow.radius)")
      if let path = shadow.path { words.append("path of \(path.elements.count) elements") }
    }
    if let map = parts.homography {
      words.append(
        "homography \(map.a) \(map.b) \(map.px) \(map.c) \(map.d) \(map.py) \(map.tx) \(map.ty) \(map.pw)")
    }
    if parts.blendMode != .normal { words.append("blend \(parts.blendMode)") }
    if let transition = parts.transition {
      words.append(
        "transition \(transition.type) \(transition.subtype) \(transition.progress) from \(transition.old.tree.records.count) layers"
      )
    }
    if let scale = parts.rasterizationScale { words.append("rasterized \(scale)") }
    return words.joined(separator: " ")
  }
}

extension ContentPlacement: CustomStringConvertible {
  public var description: String {
    "\(gravity) \(size.width) \(size.height)"
      + (overhang == Size(1, 1) ? "" : " overhang \(overhang.width) \(overhang.height)")
  }
}

extension ContentCut: CustomStringConvertible {
  public var description: String {
    func numbers(_ rect: Rect) -> String { "\(rect.minX) \(rect.minY) \(rect.width) \(rect.height)" }
    return "part \(numbers(rect)) center \(numbers(center)) scale \(scale) filters \(minification) \(magnification)"
  }
}

extension UInt32 {
  /// A colour as `#AARRGGBB`.
  var hexadecimalColor: String {
    let digits = String(self, radix: 16)
    return "#" + String(repeating: "0", count: 8 - digits.count) + digits
  }
}
