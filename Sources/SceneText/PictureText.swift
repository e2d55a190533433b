import Geometry
import Layers
import Raster
import RenderTree

// The picture that a transition leads from: the records of its layers, with all that was shown of them and nothing that moves.

/// A record of a picture as it is read and written.
struct PictureRecord {
  var record = RenderRecord(id: 1, bounds: .zero)
  var contents = LayerContents.image(nil)
  var text: TextContent?
  var shape: ShapeContent.Parts?
  var gradient: GradientContent?
  var particles: PictureParticles?
  var parts = RenderEffects.Parts()

  var isHidden: Bool {
    get { record.flags.contains(.hidden) }
    set { set(.hidden, newValue) }
  }
  var masksToBounds: Bool {
    get { record.flags.contains(.masksToBounds) }
    set { set(.masksToBounds, newValue) }
  }
  var isDoubleSided: Bool {
    get { !record.flags.contains(.singleSided) }
    set { set(.singleSided, !newValue) }
  }

  private mutating func set(_ flag: RenderRecord.Flags, _ isOn: Bool) {
    if isOn { record.flags.insert(flag) } else { record.flags.remove(flag) }
  }
}

extension PictureRecord {
  @MainActor static let properties: [TextProperty<Self>] = [
    TextProperty("bounds", \.record.bounds, .finiteRect),
    TextProperty("transform", \.record.transform, .plane),
    TextProperty("homography", optional: \.parts.homography, .homography),
    TextProperty("opacity", \.record.opacity, .float("an opacity from 0 to 1") { $0 >= 0 && $0 <= 1 }),
    TextProperty("isHidden", \.isHidden, .bool),
    TextProperty("masksToBounds", \.masksToBounds, .bool),
    TextProperty("isDoubleSided", \.isDoubleSided, .bool),
    TextProperty("cornerRadius", \.record.cornerRadius, .float("a radius from 0 on") { $0 >= 0 && $0.isFinite }),
    TextProperty("maskedCorners", \.parts.corners, .corners),
    TextProperty("edgeAntialiasingMask", \.parts.smoothEdges, .edges),
    TextProperty("backgroundColor", \.record.backgroundColor, .pixel),
    TextProperty("border", optional: \.parts.border, .border),
    TextProperty("shadow", optional: \.parts.shadow, .shadow),
    TextProperty("innerShadow", optional: \.parts.innerShadow, .shadow),
    TextProperty("blurRadius", \.parts.blurRadius, .number.only("a radius from 0 on") { $0 >= 0 && $0.isFinite }),
    TextProperty(
      "colorMatrix", optional: \.parts.colorMatrix, .colorMatrix.only("numbers within a million", where: \.isUsable)),
    TextProperty(
      "backdropBlurRadius", \.parts.backdropBlurRadius, .number.only("a radius from 0 on") { $0 >= 0 && $0.isFinite }),
    TextProperty(
      "backdropColorMatrix", optional: \.parts.backdropColorMatrix,
      .colorMatrix.only("numbers within a million", where: \.isUsable)),
    TextProperty("compositingFilter", \.parts.blendMode, .word()),
    TextProperty("rasterizationScale", optional: \.parts.rasterizationScale, .positive),
    TextProperty("contents", \.contents, .contents),
    TextProperty("text", optional: \.text, .text),
    TextProperty("shape", optional: \.shape, .shape),
    TextProperty("gradient", optional: \.gradient, .gradient),
    TextProperty("particles", optional: \.particles, .particles),
    TextProperty("placement", optional: \.parts.placement, .placement),
    TextProperty(
      "contentsRect", \.parts.cut.rect,
      .finiteRect.only("a rectangle that is not empty") { $0.width >= 1e-9 && $0.height >= 1e-9 }),
    TextProperty("contentsCenter", \.parts.cut.center, .finiteRect),
    TextProperty("contentsScale", \.parts.cut.scale, .positive),
    TextProperty("minificationFilter", \.parts.cut.minification, .word()),
    TextProperty("magnificationFilter", \.parts.cut.magnification, .word()),
  ]
}

// MARK: - Records

extension SceneReader {
  /// Reads `record { … }` with all records in it.
  func picture() throws(SceneError) -> OldPicture {
    guard take("record") else { throw expected("record: a picture is a record with records in it") }
    var tree = TreeSnapshot()
    try record(into: &tree, flags: [])
    return OldPicture(tree)
  }

