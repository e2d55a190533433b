import Geometry
import Raster
import RenderTree

/// The contents of a layer, as far as they decide where they are shown.
struct ContentsSource: BitwiseCopyable {
  /// The size of the contents; zero without any.
  var pixels = Size.zero
  var gravity = ContentsGravity.resize
  /// Pixels of the contents for each of the layer's units.
  var scale = 1.0
  /// The measures of contents that were drawn; nil when they were set.
  var drawn: DrawnMeasures?

  /// These contents; where there are none, the given picture in their place.
  func or(_ image: Image?) -> ContentsSource {
    guard pixels.isEmpty, let image else { return self }
    var source = self
    source.pixels = image.pixelSize
    return source
  }

  /// The effects of a layer with these values, at a place that is no map of the plane if `homography` is given: `last` if nothing
  /// in them differs from it.
  func effects(for values: AnimatableValues, _ homography: Homography?, last: RenderEffects?) -> RenderEffects? {
    let rare = values.rare
    let placement = placement(of: rare.contentsRect)
    if values.rareBox == nil, placement == nil, homography == nil { return nil }
    var parts = rare.effects
    (parts.placement, parts.homography) = (placement, homography)
    if !pixels.isEmpty, let cut = rare.cut(gravity, scale: scale) { parts.cut = cut }
    return .make(parts, last: last)
  }

  /// The place of a part of the contents; nil without any, and when it fills the bounds.
  private func placement(of part: Rect) -> ContentPlacement? {
    guard !pixels.isEmpty else { return nil }
    guard part.isUsable else { return ContentPlacement(gravity: gravity, size: .zero) }
    var placement = ContentPlacement(gravity: gravity, size: pixels / scale)
    if let drawn {
      placement.size = drawn.size
      // A pixel that was drawn is a pixel on screen also where the size is no whole number of pixels.
      placement.overhang = Size(
        pixels.width / (drawn.size.width * drawn.scale), pixels.height / (drawn.size.height * drawn.scale))
    }
    placement.size = Size(placement.size.width * part.width, placement.size.height * part.height)
    if placement.gravity == .resize, placement.overhang == Size(1, 1) { return nil }
    // A drawn size and the part of it may be as large as numbers are, or none.
    return placement.isFinite ? placement : ContentPlacement(gravity: gravity, size: .zero)
  }
}

extension Rect {
  /// True if it has a size that pixels can be found in, and all its numbers are finite.
  fileprivate var isUsable: Bool { width >= 1e-9 && height >= 1e-9 && (minX + minY + maxX + maxY).isFinite }
}

extension RareValues {
  /// The effects but for the place of the contents. What is not finite is left out.
  fileprivate var effects: RenderEffects.Parts {
    var parts = RenderEffects.Parts()
    (parts.corners, parts.smoothEdges) = (maskedCorners, edgeAntialiasingMask)
    (parts.blendMode, parts.transition) = (compositingFilter, transition)
    if shouldRasterize, rasterizationScale > 0, rasterizationScale.isFinite { parts.rasterizationScale = rasterizationScale }
    if blurRadius > 0, blurRadius.isFinite { parts.blurRadius = blurRadius }
    if colorMatrix != .identity, colorMatrix.isUsable { parts.colorMatrix = colorMatrix }
    if backdropBlurRadius > 0, backdropBlurRadius.isFinite { parts.backdropBlurRadius = backdropBlurRadius }
    if backdropColorMatrix != .identity, backdropColorMatrix.isUsable { parts.backdropColorMatrix = backdropColorMatrix }
    if borderWidth > 0, borderWidth.isFinite, let color = borderColor?.premultipliedBGRA, color >> 24 > 0 {
      parts.border = Border(width: borderWidth, color: color)
    }
    parts.shadow = shadow(shadowColor, shadowOpacity, shadowOffset, shadowRadius)
    parts.innerShadow = shadow(innerShadowColor, innerShadowOpacity, innerShadowOffset, innerShadowRadius)
    return parts
  }

  private func shadow(_ color: Color?, _ opacity: Double, _ offset: Size, _ radius: Double) -> Shadow? {
    let opacity = min(max(opacity, 0), 1)
    guard opacity > 0, let color = color.map({ $0.withAlpha($0.alpha * opacity) })?.premultipliedBGRA, color >> 24 > 0,
      (offset.width + offset.height + radius).isFinite
    else { return nil }
    return Shadow(color: color, offset: offset, radius: max(radius, 0), path: shadowPath)
  }

  /// The part of the contents that is shown and its filters; nil where all is as it is without.
  fileprivate func cut(_ gravity: ContentsGravity, scale: Double) -> ContentCut? {
    var cut = ContentCut()
    if contentsRect.isUsable { cut.rect = contentsRect }
    (cut.minification, cut.magnification) = (minificationFilter, magnificationFilter)
    let center = contentsCenter
    if gravity.isResizing, center != cut.center, (center.minX + center.minY + center.maxX + center.maxY).isFinite {
      (cut.center, cut.scale) = (center, scale)
    }
    return cut == ContentCut() ? nil : cut
  }
}

extension ContentsGravity {
  /// True if the contents do not keep their own size.
  fileprivate var isResizing: Bool { self == .resize || self == .resizeAspect || self == .resizeAspectFill }
}

extension Layer {
  var contentsSource: ContentsSource {
    ContentsSource(
      pixels: values.image?.pixelSize ?? values.content?.pixelSize ?? .zero, gravity: placingGravity,
      scale: contentsScale ?? drawnMeasures?.scale ?? 1, drawn: drawnMeasures)
  }

  /// The values beside the record. Effects are the same object as in the last record unless something in them changed.
  var sideValues: SideValues {
    sideValues(in: space)
  }

  func sideValues(in space: SublayerSpace?) -> SideValues {
    let sides = sideValues(in: space, last: recordEffects)
    recordEffects = sides.effects
    return sides
  }

  /// - Parameter last: effects to be used again where they are the same.
  func sideValues(in space: SublayerSpace?, last: RenderEffects?) -> SideValues {
    if isSpace { return SideValues() }
    let content = type(of: self).content(for: values, image: values.image)
    let source = contentsSource
    // Most layers have none.
    if values.rareBox == nil && source.pixels.isEmpty && space == nil { return SideValues(content: content) }
    var values = values
    values.takeTint(of: space, hasPicture: content != nil || holdsLayers)
    return SideValues(content: content, effects: source.effects(for: values, values.homography(in: space), last: last))
  }
}
