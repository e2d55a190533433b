import Geometry
import Raster

@testable import RenderTree

extension TreeSnapshot {
  /// The tree with every layer on whole pixels, for a definition that knows no others.
  ///
  /// - Parameter keepsEffects: with square corners and all effects that such a definition has, otherwise without any effects.
  func onWholePixels(keepsEffects: Bool) -> TreeSnapshot {
    var tree = self
    if let viewport = tree.viewport {
      tree.viewport?.transform = .translation(x: viewport.transform.tx.rounded(), y: viewport.transform.ty.rounded())
    }
    func whole(_ value: Double) -> Double { min(max(value, -60), 60).rounded() }
    for index in tree.records.indices {
      let record = tree.records[index]
      tree.records[index].transform = .translation(x: whole(record.transform.tx), y: whole(record.transform.ty))
      tree.records[index].bounds = Rect(
        x: whole(record.bounds.minX), y: whole(record.bounds.minY), width: whole(record.bounds.width),
        height: whole(record.bounds.height))
      // A mixture is tested by itself.
      if let mixture = tree.sides[index].content as? ImageMixture { tree.sides[index].content = mixture.parts.first?.image }
      var parts = RenderEffects.Parts()
      if keepsEffects {
        tree.records[index].cornerRadius = 0
        parts = tree.sides[index].effects?.parts.forWholePixels ?? parts
      } else {
        tree.records[index].flags.remove(.masked)
        if record.flags.contains(.mask) { tree.records[index].flags.insert(.hidden) }
      }
      // A part of a text begins anywhere between pixels.
      let cut = keepsEffects ? parts.cut.rect : ContentCut().rect
      if let text = tree.sides[index].content as? TextContent, cut != ContentCut().rect {
        tree.sides[index].content = text.image
      }
      if let size = tree.sides[index].content?.pixelSize, !size.isEmpty {
        let corners: [ContentsGravity] = [.topLeft, .topRight, .bottomLeft, .bottomRight]
        let isEmpty = parts.placement?.size == .zero
        let shown = Size(size.width * parts.cut.rect.width, size.height * parts.cut.rect.height)
        parts.placement = ContentPlacement(gravity: corners[index % 4], size: isEmpty ? .zero : shown)
        // In nine parts it is stretched.
        if parts.cut.hasNineParts { parts.placement?.gravity = .resize }
      }
      tree.sides[index].effects = .make(parts, last: nil)
      tree.records[index].settle(tree.sides[index])
    }
    return tree
  }
}

extension ColorMatrix {
  /// One with larger factors, or that makes the clear less so, makes much of the rounding of what it maps.
  fileprivate var forWholePixels: ColorMatrix {
    var matrix = self
    for channel in 0..<3 {
      matrix.red[channel] /= 2
      matrix.green[channel] /= 2
      matrix.blue[channel] /= 2
    }
    (matrix.red.w, matrix.green.w, matrix.blue.w, matrix.constant.w, matrix.alpha) = (0, 0, 0, 0, [0, 0, 0, 1])
    return matrix
  }
}

extension RenderEffects.Parts {
  /// The effects of which a pixel is a simple sum.
  fileprivate var forWholePixels: RenderEffects.Parts {
    var parts = self
    parts.homography = nil
    // Between two pixels of the contents nothing is mixed.
    (parts.cut.minification, parts.cut.magnification, parts.cut.scale) = (.nearest, .nearest, 1)
    if parts.rasterizationScale != nil { parts.rasterizationScale = 1 }
    parts.shadow?.path = nil
    parts.innerShadow?.path = nil
    if let shadow = parts.shadow, shadow.radius > 6 { parts.shadow?.radius = 6 }
    if let shadow = parts.innerShadow, shadow.radius > 6 { parts.innerShadow?.radius = 6 }
    parts.blurRadius = min(parts.blurRadius, 1)
    parts.backdropBlurRadius = min(parts.backdropBlurRadius, 1)
    (parts.colorMatrix, parts.backdropColorMatrix) = (colorMatrix?.forWholePixels, backdropColorMatrix?.forWholePixels)
    // The others make much of little where a divisor is near 0.
    let modes: [BlendMode] = [.multiply, .screen, .overlay, .darken, .lighten, .hardLight, .difference, .exclusion]
    if blendMode != .normal, !modes.contains(blendMode) { parts.blendMode = modes[blendMode.rawValue.count % modes.count] }
    if let transition {
      let old = OldPicture(transition.old.tree.onWholePixels(keepsEffects: true))
      var fade = LayerTransition(old: old, type: .fade, subtype: .fromLeft, progress: transition.progress)
      fade.isNewHidden = transition.isNewHidden
      parts.transition = fade
    }
    return parts
  }
}
