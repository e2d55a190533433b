package import Geometry
import Raster

/// The memory of a snapshot's records and side values, to be walked.
@usableFromInline
package struct TreeLayers {
  package let records: UnsafeBufferPointer<RenderRecord>
  package let sides: UnsafeBufferPointer<SideValues>
  /// Empty where the snapshot has none.
  package let blocks: UnsafeBufferPointer<RecordBlock?>

  /// A layer inside so many others that are pictures of their own becomes none itself: its effects are left out.
  package static let maximumPictureDepth = 12

  /// The whole plane, as far as pixels are counted.
  package static let everywhere = IntRect(minX: -1 << 30, minY: -1 << 30, maxX: 1 << 30, maxY: 1 << 30)

  @usableFromInline
  package init(
    _ records: UnsafeBufferPointer<RenderRecord>, _ sides: UnsafeBufferPointer<SideValues>,
    _ blocks: UnsafeBufferPointer<RecordBlock?>
  ) {
    (self.records, self.sides, self.blocks) = (records, sides, blocks)
  }

  package func effects(at index: Int) -> RenderEffects? { index < sides.count ? sides[index].effects : nil }
  package func content(at index: Int) -> (any RenderContent)? { index < sides.count ? sides[index].content : nil }

  /// The index of the layer whose picture masks the one at `index`, which ends at `end`. It comes first of its descendants.
  package func mask(of index: Int, end: Int) -> Int? {
    guard records[index].flags.contains(.masked), index + 1 < end, records[index + 1].flags.contains(.mask) else {
      return nil
    }
    return index + 1
  }

  /// The pixels that the layers from `start` up to `end`, in a parent with that placement, may paint.
  package func paintedPixels(from start: Int, to end: Int, in outer: Placement, depth: Int) -> IntRect {
    var result = IntRect.zero
    var frames: [(limit: Int, placement: Placement)] = []
    var (placement, limit, index) = (outer, end, start)
    while index < end {
      while index >= limit, let frame = frames.popLast() { (limit, placement) = frame }
      let record = records[index]
      let next = record.end(at: index, in: limit)
      guard record.isShown else {
        index = next
        continue
      }
      let transform = placement.transform(of: record)
      if isTurnedAway(index, transform) {
        index = next
        continue
      }
      if record.flags.contains(.isolated), depth < Self.maximumPictureDepth {
        let pixels = picturePixels(of: index, end: next, transform, depth: depth)
        result = result.union(pixels.intersection(placement.clip))
        index = next
        continue
      }
      result = result.union(transform.touchedPixels(of: record, record.drawnBounds).intersection(placement.clip))
      let inner = placement.entering(record, transform: transform)
      if next == index + 1 || inner.clip.isEmpty {
        index = next
        continue
      }
      frames.append((limit, placement))
      (placement, limit) = (inner, next)
      index += 1
    }
    return result
  }

  /// The pixels that the picture of an isolated layer with all its descendants may fill, its shadow included, wherever the masks
  /// around it cut it.
  package func picturePixels(of index: Int, end: Int, _ transform: Affine, depth: Int = 0) -> IntRect {
    if let homography = effects(at: index)?.parts.homography {
      return plane(of: index, end: end, homography, transform, depth: depth, frame: nil)?.reached ?? .zero
    }
    let (rest, dx, dy) = transform.withoutWholePixels
    return flatPicturePixels(of: index, end: end, rest, depth: depth).offsetBy(dx: dx, dy: dy)
      .intersection(Self.everywhere)
  }

  /// The same for the picture of a layer whose homography is left out.
  package func flatPicturePixels(of index: Int, end: Int, _ transform: Affine, depth: Int) -> IntRect {
    guard let transition = effects(at: index)?.parts.transition else {
      return ownPicturePixels(of: index, end: end, transform, depth: depth)
    }
    let places = transition.places(in: records[index].bounds.size)
    var pixels = IntRect.zero
    if !transition.isNewHidden {
      pixels = ownPicturePixels(of: index, end: end, places.new.concatenating(transform), depth: depth)
    }
    if transition.old.tree.records.isEmpty { return pixels }
    return transition.old.tree.withTreeLayers { old in
      pixels.union(old.picturePixels(of: 0, end: old.records.count, places.old.concatenating(transform), depth: depth))
    }
  }

  /// The same without the older picture of a transition.
  private func ownPicturePixels(of index: Int, end: Int, _ transform: Affine, depth: Int) -> IntRect {
    let pixels = filteredPixels(of: index, end: end, transform, depth: depth)
    guard let shadow = effects(at: index)?.parts.shadow else { return pixels }
    let blur = PictureBlur(shadow, transform)
    let source = shadow.path.map { transform.touchedPixels(of: $0.boundingBox) } ?? pixels
    return pixels.union(blur.reached(from: source))
  }

  /// The rectangle around everything that the layer paints itself but its shadow.
  package func bodyBounds(of index: Int) -> Rect {
    index < sides.count ? records[index].bodyBounds(sides[index]) : records[index].drawnBounds
  }

  /// The pixels of the picture without the shadow.
  package func filteredPixels(of index: Int, end: Int, _ transform: Affine, depth: Int = 0) -> IntRect {
    let pixels = bodyPixels(of: index, end: end, transform, depth: depth)
    return effects(at: index)?.parts.blur(transform)?.reached(from: pixels) ?? pixels
  }

  /// The pixels of the picture without blur and shadow.
  package func bodyPixels(of index: Int, end: Int, _ transform: Affine, depth: Int = 0) -> IntRect {
    let own = transform.touchedPixels(of: records[index], bodyBounds(of: index))
    let inner = Placement(transform: transform, clip: Self.everywhere).entering(records[index], transform: transform)
    return own.union(paintedPixels(from: index + 1, to: end, in: inner, depth: depth + 1))
  }
}

extension TreeSnapshot {
  /// Gives `body` the memory of records, side values and blocks.
  @inlinable
  package func withTreeLayers<Result>(_ body: (TreeLayers) -> Result) -> Result {
    recordStorage.withUnsafeBufferPointer { records in
      sides.withUnsafeBufferPointer { sides in
        blocks.withUnsafeBufferPointer { blocks in body(TreeLayers(records, sides, blocks)) }
      }
    }
  }
}