  private func record(into tree: inout TreeSnapshot, flags: RenderRecord.Flags) throws(SceneError) {
    try count(.layers)
    let index = tree.records.count
    var picture = PictureRecord()
    picture.record = RenderRecord(id: UInt32(index + 1), bounds: .zero, flags: flags)
    tree.append(picture.record, SideValues())
    try block(of: "a property of the record, or a record") { () throws(SceneError) in
      if take("record") {
        try record(into: &tree, flags: [])
      } else if word == "mask" {
        guard tree.records.count == index + 1 else { throw expected("the mask before the other records") }
        advance()
        guard take("record") else { throw expected("record") }
        picture.record.flags.insert(.masked)
        try record(into: &tree, flags: .mask)
      } else if try !take(PictureRecord.properties, in: &picture) {
        throw expected("a property of the record, or a record")
      }
    }
    picture.record.subtreeEnd = UInt32(tree.records.count)
    let half = Float(max(min(picture.record.bounds.width, picture.record.bounds.height) / 2, 0))
    picture.record.cornerRadius = min(picture.record.cornerRadius, half)
    let content: (any RenderContent)? =
      picture.gradient ?? picture.particles?.content ?? picture.text ?? picture.shape.map { ShapeContent($0) }
      ?? picture.contents.content
    let sides = SideValues(content: content, effects: .make(picture.parts, last: nil))
    picture.record.settle(sides)
    (tree.records[index], tree.sides[index]) = (picture.record, sides)
  }
}

extension SceneWriter {
  /// Writes a record of the picture that a transition leads from, with all records in it.
  func write(_ tree: TreeSnapshot, _ index: Int, before: String) {
    let picture = PictureRecord(
      record: tree.records[index], contents: LayerContents(tree.sides[index].content),
      text: tree.sides[index].content as? TextContent, shape: (tree.sides[index].content as? ShapeContent)?.parts,
      gradient: tree.sides[index].content as? GradientContent, particles: PictureParticles(tree.sides[index].content),
      parts: tree.sides[index].effects?.parts ?? RenderEffects.Parts())
    let properties = texts(PictureRecord.properties, of: picture, new: PictureRecord())
    let end = picture.record.end(at: index, in: tree.records.count)
    block("\(before)record", properties) {
      var child = index + 1
      while child < end {
        write(tree, child, before: tree.records[child].flags.contains(.mask) ? "mask " : "")
        child = tree.records[child].end(at: child, in: end)
      }
    }
  }
}

// MARK: - Values

extension LayerContents {
  fileprivate init(_ content: (any RenderContent)?) {
    let mixture = (content as? ImageMixture)?.parts.map { ($0.share, $0.image) }
    // Text has a property of its own.
    self = mixture.map { .mixture($0) } ?? .image(content is TextContent ? nil : content?.image)
  }

  fileprivate var content: (any RenderContent)? {
    let parts = shares.map { ImageMixture.Part($0.image, share: $0.share) }
    return parts == [] || parts.count == 1 && parts[0].share == 1 ? image : ImageMixture(parts)
  }
}

extension ValueSyntax where Value == TextContent {
  static var text: Self {
    let expected =
      "text: its area, the pixels and the scale of an image of it, maybe cut edges, and parts: line, glyphs or fill"
    return Self(expected) {
      reader throws(SceneError) in
      let side = ValueSyntax<Double>.number.only("pixels from 1 to \(Bitmap.maximumSide)") {
        $0 >= 1 && $0 <= Double(Bitmap.maximumSide)
      }
      let area = try ValueSyntax<Rect>.finiteRect.read(reader)
      let (width, height) = (Int(try side.read(reader)), Int(try side.read(reader)))
      guard reader.resources.takesPixels(width * height) else { throw reader.expected("text of fewer pixels") }
      let scale = try ValueSyntax<Double>.positive.read(reader)
      let cutEdges = reader.take("cut") ? try ValueSyntax<Edges>.edges.read(reader) : []
      let part = ValueSyntax<TextPart>.textPart
      let parts = try reader.list(while: { reader.valueWord.map(TextPart.words.contains) ?? false }) {
        () throws(SceneError) in try part.read(reader)
      }
      return TextContent(TextParts(parts), area: area, width: width, height: height, scale: scale, cutEdges: cutEdges)
    } text: { value, writer in
      let area = ValueSyntax<Rect>.rect.text(value.area, writer)
      let parts = value.parts.map { " " + ValueSyntax<TextPart>.textPart.text($0, writer) }
      let cut = value.cutEdges.isEmpty ? "" : " cut \(ValueSyntax<Edges>.edges.text(value.cutEdges, writer))"
      return "\(area) \(value.width) \(value.height) \(SceneNumber.text(value.scale))\(cut)" + parts.joined()
    }
  }
}

