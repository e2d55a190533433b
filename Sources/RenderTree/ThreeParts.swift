package import Geometry

extension ContentCut {
  /// True if the content is stretched in parts.
  package var hasNineParts: Bool { center != Rect(x: 0, y: 0, width: 1, height: 1) }

  /// True if no part is cut out of the content, and it is not in nine parts.
  var showsAll: Bool { rect == ContentCut().rect && !hasNineParts }

  /// True if edge pixels are shown where the content has none.
  package var reachesBeyondContent: Bool { rect.minX < 0 || rect.minY < 0 || rect.maxX > 1 || rect.maxY > 1 }

  /// The place of the whole content when `rect` of it lies at `shown`.
  package func place(ofAllIn shown: Rect) -> Rect {
    if rect == Rect(x: 0, y: 0, width: 1, height: 1) { return shown }
    let (width, height) = (shown.width / rect.width, shown.height / rect.height)
    return Rect(
      x: shown.minX - rect.minX * width, y: shown.minY - rect.minY * height, width: width, height: height)
  }
}

/// The nine parts along one axis: both ends keep their size, the middle has the rest.
package struct ThreeParts {
  /// The edges of the parts in the layer's units, ascending.
  package let places: InlineArray<4, Double>
  /// The same in pixels of the image.
  package let pixels: InlineArray<4, Double>

  /// - Parameters:
  ///   - pixels: of the whole image along the axis.
  ///   - part: the beginning and the length of the part that is shown, in parts of the image.
  ///   - center: those of the middle, in parts of that.
  ///   - scale: pixels of the image for each of the layer's units at both ends.
  package init(
    from: Double, to: Double, pixels count: Double, part: (start: Double, length: Double),
    center: (start: Double, length: Double), scale: Double
  ) {
    func unit(_ value: Double) -> Double { min(max(value, 0), 1) }
    let (first, length) = (part.start * count, part.length * count)
    var (low, high) = (unit(center.start) * length, unit(center.start + center.length) * length)
    // A middle without a length is the one pixel around that place.
    if high - low < 1e-9 { (low, high) = (max(low - 0.5, 0), min(high + 0.5, length)) }
    pixels = [first, first + low, first + high, first + length]
    var (before, after) = (low / scale, (length - high) / scale)
    // Ends that have no room share what there is.
    let room = to - from
    if before + after > room {
      let share = room / (before + after)
      (before, after) = (before * share, after * share)
    }
    places = [from, from + before, to - after, to]
  }

  /// The image's column or row that is shown at a place of the layer.
  package func pixel(at place: Double) -> Double {
    let part = place < places[1] ? 0 : place < places[2] ? 1 : 2
    let room = places[part + 1] - places[part]
    guard room > 0 else { return pixels[part + 1] }
    return pixels[part] + (place - places[part]) / room * (pixels[part + 1] - pixels[part])
  }
}
