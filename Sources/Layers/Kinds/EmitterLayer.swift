public import Geometry
import Raster
public import RenderTree

/// A layer that sends out particles, as CAEmitterLayer does: sparks, snow, confetti.
///
/// ```swift
/// var flake = EmitterCell(contents: image)
/// (flake.birthRate, flake.lifetime) = (40, 12)
/// (flake.velocity, flake.velocityRange) = (60, 30)
/// (flake.emissionLongitude, flake.emissionRange) = (.pi / 2, 0.5)
/// let snow = EmitterLayer(frame: bounds)
/// snow.emitterCells = [flake]
/// snow.emitterShape = .line
/// (snow.emitterPosition, snow.emitterSize) = (Point(bounds.midX, -10), Size(bounds.width, 0))
/// root.addSublayer(snow)
/// ```
///
/// Particles lie above the background colour, in place of `contents`, wherever the bounds are; `masksToBounds` cuts them. They move by
/// the layer's clock: particle i of a cell is born i / `birthRate` seconds after the cell's `beginTime`, and all that is random about it
/// follows from `seed`, cell and i. So a time looks the same whenever it is shown, and a layer whose `speed` is 0 stands. A layer whose
/// clock goes as the display's has emitted for long when it appears; to begin with nothing set a cell's `beginTime`.
///
/// A change of a property concerns the particles that are under way as well; to stop births, and let what was born live on, set the
/// cell's `duration`. All properties but `emitterShape`, `emitterMode`, `renderMode` and `seed` are animatable. A frame is made while
/// something is alive or will be born.
open class EmitterLayer: Layer {
  /// The kinds of particles; without any the layer shows its `contents`. A change begins no animation by itself; animations mix cells
  /// number by number.
  public var emitterCells: [EmitterCell] {
    get { self[.emitterCells] }
    set { change(emitterCells, newValue) { $0[.emitterCells] = $1 } }
  }

  /// The middle of the place where particles are born, in the layer's coordinates; (0, 0) at first. Animatable.
  public var emitterPosition: Point {
    get { self[.emitterPosition] }
    set { self[.emitterPosition] = newValue }
  }

  /// The size of that place, by its shape; zero at first. Animatable.
  public var emitterSize: Size {
    get { self[.emitterSize] }
    set { self[.emitterSize] = newValue }
  }

  /// A point at first.
  public var emitterShape: EmitterShape {
    get { setting.shape }
    set { changeSetting { $0.shape = newValue } }
  }

  /// The part of the shape in which particles are born; `volume`, any place in it, at first.
  public var emitterMode: EmitterMode {
    get { setting.mode }
    set { changeSetting { $0.mode = newValue } }
  }

  /// The order of particles; `unordered` at first. The others but `additive` take longer, for the particles are sorted.
  public var renderMode: EmitterRenderMode {
    get { setting.renderMode }
    set { changeSetting { $0.renderMode = newValue } }
  }

  /// All that is random about the particles follows from it; 0 at first.
  public var seed: UInt32 {
    get { setting.seed }
    set { changeSetting { $0.seed = newValue } }
  }

  /// Multiplies the birth rate of all cells; 1 at first. A change begins no animation by itself: at another rate other particles were born,
  /// from the first on.
  public var birthRate: Double {
    get { self[.birthRate] }
    set { change(birthRate, newValue) { $0[.birthRate] = $1 } }
  }

  /// Multiplies the lifetime of all cells; 1 at first. Animatable.
  public var lifetime: Double {
    get { self[.lifetime] }
    set { self[.lifetime] = newValue }
  }

  /// Multiplies the velocity of all cells; 1 at first. Animatable.
  public var velocity: Double {
    get { self[.velocity] }
    set { self[.velocity] = newValue }
  }

  /// Multiplies the size of all particles; 1 at first. Animatable.
  public var scale: Double {
    get { self[.scale] }
    set { self[.scale] = newValue }
  }

  /// Multiplies the spin of all cells; 1 at first. Animatable.
  public var spin: Double {
    get { self[.spin] }
    set { self[.spin] = newValue }
  }

  private var setting: EmitterSetting { values.named[.emitterSetting] as? EmitterSetting ?? EmitterSetting() }

  private func changeSetting(_ body: (inout EmitterSetting) -> Void) {
    var new = setting
    body(&new)
    change(setting, new) { $0.named[.emitterSetting] = $1 }
  }