extension ValueSyntax where Value == ShapeContent.Parts {
  /// The parts that differ from those of a new shape, in any order.
  fileprivate static var shape: Self {
    let words = [
      "path", "fillColor", "fillGradient", "fillRule", "strokeColor", "strokeGradient", "strokeStyle", "strokeStart",
      "strokeEnd",
    ]
    return Self("a shape: \(words.dropLast().joined(separator: ", ")) or strokeEnd with its value") {
      reader throws(SceneError) in
      var shape = Value()
      while let word = reader.valueWord, words.contains(word) {
        reader.advance()
        switch word {
        case "path": shape.path = try ValueSyntax<Path>.path.read(reader)
        case "fillColor": shape.fillColor = try ValueSyntax<Color?>.optional(.color).read(reader)
        case "fillGradient": shape.fillGradient = try ValueSyntax<ShapeGradient?>.optional(.gradient).read(reader)
        case "fillRule": shape.fillRule = try ValueSyntax<FillRule>.fillRule.read(reader)
        case "strokeColor": shape.strokeColor = try ValueSyntax<Color?>.optional(.color).read(reader)
        case "strokeGradient": shape.strokeGradient = try ValueSyntax<ShapeGradient?>.optional(.gradient).read(reader)
        case "strokeStyle": shape.strokeStyle = try ValueSyntax<StrokeStyle>.strokeStyle.read(reader)
        case "strokeStart": shape.strokeStart = try reader.number()
        default: shape.strokeEnd = try reader.number()
        }
      }
      return shape
    } text: { shape, writer in
      let plain = Value()
      var words: [String] = []
      @MainActor func add<Part: Equatable>(_ name: String, _ path: KeyPath<Value, Part>, _ syntax: ValueSyntax<Part>) {
        if shape[keyPath: path] != plain[keyPath: path] {
          words.append("\(name) \(syntax.text(shape[keyPath: path], writer))")
        }
      }
      if let path = shape.path { words.append("path \(ValueSyntax<Path>.path.text(path, writer))") }
      add("fillColor", \.fillColor, .optional(.color))
      add("fillGradient", \.fillGradient, .optional(.gradient))
      add("fillRule", \.fillRule, .fillRule)
      add("strokeColor", \.strokeColor, .optional(.color))
      add("strokeGradient", \.strokeGradient, .optional(.gradient))
      add("strokeStyle", \.strokeStyle, .strokeStyle)
      add("strokeStart", \.strokeStart, .number)
      add("strokeEnd", \.strokeEnd, .number)
      return words.joined(separator: " ")
    }
  }
}

extension ValueSyntax where Value == GradientContent {
  /// Its points are in parts of the bounds.
  fileprivate static var gradient: Self {
    let syntax = ValueSyntax<ShapeGradient>.gradient
    return Self(syntax.expected) { reader throws(SceneError) in
      let read = try syntax.read(reader)
      return GradientContent(GradientContent.Course(read.type, from: read.start, to: read.end, stops: read.stops))
    } text: { value, writer in
      let course = value.course
      return syntax.text(ShapeGradient(course.type, from: course.start, to: course.end, stops: course.stops), writer)
    }
  }
}

extension ValueSyntax where Value == Rect {
  fileprivate static var finiteRect: Self {
    rect.only("a rectangle of finite numbers") { ($0.minX + $0.minY + $0.width + $0.height).isFinite }
  }
}

extension ValueSyntax where Value == Float {
  fileprivate static func float(_ expected: String, where isRight: @escaping (Float) -> Bool) -> Self {
    Self(expected) { reader throws(SceneError) in
      Float(try reader.number(expected))
    } text: { value, _ in
      SceneNumber.text(Double(value))
    }.only(expected, where: isRight)
  }
}

