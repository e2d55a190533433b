import Geometry
import Raster
import RenderTree

@testable import Compositing

/// The definition of a tree's picture, for layers on whole pixels with square corners: a pixel at a time, in real numbers. A layer in
/// a group of its own, or one that throws a shadow, is asked for its pixels one by one.
final class PlainCompositor {
  /// Blue, green, red, alpha: 0…1, alpha multiplied in.
  typealias Color = SIMD4<Double>

  struct Pixel: Hashable {
    var x: Int
    var y: Int

    func moved(by map: Affine) -> Pixel { Pixel(x: x - Int(map.tx), y: y - Int(map.ty)) }
    func isInside(_ rect: Rect) -> Bool { rect.contains(Point(Double(x) + 0.5, Double(y) + 0.5)) }
  }

  private struct Place: Hashable {
    var index: Int
    var pixel: Pixel
  }

  /// The picture in which a layer is painted.
  private struct Group {
    /// The layer whose inside it is; nil for the output.
    var root: Int?
    /// The pixels beyond which those at its edges go on behind a layer that filters them, in the group's coordinates.
    var frame: IntRect
    /// The coordinates of the layer whose children are painted, in those of the group.
    var origin = Pixel(x: 0, y: 0)
    /// The layers from this one on are left out.
    var end = Int.max
    /// The group in which the root fades, if it is no picture: it shows what lies behind the root there as well.
    var outer: [Group] = []

    func moved(by map: Affine) -> Group {
      var group = self
      group.origin = Pixel(x: origin.x + Int(map.tx), y: origin.y + Int(map.ty))
      return group
    }

    /// A group of its own at the same place.
    func inside(_ index: Int) -> Group {
      Group(root: index, frame: frame.offsetBy(dx: -Int32(origin.x), dy: -Int32(origin.y)), outer: [self])
    }
  }

  let tree: TreeSnapshot
  let blending: Blending
  private let frame: IntRect
  private var bodies: [Place: Color] = [:]
  private var filteredBodies: [Place: Color] = [:]
  private var blurredRows: [Place: Double] = [:]
  private var backdrops: [Place: Color] = [:]
  private var olds: [Int: PlainCompositor] = [:]
  var textParts: [Int: [Image]] = [:]
  let emitters = PlainEmitters()

  /// - Parameter output: all pixels that may be asked for.
  init(tree: TreeSnapshot, output: IntRect, blending: Blending = .sRGB) {
    (self.tree, self.blending) = (tree, blending)
    frame = Placement(outside: tree, on: output).clip
  }

  func pixel(_ x: Int, _ y: Int) -> Color {
    shown(Pixel(x: x, y: y), before: .max)
  }

  /// The output's pixel with only the layers before one.
  private func shown(_ pixel: Pixel, before end: Int) -> Color {
    var result = Self.color(tree.backdrop)
    let place = IntRect(x: pixel.x, y: pixel.y, width: 1, height: 1)
    if let clip = tree.viewport?.clip, !clip.intersects(place) { return result }
    let map = tree.viewport?.transform ?? .identity
    let group = Group(root: nil, frame: frame, end: end).moved(by: map)
    paint(0..<tree.records.count, pixel.moved(by: map), group, &result)
    return result
  }

  static func color(_ pixel: UInt32) -> Color {
    Color(Double(pixel & 255), Double(pixel >> 8 & 255), Double(pixel >> 16 & 255), Double(pixel >> 24)) / 255
  }

  func over(_ source: Color, _ backdrop: Color) -> Color { PlainBlending.over(source, backdrop, blending) }

  // MARK: Layers

  /// Paints layers whose parent has this pixel.
  private func paint(_ range: Range<Int>, _ parentPixel: Pixel, _ parent: Group, _ result: inout Color) {
    var index = range.lowerBound
    while index < min(range.upperBound, parent.end) {
      let record = tree.records[index]
      defer { index = Int(record.subtreeEnd) }
      // Opacity has 255 steps.
      let opacity = (min(max(Double(record.opacity), 0), 1) * 255).rounded() / 255
      if opacity == 0 || !record.flags.isDisjoint(with: [.hidden, .mask]) { continue }
      let pixel = parentPixel.moved(by: record.transform)
      let parts = tree.sides[index].effects?.parts ?? RenderEffects.Parts()
      let group = parent.moved(by: record.transform)
      var backdrop = filteredBackdrop(index, pixel, group, parts)
      if isPicture(record, parts) {
        backdrop *= maskAlpha(index, pixel, group.inside(index).frame)
        if parts.blendMode.actsWhereClear, !pixel.isInside(record.bounds) { continue }
        let source = over(picture(index, pixel, group.inside(index).frame), backdrop) * opacity
        result =
          parts.blendMode == .normal ? over(source, result) : PlainBlending.blend(parts.blendMode, source, over: result)
      } else if opacity < 1, addsParticles(index, record, parts) {
        paintParticles(index, pixel, opacity, &result)
      } else if opacity < 1 {
        paintInside(index, pixel, group.inside(index), &backdrop)
        result = over(backdrop * opacity, result)
      } else {
        result = over(backdrop, result)
        paintInside(index, pixel, group, &result)
      }
    }
  }

