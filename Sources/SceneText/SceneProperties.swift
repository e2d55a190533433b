import Geometry
import Glibc
import Layers
import LinuxSystem
import Raster
import RenderTree
import Typesetting

/// A kind of layer in a scene's text. To add one, or a property of one, add a line to a table below.
@MainActor
struct SceneKind {
  let word: String
  let type: Layer.Type
  let make: @MainActor () -> Layer
  /// True for a layer of the kind or of a subclass.
  let isKind: @MainActor (Layer) -> Bool
  let properties: [SceneProperty]
  /// True if the layer draws its contents from its properties.
  let draws: Bool
  /// A property that no layer of the kind is without in a text, and what to write.
  let needs: (property: String, advice: String)?

  private init<Kind: Layer>(
    _ word: String, _ type: Kind.Type, draws: Bool, needs: (property: String, advice: String)? = nil,
    _ properties: [SceneProperty], make: @escaping @MainActor () -> Kind
  ) {
    (self.word, self.type, self.make, self.properties) = (word, type, make, properties)
    (self.draws, self.needs) = (draws, needs)
    isKind = { $0 is Kind }
  }

  static let all: [SceneKind] = [
    SceneKind("layer", Layer.self, draws: false, common) { Layer() },
    SceneKind(
      "text", TextLayer.self, draws: true,
      needs: ("font", #"a font in a text layer, such as font "Roboto-Regular.ttf" 24"#), common + text
    ) { TextLayer() },
    SceneKind("paragraph", ParagraphLayer.self, draws: true, common + paragraph) { ParagraphLayer() },
    SceneKind("shape", ShapeLayer.self, draws: false, common + shape) { ShapeLayer() },
    SceneKind("gradient", GradientLayer.self, draws: false, common + gradient) { GradientLayer() },
    SceneKind(
      "scroll", ScrollLayer.self, draws: false, common + [SceneProperty("scrollMode", \ScrollLayer.scrollMode, .word())]
    ) {
      ScrollLayer()
    },
    SceneKind("surface", SurfaceLayer.self, draws: false, common) { SurfaceLayer() },
    SceneKind("tiled", TiledLayer.self, draws: false, common + tiled) { TiledLayer() },
    SceneKind("space", TransformLayer.self, draws: false, common) { TransformLayer() },
    SceneKind("replicator", ReplicatorLayer.self, draws: false, common + replicator) { ReplicatorLayer() },
    SceneKind("emitter", EmitterLayer.self, draws: false, common + emitter) { EmitterLayer() },
    SceneKind("picture", ImageLayer.self, draws: true, common + picture) { ImageLayer() },
  ]

  /// The kind of a layer. A subclass of an application is written as the kind that it is made of; as a plain layer, with the picture that
  /// it drew, where that kind draws itself.
  static func kind(of layer: Layer) -> SceneKind {
    all.first { $0.type == Swift.type(of: layer) } ?? all.last { !$0.draws && $0.isKind(layer) } ?? all[0]
  }

  func property(_ name: String) -> SceneProperty? { properties.first { $0.name == name } }

  /// A property of any kind, for states, whose layers are only known by their names.
  static func property(_ name: String) -> SceneProperty? { all.lazy.compactMap { $0.property(name) }.first }

  /// The animations of a property of a kind; of any kind, if nil, for a layer that is only known by its name.
  static func track(_ name: String, of kind: SceneKind?) -> (any SceneTrack)? {
    (kind.map { $0.property(name) } ?? property(name))?.track
  }

  // MARK: Every layer

  private static let common: [SceneProperty] =
    [
      // Geometry.
      SceneProperty(.bounds, .rect),
      SceneProperty(.position, .point),
      SceneProperty(.anchorPoint, .point),
      SceneProperty(.anchorPointZ, .number),
      SceneProperty(.zPosition, .number),
      SceneProperty(.transform, .transform),
      SceneProperty(.sublayerTransform, .transform),
      SceneProperty("isGeometryFlipped", \Layer.isGeometryFlipped, .bool),
      SceneProperty("isDoubleSided", \Layer.isDoubleSided, .bool),
      // Looks.
      SceneProperty(.opacity, .number),
      SceneProperty("isHidden", \Layer.isHidden, .bool),
      SceneProperty("masksToBounds", \Layer.masksToBounds, .bool),
      SceneProperty(.cornerRadius, .number),
      SceneProperty(.backgroundColor, .color, in: \Layer.backgroundColor, .optional(.color)),
      SceneProperty("maskedCorners", \Layer.maskedCorners, .corners),
      SceneProperty("edgeAntialiasingMask", \Layer.edgeAntialiasingMask, .edges),
      SceneProperty(.borderWidth, .number),
      SceneProperty(.borderColor, .color, in: \Layer.borderColor, .optional(.color)),
      SceneProperty(.shadowOpacity, .number),
      SceneProperty(.shadowColor, .color, in: \Layer.shadowColor, .optional(.color)),
      SceneProperty(.shadowOffset, .size),
      SceneProperty(.shadowRadius, .number),
      SceneProperty(.innerShadowOpacity, .number),
      SceneProperty(.innerShadowColor, .color, in: \Layer.innerShadowColor, .optional(.color)),
      SceneProperty(.innerShadowOffset, .size),
      SceneProperty(.innerShadowRadius, .number),
      SceneProperty(.shadowPath, .path, in: \Layer.shadowPath, .optional(.path)),
      SceneProperty(.blurRadius, .number),
      SceneProperty(.colorMatrix, .colorMatrix),
      SceneProperty(.backdropBlurRadius, .number),
      SceneProperty(.backdropColorMatrix, .colorMatrix),
      SceneProperty("compositingFilter", \Layer.compositingFilter, .word()),
      SceneProperty("shouldRasterize", \Layer.shouldRasterize, .bool),
      SceneProperty(.rasterizationScale, .number),
      SceneProperty("isOpaque", \Layer.isOpaque, .bool),
      SceneProperty("contentsGravity", \Layer.contentsGravity, .word()),
      SceneProperty("contentsScale", \Layer.contentsScale, .optional(.positive)),
      SceneProperty(.contentsRect, .rect),
      SceneProperty(.contentsCenter, .rect),
      SceneProperty("minificationFilter", \Layer.minificationFilter, .word()),
      SceneProperty("magnificationFilter", \Layer.magnificationFilter, .word()),
      SceneProperty("needsDisplayOnBoundsChange", \Layer.needsDisplayOnBoundsChange, .bool),
      SceneProperty("drawingPriority", \Layer.drawingPriority, .word()),
      SceneProperty("publishesDrawingsAlone", \Layer.publishesDrawingsAlone, .bool),
      .contents,
      // The clock.
      .beginTime,
      SceneProperty("speed", \Layer.speed, .number),
      SceneProperty("timeOffset", \Layer.timeOffset, .time),
    ] + parts

  private static let parts: [SceneProperty] = [
    // A turn is an angle of its own only in animations; a layer's is in its transform.
    .part(.rotation, .angle),
    .part(.positionX, .number), .part(.positionY, .number),
    .part(.boundsOrigin, .point), .part(.boundsOriginX, .number), .part(.boundsOriginY, .number),
    .part(.boundsSize, .size), .part(.boundsSizeWidth, .number), .part(.boundsSizeHeight, .number),
    .part(.transformScale, .number), .part(.transformScaleX, .number), .part(.transformScaleY, .number),
    .part(.transformScaleZ, .number), .part(.transformRotationX, .angle), .part(.transformRotationY, .angle),
    .part(.transformTranslation, .point), .part(.transformTranslationX, .number), .part(.transformTranslationY, .number),
    .part(.transformTranslationZ, .number),
  ]

  // MARK: Kinds of layers

  private static let text: [SceneProperty] = [
    SceneProperty("string", \TextLayer.string, .string),
    .font,
    SceneProperty("color", \TextLayer.color, .color),
    SceneProperty("alignment", \TextLayer.alignment, .word()),
    SceneProperty("truncation", \TextLayer.truncation, .word()),
    SceneProperty("drawsAsynchronously", \TextLayer.drawsAsynchronously, .bool),
  ]

  private static let paragraph: [SceneProperty] = [
    .fonts,
    SceneProperty("baseFont", \ParagraphLayer.baseFont, .fontRequest),
    SceneProperty("baseColor", \ParagraphLayer.baseColor, .color),
    SceneProperty("attributedText", \ParagraphLayer.attributedText, .attributedText),
    SceneProperty("paragraphStyle", \ParagraphLayer.paragraphStyle, .paragraphStyle),
    SceneProperty("insets", \ParagraphLayer.insets, .insets),
    SceneProperty("verticalAlignment", \ParagraphLayer.verticalAlignment, .word()),
  ]

  private static let shape: [SceneProperty] = [
    SceneProperty(.path, .path, in: \ShapeLayer.path, .optional(.path)),
    SceneProperty(.fillColor, .color, in: \ShapeLayer.fillColor, .optional(.color)),
    SceneProperty(.fillGradient, .gradient, in: \ShapeLayer.fillGradient, .optional(.gradient)),
    SceneProperty("fillRule", \ShapeLayer.fillRule, .fillRule),
    SceneProperty(.strokeColor, .color, in: \ShapeLayer.strokeColor, .optional(.color)),
    SceneProperty(.strokeGradient, .gradient, in: \ShapeLayer.strokeGradient, .optional(.gradient)),
    SceneProperty("strokeStyle", \ShapeLayer.strokeStyle, .strokeStyle),
    SceneProperty(.strokeStart, .number), SceneProperty(.strokeEnd, .number),
    .part(.lineWidth, .number), .part(.lineDashPhase, .number),
  ]

  private static let picture: [SceneProperty] = [
    .file,
    .placeholder,
    SceneProperty("animates", .bool) {
      ($0 as? ImageLayer)?.isMoving
    } set: {
      ($0 as? ImageLayer)?.animates = $1
    } isSame: {
      $0 == $1
    },
  ]

  private static let replicator: [SceneProperty] = [
    SceneProperty("instanceCount", \ReplicatorLayer.instanceCount, .copies),
    SceneProperty("instanceDelay", \ReplicatorLayer.instanceDelay, .time),
    SceneProperty("preservesDepth", \ReplicatorLayer.preservesDepth, .bool),
    SceneProperty(.instanceTransform, .transform),
    SceneProperty(.instanceColor, .color),
    SceneProperty(.instanceRedOffset, .number), SceneProperty(.instanceGreenOffset, .number),
    SceneProperty(.instanceBlueOffset, .number), SceneProperty(.instanceAlphaOffset, .number),
  ]

  private static let tiled: [SceneProperty] = [
    SceneProperty("tileSize", \TiledLayer.tileSize, .size),
    SceneProperty("levelsOfDetail", \TiledLayer.levelsOfDetail, .whole),
    SceneProperty("levelsOfDetailBias", \TiledLayer.levelsOfDetailBias, .whole),
    SceneProperty("fadeDuration", \TiledLayer.fadeDuration, .duration),
    SceneProperty("tileBytes", \TiledLayer.tileBytes, .whole),
    .tiledImage,
  ]

  private static let gradient: [SceneProperty] = [
    SceneProperty(.colors, .values(.color) { $0.isAtColor }),
    .locations,
    SceneProperty(.startPoint, .point),
    SceneProperty(.endPoint, .point),
    SceneProperty("type", \GradientLayer.type, .word()),
  ]
}

extension SceneProperty {
  /// A file that could not be shown is left out: a text with it would be refused.
  fileprivate static var file: SceneProperty {
    var property = SceneProperty("file", \ImageLayer.file, .optional(.pictureFile))
    let text = property.text
    property.text = { layer, new, writer in
      (layer as? ImageLayer)?.failure == nil ? text(layer, new, writer) : nil
    }
    return property
  }

