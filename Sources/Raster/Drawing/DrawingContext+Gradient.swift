internal import CCairo
import Geometry

extension DrawingContext {
  /// Sets a gradient as the paint, dithered: rounded to whole levels, a dark gradient would show its bands.
  ///
  /// Four gradients of a quarter of the pixels each, an eighth to three eighths of a level lighter or darker, are woven into one:
  /// ordered dithering by a Bayer matrix of 2 × 2. The Cairo of Debian 12 has no dithering of its own, which came with 1.18.
  ///
  /// - Parameter pixels: the pixels that are going to be painted; only those inside the clip count.
  /// - Returns: false if the gradient paints nothing.
  func setSource(_ gradient: Gradient, over pixels: IntRect) -> Bool {
    guard isDrawable, !gradient.stops.isEmpty, gradient.isUsable else { return false }
    let clip = clippedPixels.intersection(pixels)
    guard !clip.isEmpty else { return false }
    // From even places on, so that the same point has the same level in every clip.
    let area = IntRect(minX: clip.minX & ~1, minY: clip.minY & ~1, maxX: clip.maxX, maxY: clip.maxY)
    let woven = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, area.maxX - area.minX, area.maxY - area.minY)
    defer { cairo_surface_destroy(woven) }
    guard cairo_surface_status(woven) == CAIRO_STATUS_SUCCESS else { return false }
    for (row, levels) in [[-3.0, 1], [3, -1]].enumerated() {
      for (column, level) in levels.enumerated() {
        weave(gradient, lighterBy: level / 8 / 255, into: woven, area: area, column: column, row: row)
      }
    }
    cairo_surface_mark_dirty(woven)
    cairo_set_source_surface(cairo, woven, Double(area.minX), Double(area.minY))
    return true
  }

  /// The pixels around the current path, whose paint reaches so many pixels beyond it: one by antialiasing, and more from a pen.
  func addedPixels(reach: Double = 1) -> IntRect {
    var left = 0.0
    var top = 0.0
    var right = 0.0
    var bottom = 0.0
    cairo_path_extents(cairo, &left, &top, &right, &bottom)
    return IntRect(
      covering: Rect(x: left, y: top, width: right - left, height: bottom - top).insetBy(dx: -reach, dy: -reach))
  }

  /// Draws every second pixel of every second row of `woven`.
  private func weave(
    _ gradient: Gradient, lighterBy level: Double, into woven: OpaquePointer?, area: IntRect, column: Int, row: Int
  ) {
    let width = (Int(area.maxX - area.minX) - column + 1) / 2
    let height = (Int(area.maxY - area.minY) - row + 1) / 2
    let quarter = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, Int32(width), Int32(height))
    defer { cairo_surface_destroy(quarter) }
    let context = cairo_create(quarter)
    // The middle of a quarter's pixel lies on the middle of the pixel that it stands for.
    let place = Affine.translation(x: 0.5 - Double(Int(area.minX) + column), y: 0.5 - Double(Int(area.minY) + row))
    let toQuarter = transform.concatenating(place).concatenating(.scale(0.5))
    var matrix = cairo_matrix_t(
      xx: toQuarter.a, yx: toQuarter.b, xy: toQuarter.c, yy: toQuarter.d, x0: toQuarter.tx, y0: toQuarter.ty)
    cairo_set_matrix(context, &matrix)
    let pattern = gradient.makePattern(lighterBy: level)
    cairo_set_source(context, pattern)
    cairo_paint(context)
    cairo_pattern_destroy(pattern)
    cairo_destroy(context)
    cairo_surface_flush(quarter)
    guard let from = cairo_image_surface_get_data(quarter), let to = cairo_image_surface_get_data(woven) else { return }
    let fromStride = Int(cairo_image_surface_get_stride(quarter))
    let toStride = Int(cairo_image_surface_get_stride(woven))
    for y in 0..<height {
      let source = UnsafeMutableRawPointer(from + y * fromStride).assumingMemoryBound(to: UInt32.self)
      let target = UnsafeMutableRawPointer(to + (2 * y + row) * toStride).assumingMemoryBound(to: UInt32.self) + column
      for x in 0..<width { target[2 * x] = source[x] }
    }
  }
}

extension Gradient {
  /// False if a coordinate is not finite or a radius is negative.
  fileprivate var isUsable: Bool {
    func usable(_ point: Point) -> Bool { abs(point.x) < 1e9 && abs(point.y) < 1e9 }
    func usable(_ radius: Double) -> Bool { radius >= 0 && radius < 1e9 }
    switch shape {
    case .linear(let start, let end): return usable(start) && usable(end)
    case .radial(let startCenter, let startRadius, let endCenter, let endRadius):
      return usable(startCenter) && usable(endCenter) && usable(startRadius) && usable(endRadius)
    }
  }

  fileprivate func makePattern(lighterBy level: Double) -> OpaquePointer? {
    let pattern =
      switch shape {
      case .linear(let start, let end): cairo_pattern_create_linear(start.x, start.y, end.x, end.y)
      case .radial(let startCenter, let startRadius, let endCenter, let endRadius):
        cairo_pattern_create_radial(startCenter.x, startCenter.y, startRadius, endCenter.x, endCenter.y, endRadius)
      }
    for stop in stops {
      func unit(_ value: Double) -> Double { DrawingContext.unit(DrawingContext.unit(value) + level) }
      cairo_pattern_add_color_stop_rgba(
        pattern, DrawingContext.unit(stop.location), unit(stop.color.red), unit(stop.color.green), unit(stop.color.blue),
        DrawingContext.unit(stop.color.alpha))
    }
    return pattern
  }
}