  private func isPicture(_ record: RenderRecord, _ parts: RenderEffects.Parts) -> Bool {
    record.flags.contains(.masked) || parts.shadow != nil || parts.blendMode != .normal
      || parts.rasterizationScale != nil || parts.transition != nil || parts.blurRadius > 0 || parts.colorMatrix != nil
  }

  /// Background, content, descendants and border.
  private func paintInside(_ index: Int, _ pixel: Pixel, _ group: Group, _ result: inout Color) {
    let record = tree.records[index]
    let isInside = pixel.isInside(record.bounds)
    if isInside { result = over(Self.color(record.backgroundColor), result) }
    paintParticles(index, pixel, 1, &result)
    result = over(content(index, pixel), result)
    let parts = tree.sides[index].effects?.parts
    if isInside, let shadow = parts?.innerShadow {
      let alpha = PlainBlur.sum(at: Double(pixel.y) - shadow.offset.height, deviation: shadow.radius / 2) { y in
        PlainBlur.sum(at: Double(pixel.x) - shadow.offset.width, deviation: shadow.radius / 2) { x in
          Pixel(x: x, y: y).isInside(record.bounds) ? 0 : 1
        }
      }
      result = over(Self.color(shadow.color) * alpha, result)
    }
    if isInside || !record.flags.contains(.masksToBounds) {
      paint(index + 1..<Int(record.subtreeEnd), pixel, group, &result)
    }
    // A group that is seen from inside has no border yet.
    if let border = parts?.border, isInside, Int(record.subtreeEnd) <= group.end {
      let width = max(border.width.rounded(), 1)
      let isBeyond = record.bounds.width <= width * 2 || record.bounds.height <= width * 2
      if isBeyond || !pixel.isInside(record.bounds.insetBy(dx: width, dy: width)) {
        result = over(Self.color(border.color), result)
      }
    }
  }

  /// The picture of a layer with its descendants and effects, but for its opacity and its mode of blending.
  private func picture(_ index: Int, _ pixel: Pixel, _ frame: IntRect) -> Color {
    guard let transition = tree.sides[index].effects?.parts.transition else { return decorated(index, pixel, frame) }
    let new = transition.isNewHidden ? .zero : decorated(index, pixel, frame)
    if transition.old.tree.records.isEmpty { return new * transition.progress }
    let old = olds[index] ?? PlainCompositor(tree: transition.old.tree, output: frame, blending: blending)
    olds[index] = old
    return old.picture(0, pixel, frame) * (1 - transition.progress) + new * transition.progress
  }

  private func decorated(_ index: Int, _ pixel: Pixel, _ shown: IntRect) -> Color {
    let record = tree.records[index]
    let frame = frame(of: index, shown)
    var result = filtered(index, pixel, frame)
    if let shadow = tree.sides[index].effects?.parts.shadow,
      !record.flags.contains(.masksToBounds) || pixel.isInside(record.bounds)
    {
      result = over(result, Self.color(shadow.color) * alpha(of: shadow, index, pixel, frame))
    }
    return result * maskAlpha(index, pixel, shown)
  }

  private func maskAlpha(_ index: Int, _ pixel: Pixel, _ frame: IntRect) -> Double {
    let record = tree.records[index]
    guard record.flags.contains(.masked) else { return 1 }
    let mask = index + 1
    guard mask < Int(record.subtreeEnd), tree.records[mask].flags.contains(.mask),
      !tree.records[mask].flags.contains(.hidden)
    else { return 0 }
    let opacity = min(max(Double(tree.records[mask].opacity), 0), 1)
    let map = tree.records[mask].transform
    let moved = frame.offsetBy(dx: -Int32(map.tx), dy: -Int32(map.ty))
    return picture(mask, pixel.moved(by: map), moved).w * opacity
  }

  /// The pixels that may be asked for inside of a layer's shadow and blur; none inside of a shadow from far away, where nothing is
  /// filtered behind layers.
  private func frame(of index: Int, _ shown: IntRect) -> IntRect {
    var result = shown
    let parts = tree.sides[index].effects?.parts
    if let shadow = parts?.shadow {
      let blur = PictureBlur(shadow, .identity)
      if blur.isFar || shown.isEmpty { return .zero }
      result = result.union(blur.source(of: result))
    }
    if shown.isEmpty { return .zero }
    if let blur = parts?.blur(.identity) { result = result.union(blur.source(of: result)) }
    return result
  }