  fileprivate static var fonts: SceneProperty {
    SceneProperty("fonts", .fonts) {
      ($0 as? ParagraphLayer)?.fonts
    } set: {
      ($0 as? ParagraphLayer)?.fonts = $1
    } isSame: {
      $0 === $1
    }
  }

  fileprivate static var tiledImage: SceneProperty {
    SceneProperty("image", ValueSyntax<Image?>.optional(.image)) {
      ($0 as? TiledLayer)?.image
    } set: {
      ($0 as? TiledLayer)?.image = $1
    } isSame: {
      $0 === $1
    }
  }

  fileprivate static var placeholder: SceneProperty {
    SceneProperty("placeholder", ValueSyntax<Image?>.optional(.image)) {
      ($0 as? ImageLayer)?.shownPlaceholder
    } set: {
      ($0 as? ImageLayer)?.placeholder = $1
    } isSame: {
      $0 === $1
    }
  }
}

extension ValueSyntax where Value == Int {
  /// More copies than a tree may have layers are no others than that many.
  fileprivate static var copies: Self {
    let name = "a number of copies"
    return Self("\(name), from 0 to \(ReplicatorLayer.maximumTreeSize)") { reader throws(SceneError) in
      try reader.wholeNumber(name, upTo: ReplicatorLayer.maximumTreeSize)
    } text: { value, _ in
      "\(min(max(value, 0), ReplicatorLayer.maximumTreeSize))"
    }
  }
}

extension ValueSyntax where Value == FillRule {
  static var fillRule: Self { .word(["nonZero": .nonZero, "evenOdd": .evenOdd]) }
}

extension ValueSyntax where Value == Corners {
  static var corners: Self {
    subset(named: "corners", ["minXMinY": .minXMinY, "maxXMinY": .maxXMinY, "minXMaxY": .minXMaxY, "maxXMaxY": .maxXMaxY])
  }
}

extension ValueSyntax where Value == Edges {
  static var edges: Self { subset(named: "edges", ["minX": .minX, "maxX": .maxX, "minY": .minY, "maxY": .maxY]) }
}

extension ValueSyntax where Value: OptionSet & Hashable & Sendable, Value.Element == Value {
  /// Some of these words, or `none`.
  fileprivate static func subset(named name: String, _ words: KeyValuePairs<String, Value>) -> Self {
    let one = ValueSyntax.word(words)
    let expected = "\(name): \(one.expected), or none"
    return Self(expected) { reader throws(SceneError) in
      if reader.take("none") { return [] }
      let values = try reader.list(while: { reader.valueWord.map { word in words.contains { $0.key == word } } ?? false }) {
        () throws(SceneError) in try one.read(reader)
      }
      guard !values.isEmpty else { throw reader.expected(expected) }
      return values.reduce([]) { $0.union($1) }
    } text: { value, _ in
      value.isEmpty ? "none" : words.filter { value.contains($0.value) }.map(\.key).joined(separator: " ")
    }
  }
}

extension SceneProperty {
  fileprivate static var beginTime: SceneProperty {
    var property = SceneProperty("beginTime", \Layer.beginTime, .time)
    property.text = { layer, _, writer in
      let time = layer.beginTime - writer.shift(ofClock: layer)
      return time == .zero ? nil : ValueSyntax<MonotonicTime>.time.text(time, writer)
    }
    return property
  }

