import Geometry
import Layers
import LinuxSystem
import Raster
import RenderTree

// The cells of an emitter, and the particles in the picture that a transition leads from.

extension SceneKind {
  static let emitter: [SceneProperty] = [
    SceneProperty(.emitterCells, .cells),
    SceneProperty("emitterShape", \EmitterLayer.emitterShape, .word()),
    SceneProperty("emitterMode", \EmitterLayer.emitterMode, .word()),
    SceneProperty("renderMode", \EmitterLayer.renderMode, .word()),
    SceneProperty("seed", \EmitterLayer.seed, .seed),
    SceneProperty(.emitterPosition, .point),
    SceneProperty(.emitterSize, .size),
    SceneProperty(.birthRate, .number), SceneProperty(.lifetime, .number), SceneProperty(.velocity, .number),
    SceneProperty(.scale, .number), SceneProperty(.spin, .number),
  ]
}

extension EmitterCell {
  @MainActor static let properties: [TextProperty<Self>] = [
    TextProperty("name", \.name, .string),
    TextProperty("contents", \.image, .optional(.image)),
    TextProperty("contentsRect", \.contentsRect, .rect),
    TextProperty("contentsScale", \.contentsScale, .number),
    TextProperty("isEnabled", \.isEnabled, .bool),
    TextProperty("birthRate", \.birthRate, .number),
    TextProperty("beginTime", \.beginTime, .time),
    TextProperty("duration", \.duration, .optional(.time)),
    TextProperty("lifetime", \.lifetime, .number),
    TextProperty("lifetimeRange", \.lifetimeRange, .number),
    TextProperty("emissionLatitude", \.emissionLatitude, .angle),
    TextProperty("emissionLongitude", \.emissionLongitude, .angle),
    TextProperty("emissionRange", \.emissionRange, .angle),
    TextProperty("velocity", \.velocity, .number),
    TextProperty("velocityRange", \.velocityRange, .number),
    TextProperty("xAcceleration", \.xAcceleration, .number),
    TextProperty("yAcceleration", \.yAcceleration, .number),
    TextProperty("zAcceleration", \.zAcceleration, .number),
    TextProperty("scale", \.scale, .number),
    TextProperty("scaleRange", \.scaleRange, .number),
    TextProperty("scaleSpeed", \.scaleSpeed, .number),
    TextProperty("spin", \.spin, .angle),
    TextProperty("spinRange", \.spinRange, .angle),
    TextProperty("color", \.color, .color),
    TextProperty("redRange", \.redRange, .number),
    TextProperty("greenRange", \.greenRange, .number),
    TextProperty("blueRange", \.blueRange, .number),
    TextProperty("alphaRange", \.alphaRange, .number),
    TextProperty("redSpeed", \.redSpeed, .number),
    TextProperty("greenSpeed", \.greenSpeed, .number),
    TextProperty("blueSpeed", \.blueSpeed, .number),
    TextProperty("alphaSpeed", \.alphaSpeed, .number),
  ]

  /// Compared by identity.
  private var image: Identified? {
    get { contents.map { Identified(image: $0) } }
    set { contents = newValue?.image }
  }
}

private struct Identified: Equatable {
  let image: Image

  static func == (one: Identified, other: Identified) -> Bool { one.image === other.image }
}

extension ValueSyntax where Value == Identified {
  fileprivate static var image: Self {
    let image = ValueSyntax<Image>.image
    return Self(image.expected) { reader throws(SceneError) in
      Identified(image: try image.read(reader))
    } text: {
      image.text($0.image, $1)
    }
  }
}

extension ValueSyntax where Value == EmitterCell {
  /// `cell { birthRate 20; lifetime 2 }`
  ///
  /// - Parameter shift: the time to take away from the one at which the first particle is born.
  fileprivate static func cell(shift: @escaping @MainActor (SceneWriter) -> Nanoseconds) -> Self {
    Self("cell with properties in braces") { reader throws(SceneError) in
      guard reader.take("cell") else { throw reader.expected("cell with properties in braces") }
      var cell = EmitterCell()
      try reader.block(of: "a property of the cell") { () throws(SceneError) in
        guard try !reader.take(EmitterCell.properties, in: &cell) else { return }
        guard let word = reader.word else { throw reader.expected("a property of the cell") }
        throw reader.unknown(word, in: EmitterCell.properties.map(\.name), "a property of the cell", at: reader.token)
      }
      return cell
    } text: { cell, writer in
      var shifted = cell
      shifted.beginTime = cell.beginTime - shift(writer)
      let properties = writer.texts(EmitterCell.properties, of: shifted, new: EmitterCell())
      return properties.isEmpty ? "cell {}" : "cell { \(properties.joined(separator: "; ")) }"
    }
  }
}

extension ValueSyntax where Value == [EmitterCell] {
  static var cells: Self { cells { $0.cellShift } }

  fileprivate static func cells(shift: @escaping @MainActor (SceneWriter) -> Nanoseconds) -> Self {
    .values(.cell(shift: shift)) { $0.word == "cell" && $0.following.kind == .open }
  }
}

extension ValueSyntax where Value == UInt32 {
  static var seed: Self {
    Self("a seed, from 0 to \(UInt32.max)") { reader throws(SceneError) in
      UInt32(try reader.wholeNumber("a seed", upTo: Int(UInt32.max)))
    } text: { value, _ in
      "\(value)"
    }
  }
}

// MARK: - Particles in a picture

/// Particles at a time.
struct PictureParticles {
  var parts = Emission.Parts()
  var time: MonotonicTime?

  init() {}

  init?(_ content: (any RenderContent)?) {
    guard let content = content as? ParticleContent else { return nil }
    (parts, time) = (content.emission.parts, content.time)
  }

  var content: ParticleContent { ParticleContent(parts, at: time) }

  @MainActor fileprivate static let properties: [TextProperty<Self>] = [
    TextProperty("time", \.time, .optional(.time)),
    TextProperty("emitterCells", \.parts.cells, .cells { _ in .zero }),
    TextProperty("emitterShape", \.parts.shape, .word()),
    TextProperty("emitterMode", \.parts.mode, .word()),
    TextProperty("renderMode", \.parts.renderMode, .word()),
    TextProperty("seed", \.parts.seed, .seed),
    TextProperty("emitterPosition", \.parts.position, .point),
    TextProperty("emitterSize", \.parts.size, .size),
    TextProperty("birthRate", \.parts.birthRate, .number),
    TextProperty("lifetime", \.parts.lifetime, .number),
    TextProperty("velocity", \.parts.velocity, .number),
    TextProperty("scale", \.parts.scale, .number),
    TextProperty("spin", \.parts.spin, .number),
  ]
}

extension ValueSyntax where Value == PictureParticles {
  static var particles: Self {
    Self("the properties of an emitter, and a time, in braces") { reader throws(SceneError) in
      var particles = PictureParticles()
      try reader.block(of: "a property of an emitter, or time") { () throws(SceneError) in
        guard try !reader.take(PictureParticles.properties, in: &particles) else { return }
        guard let word = reader.word else { throw reader.expected("a property of an emitter, or time") }
        throw reader.unknown(
          word, in: PictureParticles.properties.map(\.name), "a property of an emitter, or time", at: reader.token)
      }
      return particles
    } text: { value, writer in
      "{ \(writer.texts(PictureParticles.properties, of: value, new: PictureParticles()).joined(separator: "; ")) }"
    }
  }
}
