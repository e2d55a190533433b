import Geometry
import RenderTree

/// Where a layer's descendants land: their coordinates on the output and the pixels that its ancestors' masks and its own
/// leave them. (What a mask covers only in part counts as left; the compositor takes it off when it blends the group.)
struct LayerPlacement: Equatable {
  /// From the layer's coordinates to the output's pixels.
  var transform: Affine
  var clip: IntRect

  /// Of the layers in this one, whose transform is `transform` and whose record is `record`.
  @inline(__always)
  func entering(_ record: RenderRecord, transform: Affine) -> LayerPlacement {
    guard record.flags.contains(.masksToBounds) else { return LayerPlacement(transform: transform, clip: clip) }
    let shape = LayerShape.wholePixels(record.bounds, transform) ?? LayerShape.pixels(record.bounds, transform)
    return LayerPlacement(transform: transform, clip: clip.intersection(shape))
  }

  /// From the coordinates of `record` to the output's pixels.
  @inline(__always)
  func transform(of record: RenderRecord) -> Affine {
    let own = record.transform
    if own.isTranslation {
      return Affine(
        a: transform.a, b: transform.b, c: transform.c, d: transform.d,
        tx: own.tx * transform.a + own.ty * transform.c + transform.tx,
        ty: own.tx * transform.b + own.ty * transform.d + transform.ty)
    }
    return own.concatenating(transform)
  }
}

extension LayerPlacement {
  /// Of a tree's root on an output.
  init(of tree: TreeSnapshot, on output: IntRect) {
    transform = tree.viewport?.transform ?? .identity
    clip = tree.viewport?.clip.intersection(output) ?? output
  }
}

extension RenderRecord {
  /// The opacity in steps of 1/255.
  @inline(__always)
  var opacityByte: UInt32 {
    opacity >= 1 ? 255 : opacity > 0 ? UInt32(opacity * 255 + 0.5) : 0
  }

  /// Whether any of the layer and its descendants can be seen.
  @inline(__always)
  var isShown: Bool { !flags.contains(.hidden) && opacityByte > 0 }

  /// Whether its own picture is rounded differently with layers in it than without any: then it is blended as a group.
  @inline(__always)
  var isGroupWithLayers: Bool { opacityByte < 255 || flags.contains(.masksToBounds) }

  /// The index one past the last descendant of the record at `index`, inside of its parent's range whatever it says.
  @inline(__always)
  func end(at index: Int, in limit: Int) -> Int {
    min(max(Int(subtreeEnd), index + 1), limit)
  }

  /// Whether both draw the same background and contents in the same place in their layers.
  @inline(__always)
  func paintsLike(_ other: RenderRecord) -> Bool {
    bounds == other.bounds && contentsRect == other.contentsRect && contentsID == other.contentsID
      && cornerRadius == other.cornerRadius && backgroundColor == other.backgroundColor
  }

  /// Whether both place, fade and clip their contents and descendants the same.
  @inline(__always)
  func holdsLike(_ other: RenderRecord) -> Bool {
    guard transform == other.transform, opacityByte == other.opacityByte else { return false }
    let groupFlags: Flags = [.hidden, .masksToBounds]
    guard flags.intersection(groupFlags) == other.flags.intersection(groupFlags) else { return false }
    return !flags.contains(.masksToBounds) || (bounds == other.bounds && cornerRadius == other.cornerRadius)
  }
}
