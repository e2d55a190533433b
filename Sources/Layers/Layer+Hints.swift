import Geometry
import LinuxSystem
import Raster
import Typesetting

// Mistakes that show as an empty or a soft layer. See `DebugHint`: a release build does not look for them.

extension Layer {
  /// Gives a hint that begins with the layer's description, once for each kind of layer.
  @inline(__always)
  func hint(_ mistake: StaticString, if isMistaken: @autoclosure () -> Bool) {
    #if DEBUG
      if isMistaken() { DebugHint.give("\(description) \(mistake)", kind: "\(type(of: self)) \(mistake)") }
    #endif
  }

  /// Looks at a layer that is about to be displayed, or would be if it had a size.
  func hintAtNothingToShow() {
    #if DEBUG
      hint(
        "shows nothing: a picture is decoded in the size of its layer; set the size of `bounds`",
        if: (self as? ImageLayer)?.file != nil && bounds.isEmpty && !isHidden)
      hint(
        "shows nothing: its text has no room; set the size of `bounds`, to `size(fitting:)` for instance",
        if: (self as? ParagraphLayer)?.attributedText.count ?? 0 > 0 && bounds.isEmpty && !isHidden)
      guard let text = self as? TextLayer, !text.string.isEmpty, !isHidden else { return }
      let hasFont = text.font.map { $0.size > 0 } ?? false
      hint("shows nothing: its text has no font, or one of size 0; set `font`", if: !hasFont)
      hint(
        "shows nothing: its text has no room; set the size of `bounds`, to `preferredSize` for instance",
        if: hasFont && bounds.isEmpty)
    #endif
  }

  /// Looks at a layer that a committed tree has for the first time. A subclass with nothing to show mostly draws, and was never
  /// asked to.
  func hintAtMissingMark() {
    #if DEBUG
      let isOfOwnContent =
        self is TextLayer || self is ParagraphLayer || self is ShapeLayer || self is GradientLayer || self is SurfaceLayer
        || self is ImageLayer || self is EmitterLayer || self is TiledLayer || isTile || isSpace || isReplicator
      guard type(of: self) != Layer.self, !isOfOwnContent else { return }
      hint(
        "shows nothing: `draw(in:)` and `makeDrawing()` are not called before `setNeedsDisplay()` asks for them",
        if: values.image == nil && !needsDisplay && !asynchronous.isDrawing && backgroundColor == nil && sublayers.isEmpty
          && !isHidden && !bounds.isEmpty)
    #endif
  }
}

extension Layer: @MainActor CustomStringConvertible {
  /// The kind of layer, its name, id and frame: `TextLayer "title" #7 at 20.0 20.0, 120.0 × 24.0`.
  public var description: String {
    let name = name.map { " \"\($0)\"" } ?? ""
    return "\(type(of: self))\(name) #\(id) at \(frame.minX) \(frame.minY), \(frame.width) × \(frame.height)"
  }
}
