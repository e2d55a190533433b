package import Geometry

/// The way between a layer in perspective and the output: the layer with its descendants becomes a picture in its own plane,
/// which is seen through a homography. It depends on the tree and the size of the output, never on the damage.
package struct PlaneMap {
  /// Maps the layer's coordinates to the picture's pixels; mirrored where the back of the plane is seen, so that what is in it
  /// shows the same side as on the output.
  package let toPlane: Affine
  /// The pixels that the picture may fill.
  package let extent: IntRect
  /// Maps the picture's pixels to those of the output.
  private let toOutput: Homography
  /// Maps the output's pixels to those of the picture. Its w is one divided by that of the plane.
  package let fromOutput: Homography

  /// The longest side and the largest area of what is shown of a picture: a larger one has fewer pixels for each of the layer's
  /// units.
  private static let longestSide = 8192
  private static let largestArea = 1 << 24

  /// Nil for a plane that is seen from the edge, or lies behind the viewer.
  ///
  /// - Parameters:
  ///   - map: from the layer's coordinates to the output's pixels.
  ///   - frame: all pixels that are ever shown of the output; nil where only the extent is asked for.
  init?(_ layers: TreeLayers, of index: Int, end: Int, _ map: Homography, depth: Int, frame: IntRect?) {
    let bounds = layers.records[index].bounds
    // The part of the plane that is shown decides how fine its picture is.
    let view = frame.flatMap { frame in map.inverted?.boundingBox(of: Rect(frame)) }
    let seen = view.map(bounds.intersection) ?? bounds
    guard var (x, y) = Self.scale(map, seen.isEmpty ? bounds : seen) else { return nil }
    func toPlane() -> Affine {
      Affine.translation(x: -bounds.minX, y: -bounds.minY).concatenating(.scale(x: map.determinant < 0 ? -x : x, y: y))
    }
    var extent = layers.flatPicturePixels(of: index, end: end, toPlane(), depth: depth)
    let shown = view.map { IntRect(covering: toPlane().boundingBox(of: $0)).intersection(extent) } ?? extent
    // No picture is made without a frame, so that none could be too large.
    if frame != nil, max(shown.width, shown.height) > Self.longestSide || shown.area > Self.largestArea {
      let (width, height) = (Double(shown.width), Double(shown.height))
      x *= min(1, Double(Self.longestSide) / width)
      y *= min(1, Double(Self.longestSide) / height)
      let area = min(width, Double(Self.longestSide)) * min(height, Double(Self.longestSide))
      let shrunk = min(1, (Double(Self.largestArea) / area).squareRoot())
      (x, y) = (x * shrunk, y * shrunk)
      extent = layers.flatPicturePixels(of: index, end: end, toPlane(), depth: depth)
    }
    self.toPlane = toPlane()
    self.extent = extent
    guard let back = self.toPlane.inverted else { return nil }
    toOutput = Homography(back).concatenating(map)
    guard let fromOutput = toOutput.inverted else { return nil }
    self.fromOutput = fromOutput
    // The way back of maps that are all but flat may be rounded to a far larger part than is shown.
    if let frame, source(of: frame).area > 2 * Self.largestArea { return nil }
  }

  /// The pixels of the output on which the picture may be seen.
  var reached: IntRect {
    guard !extent.isEmpty, let box = toOutput.boundingBox(of: Rect(extent).insetBy(dx: -1, dy: -1)) else { return .zero }
    return IntRect(covering: box.insetBy(dx: -1, dy: -1))
  }

  /// The picture's pixels that those of the output need, one beyond `extent` at most: outside of it all are clear.
  package func source(of pixels: IntRect) -> IntRect {
    guard !extent.isEmpty, let box = fromOutput.boundingBox(of: Rect(pixels)) else { return .zero }
    return IntRect(covering: box.insetBy(dx: -2, dy: -2)).intersection(extent.framed)
  }

  /// The picture's pixels for each of the layer's units: as many as the output has where the bounds are nearest, but not more
  /// than four times as many as in their middle. Nil if none of these places is seen.
  private static func scale(_ map: Homography, _ bounds: Rect) -> (x: Double, y: Double)? {
    func scale(_ point: Point) -> (x: Double, y: Double)? {
      let w = map.w(point)
      guard w >= Homography.nearest, let image = map.apply(point) else { return nil }
      func length(_ x: Double, _ y: Double) -> Double { (x * x + y * y).squareRoot() / w }
      return (
        length(map.a - image.x * map.px, map.b - image.y * map.px),
        length(map.c - image.x * map.py, map.d - image.y * map.py)
      )
    }
    let corners = [
      Point(bounds.minX, bounds.minY), Point(bounds.maxX, bounds.minY), Point(bounds.minX, bounds.maxY),
      Point(bounds.maxX, bounds.maxY),
    ].compactMap(scale)
    let middle = scale(bounds.center)
    guard let first = middle ?? corners.first else { return nil }
    let x = min(corners.reduce(first.x) { max($0, $1.x) }, first.x * 4)
    let y = min(corners.reduce(first.y) { max($0, $1.y) }, first.y * 4)
    guard x > 1e-9, y > 1e-9, x < 1e9, y < 1e9 else { return nil }
    return (x, y)
  }
}

extension TreeLayers {
  /// The way between a layer in perspective and the output; nil if nothing is seen of it.
  ///
  /// - Parameters:
  ///   - transform: from the coordinates of its parent to the output's pixels.
  ///   - frame: all pixels that are ever shown of the output; nil where only the extent is asked for.
  package func plane(
    of index: Int, end: Int, _ homography: Homography, _ transform: Affine, depth: Int, frame: IntRect?
  ) -> PlaneMap? {
    PlaneMap(self, of: index, end: end, homography.concatenating(Homography(transform)), depth: depth, frame: frame)
  }

  /// True if a layer that has one side only shows the other one.
  package func isTurnedAway(_ index: Int, _ transform: Affine) -> Bool {
    guard records[index].flags.contains(.singleSided) else { return false }
    let homography = effects(at: index)?.parts.homography
    return (homography.map { $0.determinant * transform.determinant } ?? transform.determinant) < 0
  }
}