  /// Background, content, descendants and border.
  private func body(_ index: Int, _ pixel: Pixel, _ frame: IntRect) -> Color {
    let place = Place(index: index, pixel: pixel)
    if let known = bodies[place] { return known }
    var result = Color.zero
    paintInside(index, pixel, Group(root: index, frame: frame), &result)
    bodies[place] = result
    return result
  }

  // MARK: Filters

  private func filtered(_ index: Int, _ pixel: Pixel, _ frame: IntRect) -> Color {
    let place = Place(index: index, pixel: pixel)
    if let known = filteredBodies[place] { return known }
    let parts = tree.sides[index].effects?.parts ?? RenderEffects.Parts()
    let blurred = blurred(pixel, parts.blurRadius) { body(index, $0, frame) }
    let result = mapped(blurred, by: parts.colorMatrix)
    filteredBodies[place] = result
    return result
  }

  private func mapped(_ color: Color, by matrix: ColorMatrix?) -> Color {
    guard let matrix, color.w > 0 else { return color }
    // Blue, green, red to red, green, blue, and back.
    let straight = Color(color.z, color.y, color.x, 0) / color.w
    var sum = matrix.constant + matrix.alpha * color.w
    for (column, value) in [(matrix.red, straight.x), (matrix.green, straight.y), (matrix.blue, straight.z)] {
      sum += column * value
    }
    sum.clamp(lowerBound: .zero, upperBound: .one)
    return Color(sum.z, sum.y, sum.x, 1) * sum.w
  }

  private func blurred(_ pixel: Pixel, _ radius: Double, _ color: (Pixel) -> Color) -> Color {
    if radius == 0 { return color(pixel) }
    var result = Color.zero
    for channel in 0..<4 {
      result[channel] = PlainBlur.sum(at: Double(pixel.y), deviation: radius) { y in
        PlainBlur.sum(at: Double(pixel.x), deviation: radius) { x in color(Pixel(x: x, y: y))[channel] }
      }
    }
    return result
  }

  // MARK: Backdrops

  private func filteredBackdrop(
    _ index: Int, _ pixel: Pixel, _ group: Group, _ parts: RenderEffects.Parts
  ) -> Color {
    guard parts.filtersBackdrop, !group.frame.isEmpty, pixel.isInside(tree.records[index].bounds) else { return .zero }
    let blurred = blurred(pixel, parts.backdropBlurRadius) { pixel in
      let (x, y) = (pixel.x + group.origin.x, pixel.y + group.origin.y)
      let isBlurred = parts.backdropBlurRadius > 0
      return backdrop(
        of: index, group,
        Pixel(
          x: isBlurred ? min(max(x, Int(group.frame.minX)), Int(group.frame.maxX) - 1) : x,
          y: isBlurred ? min(max(y, Int(group.frame.minY)), Int(group.frame.maxY) - 1) : y))
    }
    return mapped(blurred, by: parts.backdropColorMatrix)
  }

  /// The pixel of a group with only the layers before one of it.
  private func backdrop(of index: Int, _ group: Group, _ pixel: Pixel) -> Color {
    let place = Place(index: index, pixel: pixel)
    if let known = backdrops[place] { return known }
    var result = Color.zero
    if let root = group.root {
      if let outer = group.outer.first {
        let parts = tree.sides[root].effects?.parts ?? RenderEffects.Parts()
        result = filteredBackdrop(root, pixel, outer, parts)
      }
      paintInside(root, pixel, Group(root: root, frame: group.frame, end: index, outer: group.outer), &result)
    } else {
      result = shown(pixel, before: index)
    }
    backdrops[place] = result
    return result
  }

  // MARK: Shadow

  private func alpha(of shadow: Shadow, _ index: Int, _ pixel: Pixel, _ frame: IntRect) -> Double {
    PlainBlur.sum(at: Double(pixel.y) - shadow.offset.height, deviation: shadow.radius / 2) { y in
      let place = Place(index: index, pixel: Pixel(x: pixel.x, y: y))
      if let known = blurredRows[place] { return known }
      let row = PlainBlur.sum(at: Double(pixel.x) - shadow.offset.width, deviation: shadow.radius / 2) { x in
        filtered(index, Pixel(x: x, y: y), frame).w
      }
      blurredRows[place] = row
      return row
    }
  }

  // MARK: Content

