public import Geometry
public import Raster
public import RenderTree

// The look of a layer beyond background, contents and opacity. Few layers have any of these: their values lie in a box, see
// RareValues.

extension AnimatableProperty {
  public static let borderWidth = AnimatableProperty(rawValue: "borderWidth")
  public static let borderColor = AnimatableProperty(rawValue: "borderColor")
  public static let shadowColor = AnimatableProperty(rawValue: "shadowColor")
  public static let shadowOpacity = AnimatableProperty(rawValue: "shadowOpacity")
  public static let shadowOffset = AnimatableProperty(rawValue: "shadowOffset")
  public static let shadowRadius = AnimatableProperty(rawValue: "shadowRadius")
  public static let shadowPath = AnimatableProperty(rawValue: "shadowPath")
  public static let contentsRect = AnimatableProperty(rawValue: "contentsRect")
  public static let contentsCenter = AnimatableProperty(rawValue: "contentsCenter")
  public static let rasterizationScale = AnimatableProperty(rawValue: "rasterizationScale")
}

extension AnimatableKey where Value == Double {
  public static var borderWidth: Self { Self(.borderWidth, { $0.rare.borderWidth }, { $0.rare.borderWidth = $1 }) }
  public static var shadowOpacity: Self { Self(.shadowOpacity, { $0.rare.shadowOpacity }, { $0.rare.shadowOpacity = $1 }) }
  public static var shadowRadius: Self { Self(.shadowRadius, { $0.rare.shadowRadius }, { $0.rare.shadowRadius = $1 }) }
  public static var rasterizationScale: Self {
    Self(.rasterizationScale, { $0.rare.rasterizationScale }, { $0.rare.rasterizationScale = $1 })
  }
}
extension AnimatableKey where Value == Color {
  public static var borderColor: Self { Self(.borderColor, { $0.rare.borderColor ?? .clear }, { $0.rare.borderColor = $1 }) }
  public static var shadowColor: Self { Self(.shadowColor, { $0.rare.shadowColor ?? .clear }, { $0.rare.shadowColor = $1 }) }
}
extension AnimatableKey where Value == Path {
  /// See `Layer.shadowPath`. No path counts as an empty one, which throws no shadow. Between paths of the same structure each point moves;
  /// others take the place of each other at once.
  public static var shadowPath: Self {
    Self(.shadowPath, { $0.rare.shadowPath ?? Path() }, { $0.rare.shadowPath = $1 })
  }
}
extension AnimatableKey where Value == Size {
  public static var shadowOffset: Self { Self(.shadowOffset, { $0.rare.shadowOffset }, { $0.rare.shadowOffset = $1 }) }
}
extension AnimatableKey where Value == Rect {
  public static var contentsRect: Self { Self(.contentsRect, { $0.rare.contentsRect }, { $0.rare.contentsRect = $1 }) }
  public static var contentsCenter: Self {
    Self(.contentsCenter, { $0.rare.contentsCenter }, { $0.rare.contentsCenter = $1 })
  }
}

extension Layer {
  /// The width of the line inside the edges of `bounds`, above the sublayers; 0 at first. Where the edges lie between pixels,
  /// so do those of the line, and the thinnest one has a pixel. Animatable.
  public var borderWidth: Double {
    get { values.rare.borderWidth }
    set { change(.borderWidth, borderWidth, newValue) { $0.rare.borderWidth = $1 } }
  }

  /// The colour of the border: black at first; nil for no border. Animatable.
  public var borderColor: Color? {
    get { values.rare.borderColor }
    set { change(.borderColor, borderColor, newValue) { $0.rare.borderColor = $1 } }
  }

  /// The colour of the shadow: black at first; nil for no shadow. Animatable.
  public var shadowColor: Color? {
    get { values.rare.shadowColor }
    set { change(.shadowColor, shadowColor, newValue) { $0.rare.shadowColor = $1 } }
  }

  /// The opacity of the shadow: 0, at first, for none, up to 1. Animatable.
  public var shadowOpacity: Double {
    get { values.rare.shadowOpacity }
    set { change(.shadowOpacity, shadowOpacity, newValue) { $0.rare.shadowOpacity = $1 } }
  }

  /// The distance of the shadow from what throws it: 3 points upwards, (0, −3), at first. Animatable.
  public var shadowOffset: Size {
    get { values.rare.shadowOffset }
    set { change(.shadowOffset, shadowOffset, newValue) { $0.rare.shadowOffset = $1 } }
  }