  override class func content(for values: AnimatableValues, image: Image?) -> (any RenderContent)? {
    let cells = values[.emitterCells]
    guard !cells.isEmpty else { return super.content(for: values, image: image) }
    let setting = values.named[.emitterSetting] as? EmitterSetting ?? EmitterSetting()
    var parts = Emission.Parts()
    (parts.cells, parts.seed, parts.renderMode) = (cells, setting.seed, setting.renderMode)
    (parts.shape, parts.mode) = (setting.shape, setting.mode)
    (parts.position, parts.size) = (values[.emitterPosition], values[.emitterSize])
    (parts.birthRate, parts.lifetime, parts.velocity) = (values[.birthRate], values[.lifetime], values[.velocity])
    (parts.scale, parts.spin) = (values[.scale], values[.spin])
    return ShownEmissions.content(parts)
  }
}

/// The properties that do not animate, among the values of the kind's own.
private struct EmitterSetting: Animatable {
  var shape = EmitterShape.point
  var mode = EmitterMode.volume
  var renderMode = EmitterRenderMode.unordered
  var seed: UInt32 = 0

  func mixed(with other: EmitterSetting, fraction: Double) -> EmitterSetting { self }
  func adding(_ change: EmitterSetting) -> EmitterSetting { self }
  var negated: EmitterSetting { self }
}

/// The contents that layers have without a time. Equal ones are one object: where a layer changes in other ways, its particles stay the same.
@MainActor
private enum ShownEmissions {
  private struct Shown {
    weak var content: ParticleContent?
  }

  private static var all: [Emission.Parts: Shown] = [:]
  static func content(_ parts: Emission.Parts) -> ParticleContent {
    if let content = all[parts]?.content { return content }
    // Entries keep pictures alive.
    all = all.filter { $0.value.content != nil }
    let content = ParticleContent(parts)
    all[parts] = Shown(content: content)
    return content
  }
}

// MARK: - Animation

extension AnimatableProperty {
  public static let emitterCells = AnimatableProperty(rawValue: "emitterCells")
  public static let emitterPosition = AnimatableProperty(rawValue: "emitterPosition")
  public static let emitterSize = AnimatableProperty(rawValue: "emitterSize")
  public static let birthRate = AnimatableProperty(rawValue: "birthRate")
  public static let lifetime = AnimatableProperty(rawValue: "lifetime")
  public static let velocity = AnimatableProperty(rawValue: "velocity")
  public static let scale = AnimatableProperty(rawValue: "scale")
  public static let spin = AnimatableProperty(rawValue: "spin")
  fileprivate static let emitterSetting = AnimatableProperty(rawValue: "emitterSetting")
}

extension AnimatableKey where Value == [EmitterCell] {
  /// See `EmitterLayer.emitterCells`.
  public static var emitterCells: Self { Self("emitterCells", default: []) }
}

extension AnimatableKey where Value == Point {
  /// See `EmitterLayer.emitterPosition`.
  public static var emitterPosition: Self { Self("emitterPosition", default: .zero) }
}

extension AnimatableKey where Value == Size {
  /// See `EmitterLayer.emitterSize`.
  public static var emitterSize: Self { Self("emitterSize", default: .zero) }
}

extension AnimatableKey where Value == Double {
  /// See `EmitterLayer.birthRate`.
  public static var birthRate: Self { Self("birthRate", default: 1) }
  /// See `EmitterLayer.lifetime`.
  public static var lifetime: Self { Self("lifetime", default: 1) }
  /// See `EmitterLayer.velocity`.
  public static var velocity: Self { Self("velocity", default: 1) }
  /// See `EmitterLayer.scale`.
  public static var scale: Self { Self("scale", default: 1) }
  /// See `EmitterLayer.spin`.
  public static var spin: Self { Self("spin", default: 1) }
}

/// Cells change number by number. All else is that of the second cell from the half of the way on.
extension EmitterCell: Animatable {
  public func mixed(with other: EmitterCell, fraction: Double) -> EmitterCell {
    combined(fraction < 0.5 ? self : other) { $0[keyPath: $1].mixed(with: other[keyPath: $1], fraction: fraction) }
  }
  public func adding(_ change: EmitterCell) -> EmitterCell {
    combined(self) { $0[keyPath: $1].adding(change[keyPath: $1]) }
  }
  public var negated: EmitterCell { combined(self) { -$0[keyPath: $1] } }

  private func combined(
    _ rest: EmitterCell, _ number: (EmitterCell, WritableKeyPath<EmitterCell, Double>) -> Double
  ) -> EmitterCell {
    var result = rest
    for path in EmitterCell.numbers { result[keyPath: path] = number(self, path) }
    return result
  }
}
