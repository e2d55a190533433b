public import Geometry

/// The place of a tree on an output that does not show it pixel by pixel from its corner on: a mirror of another size, or a
/// panel that is mounted turned.
public struct Viewport: Hashable, BitwiseCopyable, Sendable {
  /// Maps the coordinates of the root's parent to the output's pixels.
  public var transform: Affine
  /// The output's pixels in which the tree is seen; the others show the backdrop.
  public var clip: IntRect

  public init(transform: Affine, clip: IntRect) {
    self.transform = transform
    self.clip = clip
  }

  /// A tree that fills an output whose picture is turned. With an odd number of turns the tree is as wide as the output is
  /// high. The output shows the pixels of the unturned picture in other places, and no pixel of layers without effects is
  /// interpolated.
  ///
  /// - Parameters:
  ///   - turns: the quarter turns, clockwise, that take the tree's picture to the output's pixels.
  ///   - width: the output's width in its own, unturned pixels.
  ///   - height: the output's height in these pixels.
  public init(quarterTurns turns: Int, width: Int, height: Int) {
    transform = .quarterTurns(turns)
    if transform.a < 0 || transform.c < 0 { transform.tx = Double(width) }
    if transform.b < 0 || transform.d < 0 { transform.ty = Double(height) }
    clip = IntRect(x: 0, y: 0, width: width, height: height)
  }

  /// The viewport that shows on a turned output what this one shows on an unturned one. The parameters are those of
  /// `init(quarterTurns:width:height:)`.
  public func turned(byQuarterTurns turns: Int, width: Int, height: Int) -> Viewport {
    let turn = Viewport(quarterTurns: turns, width: width, height: height).transform
    return Viewport(transform: transform.concatenating(turn), clip: IntRect(covering: turn.boundingBox(of: Rect(clip))))
  }
}

/// The place of a layer on an output, or in the picture of a plane in perspective: see `PlaneMap`.
///
/// Everything that asks where a layer is seen computes it here: the diff and the compositor, and `TreeSnapshot.placement`.
@usableFromInline
package struct Placement: Hashable, BitwiseCopyable, Sendable {
  /// Maps the layer's coordinates to the output's pixels.
  @usableFromInline
  package var transform: Affine
  /// The pixels that the masks around the layer leave to it. A pixel that a mask covers in part belongs to them.
  @usableFromInline
  package var clip: IntRect

  @inlinable
  package init(transform: Affine, clip: IntRect) {
    self.transform = transform
    self.clip = clip
  }

  /// The place in which the root of a tree lies.
  package init(outside tree: TreeSnapshot, on output: IntRect) {
    transform = tree.viewport?.transform ?? .identity
    clip = tree.viewport?.clip.intersection(output) ?? output
  }

  /// The place inside a layer: the place of its children's parent.
  ///
  /// - Parameter transform: the transform of the layer, by `transform(of:)`.
  @inlinable
  package func entering(_ record: RenderRecord, transform: Affine) -> Placement {
    guard record.flags.contains(.masksToBounds) else { return Placement(transform: transform, clip: clip) }
    return Placement(transform: transform, clip: clip.intersection(transform.pixels(of: record.bounds)))
  }

  /// Maps the coordinates of a layer that lies here to the output's pixels.
  @inlinable
  package func transform(of record: RenderRecord) -> Affine {
    let own = record.transform
    guard own.isTranslation else { return own.concatenating(transform) }
    return Affine(
      a: transform.a, b: transform.b, c: transform.c, d: transform.d,
      tx: own.tx * transform.a + own.ty * transform.c + transform.tx,
      ty: own.tx * transform.b + own.ty * transform.d + transform.ty)
  }
}