  /// Twice the standard deviation of the shadow's blur: 3 at first; 0 for sharp edges. On the output the deviation is at most 64
  /// pixels. Animatable.
  public var shadowRadius: Double {
    get { values.rare.shadowRadius }
    set { change(.shadowRadius, shadowRadius, newValue) { $0.rare.shadowRadius = $1 } }
  }

  /// The part of the contents that is shown, in units of their size: all of them, (0, 0, 1, 1), at first. Beyond them their
  /// edge pixels go on. A part with a side below 10⁻⁹ shows nothing. Animatable.
  public var contentsRect: Rect {
    get { values.rare.contentsRect }
    set { change(.contentsRect, contentsRect, newValue) { $0.rare.contentsRect = $1 } }
  }

  /// The middle part of the contents, in units of `contentsRect`: all, (0, 0, 1, 1), at first. With a gravity that resizes the
  /// contents the middle is stretched, while the corners keep their size and the edges their thickness. A middle without a
  /// width or height is the one pixel there. Animatable.
  public var contentsCenter: Rect {
    get { values.rare.contentsCenter }
    set { change(.contentsCenter, contentsCenter, newValue) { $0.rare.contentsCenter = $1 } }
  }

  /// The pixels for each point in the picture that `shouldRasterize` makes; 1 at first. Animatable.
  public var rasterizationScale: Double {
    get { values.rare.rasterizationScale }
    set { change(.rasterizationScale, rasterizationScale, newValue) { $0.rare.rasterizationScale = $1 } }
  }

  /// The corners that `cornerRadius` rounds: all at first.
  public var maskedCorners: Corners {
    get { values.rare.maskedCorners }
    set { change(maskedCorners, newValue) { $0.rare.maskedCorners = $1 } }
  }

  /// The edges of background, contents and clip that are antialiased where they lie between pixels: all at first. Behind an antialiased
  /// edge something is seen through the pixels that it covers in part, and so it is behind two that meet: a seam. At the others the layer
  /// covers whole pixels, those whose middles it covers, and layers that meet there have no seam. A shape, a text and edges in perspective
  /// are antialiased always.
  public var edgeAntialiasingMask: Edges {
    get { values.rare.edgeAntialiasingMask }
    set { change(edgeAntialiasingMask, newValue) { $0.rare.edgeAntialiasingMask = $1 } }
  }

  /// The shape that throws the shadow, and the inner shadow, in the layer's coordinates; nil, the initial value, for the layer's own
  /// picture with its sublayers and, for the inner shadow, for `bounds` with their round corners. Animatable; a change is
  /// seen at once unless `actions` says otherwise.
  public var shadowPath: Path? {
    get { values.rare.shadowPath }
    set {
      // There is no way between the layer's own shape and a path.
      if shadowPath == nil || newValue == nil { return change(shadowPath, newValue) { $0.rare.shadowPath = $1 } }
      change(.shadowPath, shadowPath, newValue) { $0.rare.shadowPath = $1 }
    }
  }

  /// The way in which pixels are made of contents that are shown smaller: `linear` at first. `linear` and `trilinear` average,
  /// so that no pixel of the contents is lost; with `trilinear` contents that shrink show no jump, at twice the cost. Contents in nine
  /// parts, by `contentsCenter`, are not averaged.
  public var minificationFilter: ImageFilter {
    get { values.rare.minificationFilter }
    set { change(minificationFilter, newValue) { $0.rare.minificationFilter = $1 } }
  }

  /// The way in which pixels are made of contents that are shown larger: `linear` at first.
  public var magnificationFilter: ImageFilter {
    get { values.rare.magnificationFilter }
    set { change(magnificationFilter, newValue) { $0.rare.magnificationFilter = $1 } }
  }

  /// The way in which the layer with its sublayers is combined with what lies behind it in the same group: `normal` at first.
  ///
  /// The group is the screen, unless a layer around this one becomes a picture of its own. For a mode that acts on siblings alone, set
  /// the superlayer's `shouldRasterize`, and its `rasterizationScale` to the screen's scale.
  public var compositingFilter: BlendMode {
    get { values.rare.compositingFilter }
    set { change(compositingFilter, newValue) { $0.rare.compositingFilter = $1 } }
  }

  /// True if the layer with its sublayers becomes a picture with `rasterizationScale` pixels a point, which is shown instead
  /// of them. It holds shadow, border and mask; opacity and compositing filter are applied to it. False at first.
  public var shouldRasterize: Bool {
    get { values.rare.shouldRasterize }
    set { change(shouldRasterize, newValue) { $0.rare.shouldRasterize = $1 } }
  }
}