  /// It is written in each text: one without a font, which draws nothing, must say so.
  fileprivate static var font: SceneProperty {
    let syntax = ValueSyntax<Font?>.optional(.font)
    var property = SceneProperty("font", \TextLayer.font, syntax)
    property.text = { layer, _, writer in (layer as? TextLayer).map { syntax.text($0.font, writer) } }
    return property
  }

  /// The picture in a layer. One that the layer draws from its properties is left out, and drawn again.
  fileprivate static var contents: SceneProperty {
    let syntax = ValueSyntax<LayerPicture>.picture
    var property = SceneProperty("contents", syntax) {
      $0.layerPicture
    } set: {
      $0.layerPicture = $1
    } isSame: { _, _ in
      false
    }
    property.track = KeyTrack(key: .contents, syntax: .contents)
    property.isLast = true
    property.text = { layer, _, writer in
      let draws = SceneKind.kind(of: layer).draws
      let isNew = draws ? layer.isShowingOwnDrawing(scale: writer.scale) : layer.contents == nil
      return isNew ? nil : syntax.text(layer.presentPicture, writer)
    }
    return property
  }
}

extension Layer {
  /// True if drawing the contents again, as a new layer does at its first commit, gives what the layer has, or is due anyway.
  fileprivate func isShowingOwnDrawing(scale: Double) -> Bool {
    if needsDisplay { return contents == nil || !bounds.isEmpty }
    guard let new = try? drawnContents(scale: scale) else { return contents == nil }
    guard let contents, new.measures == drawnMeasures else { return false }
    return contents.hasSamePixels(as: new.image)
  }
}

extension Image {
  fileprivate func hasSamePixels(as other: Image) -> Bool {
    width == other.width && height == other.height
      && (0..<height).allSatisfy { memcmp(row($0), other.row($0), width * 4) == 0 }
  }
}

extension ValueSyntax where Value == StrokeStyle {
  private static var caps: ValueSyntax<StrokeStyle.Cap> { .word(["butt": .butt, "round": .round, "square": .square]) }
  private static var joins: ValueSyntax<StrokeStyle.Join> { .word(["miter": .miter, "round": .round, "bevel": .bevel]) }