extension ValueSyntax where Value == UInt32 {
  private static var expectation: String { "a colour with its alpha multiplied in, such as #40202080" }

  /// A colour with alpha multiplied in, written with alpha last.
  fileprivate static var pixel: Self {
    Self(expectation) { reader throws(SceneError) in
      guard case .color(let digits) = reader.token.kind, digits.count == 8, let value = UInt32(digits, radix: 16),
        (1...3).allSatisfy({ value >> (8 * $0) & 0xFF <= value & 0xFF })
      else { throw reader.expected(expectation) }
      reader.advance()
      return value >> 8 | value << 24
    } text: { value, _ in
      "#" + SceneNumber.hexadecimal(value << 8 | value >> 24, digits: 8)
    }
  }
}

extension ValueSyntax where Value == Affine {
  fileprivate static var plane: Self {
    let transform = ValueSyntax<Transform3D>.transform
    return Self("a map of the plane") { reader throws(SceneError) in
      try transform.read(reader).flattened
    } text: { value, writer in
      transform.text(Transform3D(value), writer)
    }.only("a map of finite numbers") { ($0.a + $0.b + $0.c + $0.d + $0.tx + $0.ty).isFinite }
  }
}

extension ValueSyntax where Value == Homography {
  fileprivate static var homography: Self {
    let expected = "nine numbers: a b px c d py tx ty pw"
    return Self(expected) { reader throws(SceneError) in
      var map = Homography.identity
      for path in [\Homography.a, \.b, \.px, \.c, \.d, \.py, \.tx, \.ty, \.pw] {
        map[keyPath: path] = try reader.number(expected)
      }
      return map
    } text: { map, _ in
      sceneNumbers(map.a, map.b, map.px, map.c, map.d, map.py, map.tx, map.ty, map.pw)
    }.only("a map of finite numbers") { $0.determinant.isFinite }
  }
}

extension ValueSyntax where Value == Border {
  fileprivate static var border: Self {
    Self("a border: its width and a colour") { reader throws(SceneError) in
      Border(width: try ValueSyntax<Double>.positive.read(reader), color: try ValueSyntax<UInt32>.pixel.read(reader))
    } text: { value, writer in
      "\(SceneNumber.text(value.width)) \(ValueSyntax<UInt32>.pixel.text(value.color, writer))"
    }
  }
}

extension ValueSyntax where Value == Shadow {
  fileprivate static var shadow: Self {
    Self("a shadow: a colour, its offset and its radius") { reader throws(SceneError) in
      let color = try ValueSyntax<UInt32>.pixel.read(reader)
      let (offset, radius) = (try ValueSyntax<Size>.size.read(reader), try reader.number("the radius of a shadow"))
      let path = reader.take("path") ? try ValueSyntax<Path>.path.read(reader) : nil
      return Shadow(color: color, offset: offset, radius: radius, path: path)
    } text: { value, writer in
      let numbers = sceneNumbers(value.offset.width, value.offset.height, value.radius)
      let path = value.path.map { " path \(ValueSyntax<Path>.path.text($0, writer))" } ?? ""
      return "\(ValueSyntax<UInt32>.pixel.text(value.color, writer)) \(numbers)\(path)"
    }.only("a shadow of finite numbers with a radius from 0 on") {
      ($0.offset.width + $0.offset.height + $0.radius).isFinite && $0.radius >= 0
    }
  }
}

extension ValueSyntax where Value == ContentPlacement {
  fileprivate static var placement: Self {
    Self("a place: a gravity, a size, and the size of all pixels divided by it") { reader throws(SceneError) in
      let gravity = try ValueSyntax<ContentsGravity>.word().read(reader)
      let size = try ValueSyntax<Size>.size.read(reader)
      return ContentPlacement(gravity: gravity, size: size, overhang: try ValueSyntax<Size>.size.read(reader))
    } text: { value, _ in
      let (size, overhang) = (value.size, value.overhang)
      return "\(value.gravity) \(sceneNumbers(size.width, size.height, overhang.width, overhang.height))"
    }.only("a place of finite numbers", where: \.isFinite)
  }
}