  private func content(_ index: Int, _ pixel: Pixel) -> Color {
    let content = tree.sides[index].content
    if let text = content as? TextContent, isShownWhole(text, index) { return color(of: text, index, pixel) }
    if let shape = content as? ShapeContent { return color(of: shape, tree.records[index], pixel) }
    if let gradient = content as? GradientContent {
      let (bounds, middle) = (tree.records[index].bounds, Point(Double(pixel.x) + 0.5, Double(pixel.y) + 0.5))
      let plain = PlainGradient(gradient.course, bounds, blending)
      return pixel.isInside(bounds) ? plain.place(of: middle).map(plain.color) ?? .zero : .zero
    }
    guard let image = content?.image else { return .zero }
    if let whole = image.whole, showsAround(index) { return color(of: whole, around: image, index, pixel) }
    return color(of: image, in: tree.records[index].bounds, index, pixel)
  }

  /// The colour of an image that is the contents of a layer.
  private func color(of image: Image, in bounds: Rect, _ index: Int, _ pixel: Pixel) -> Color {
    let effects = tree.sides[index].effects
    let shown = effects.contentRect(in: bounds)
    let seen = shown.intersection(bounds)
      .intersection(Rect(x: Double(pixel.x), y: Double(pixel.y), width: 1, height: 1))
    if seen.isEmpty { return .zero }
    let cut = effects?.parts.cut ?? ContentCut()
    let column = Self.place(
      Double(pixel.x) + 0.5 - shown.minX, of: shown.width, Double(image.width), (cut.rect.minX, cut.rect.width),
      (cut.center.minX, cut.center.width), cut)
    let row = Self.place(
      Double(pixel.y) + 0.5 - shown.minY, of: shown.height, Double(image.height), (cut.rect.minY, cut.rect.height),
      (cut.center.minY, cut.center.height), cut)
    let x = min(max(Int(column.rounded(.down)), 0), image.width - 1)
    let y = min(max(Int(row.rounded(.down)), 0), image.height - 1)
    return Self.color(image.row(y).assumingMemoryBound(to: UInt32.self)[x]) * (seen.width * seen.height)
  }

  /// The coverage of a shape has tests of its own.
  private func color(of shape: ShapeContent, _ record: RenderRecord, _ pixel: Pixel) -> Color {
    if record.flags.contains(.masksToBounds), !pixel.isInside(record.bounds) { return .zero }
    var (result, coverage) = (Color.zero, UInt8(0))
    let parts = shape.parts
    for (part, color, gradient) in [
      (StripCache.Part.fill, parts.fillColor, parts.fillGradient), (.stroke, parts.strokeColor, parts.strokeGradient),
    ] {
      guard let paint = shapeColor(color, gradient, pixel) else { continue }
      let strips = StripCache.shared.strips(of: shape, part, .identity, frame: nil)?.strips
      strips?.coverage(Int32(pixel.y), Int32(pixel.x)..<Int32(pixel.x + 1), &coverage)
      if strips != nil {
        result = over(paint * (Double(coverage) / 255), result)
      }
    }
    return result
  }

  /// The colour of a shape's part at the middle of a pixel; nil where it has none.
  private func shapeColor(_ color: Geometry.Color?, _ gradient: ShapeGradient?, _ pixel: Pixel) -> Color? {
    guard let gradient, !gradient.stops.isEmpty else { return color.map { Self.color($0.premultipliedBGRA) } }
    let course = GradientContent.Course(gradient.type, from: gradient.start, to: gradient.end, stops: gradient.stops)
    let plain = PlainGradient(course, Rect(x: 0, y: 0, width: 1, height: 1), blending)
    return plain.place(of: Point(Double(pixel.x) + 0.5, Double(pixel.y) + 0.5)).map(plain.color)
  }

  /// The place in an image along one axis that is shown at a distance from the beginning of the content.
  private static func place(
    _ distance: Double, of length: Double, _ count: Double, _ part: (Double, Double), _ center: (Double, Double),
    _ cut: ContentCut
  ) -> Double {
    let (first, pixels) = (part.0 * count, part.1 * count)
    guard cut.center != Rect(x: 0, y: 0, width: 1, height: 1) else { return first + distance / length * pixels }
    var low = min(max(center.0, 0), 1) * pixels
    var high = min(max(center.0 + center.1, 0), 1) * pixels
    // No middle: the pixel there.
    if high - low < 1e-9 { (low, high) = (max(low - 0.5, 0), min(high + 0.5, pixels)) }
    let ends = low + (pixels - high)
    let shrunk = min(1, length * cut.scale / ends) / cut.scale
    let (left, right) = (low * shrunk, (pixels - high) * shrunk)
    if distance < left { return first + distance / left * low }
    if distance >= length - right { return first + high + (distance - (length - right)) / right * (pixels - high) }
    return first + low + (distance - left) / (length - left - right) * (high - low)
  }
}