  static var strokeStyle: Self {
    let expected = "a pen: width, unit, cap, join, miterLimit, dash or dashPhase with its value"
    let words = ["width", "unit", "cap", "join", "miterLimit", "dash", "dashPhase"]
    return Self(expected) { reader throws(SceneError) in
      guard reader.valueWord.map(words.contains) ?? false else { throw reader.expected(expected) }
      var style = StrokeStyle()
      while let word = reader.valueWord, words.contains(word) {
        reader.advance()
        switch word {
        case "width": style.width = try reader.number()
        case "unit": style.unit = try ValueSyntax<StrokeStyle.Unit>.word().read(reader)
        case "cap": style.cap = try caps.read(reader)
        case "join": style.join = try joins.read(reader)
        case "miterLimit": style.miterLimit = try reader.number()
        case "dash": style.dash = try ValueSyntax<[Double]>.list(.number).read(reader)
        default: style.dashPhase = try reader.number()
        }
      }
      return style
    } text: { style, writer in
      let plain = StrokeStyle()
      var words = ["width \(SceneNumber.text(style.width))"]
      if style.unit != plain.unit { words.append("unit \(style.unit.rawValue)") }
      if style.cap != plain.cap { words.append("cap \(caps.text(style.cap, writer))") }
      if style.join != plain.join { words.append("join \(joins.text(style.join, writer))") }
      if style.miterLimit != plain.miterLimit { words.append("miterLimit \(SceneNumber.text(style.miterLimit))") }
      if !style.dash.isEmpty { words.append("dash \(style.dash.map(SceneNumber.text).joined(separator: " "))") }
      if style.dashPhase != plain.dashPhase { words.append("dashPhase \(SceneNumber.text(style.dashPhase))") }
      return words.joined(separator: " ")
    }
  }
}

extension Scene {
  /// The words that begin a layer, for the test of their examples.
  package static var kindNames: [String] { SceneKind.all.map(\.word) }

  /// The names of all properties of layers and animations, for the same test.
  package static var propertyNames: [String] {
    SceneKind.all.flatMap { $0.properties.map(\.name) } + AnimationParts.propertyNames + PictureRecord.properties.map(\.name)
      + AttributedText.Attributes.properties.map(\.name) + EmitterCell.properties.map(\.name)
  }
}
