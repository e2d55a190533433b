public import Geometry
public import LinuxSystem
import RenderTree

/// A layer that shows its sublayers several times, as CAReplicatorLayer does: each copy lies, and is coloured, a step further than the
/// one before, and moves later.
///
/// ```swift
/// let spinner = ReplicatorLayer(frame: Rect(x: 0, y: 0, width: 80, height: 80))
/// let dot = Layer(frame: Rect(x: 36, y: 0, width: 8, height: 8))
/// (dot.backgroundColor, dot.cornerRadius) = (.white, 4)
/// var fade = BasicAnimation(.opacity, from: 1, to: 0.1, duration: .seconds(1))
/// fade.repeatCount = .infinity
/// dot.add(fade)
/// spinner.addSublayer(dot)
/// spinner.instanceCount = 12
/// spinner.instanceTransform = .rotation(.pi / 6)
/// spinner.instanceDelay = .seconds(1.0 / 12)
/// ```
///
/// Copy 0 is the sublayers themselves; later copies lie above earlier ones. A replicator in a replicator is copied with its copies. Background, border,
/// contents and mask of the replicator itself are shown once. Hit tests find the sublayers, never a copy, and conversions of coordinates
/// know only them. All properties but `instanceCount`, `instanceDelay` and `preservesDepth` are animatable.
///
/// Each copy of a layer costs a frame what the layer costs. While animations alone move sublayers and replicator, nothing else is done;
/// a change of a layer in a replicator makes the records of the whole tree anew in its commit.
open class ReplicatorLayer: Layer {
  /// The most layers and copies of layers in a tree: further copies are left out, so that replicators in replicators fill no memory.
  public static let maximumTreeSize = 100_000

  /// The number of copies, the sublayers themselves included: 1 at first. At 0, or below, the sublayers are not shown. A change takes effect
  /// at once.
  public var instanceCount = 1 {
    didSet { if instanceCount != oldValue { context?.markStructure() } }
  }

  /// The time by which the animations, and the clocks, of each copy are behind those of the one before; negative to be ahead. 0 at first.
  /// A change takes effect at once.
  ///
  /// An animation of a copied layer ends, is removed and reported when it is over in all copies.
  public var instanceDelay = Nanoseconds.zero {
    didSet { if instanceDelay != oldValue { context?.markStructure() } }
  }

  /// True if the sublayers and their copies are not flattened into the layer's plane: it is to them what a `TransformLayer` is, and has no
  /// picture of its own. False at first.
  public var preservesDepth: Bool {
    get { isSpace }
    set {
      guard newValue != isSpace else { return }
      forgetHitBox()
      isSpace = newValue
      context?.markStructure()
    }
  }

  /// Takes a copy to the place of the next one, around the middle of the layer's bounds: copy k lies where it is applied k times to the
  /// sublayers. The identity at first. Animatable.
  public var instanceTransform: Transform3D {
    get { self[.instanceTransform] }
    set { self[.instanceTransform] = newValue }
  }

  /// The colour by which those of copy 0 are multiplied, component by component: white, which changes nothing, at first. Alpha counts
  /// for each sublayer as one group. Animatable.
  public var instanceColor: Color {
    get { self[.instanceColor] }
    set { self[.instanceColor] = newValue }
  }

  /// The step of the red of `instanceColor` from copy to copy; 0 at first. The sum is cut to 0…1. Animatable.
  public var instanceRedOffset: Double {
    get { self[.instanceRedOffset] }
    set { self[.instanceRedOffset] = newValue }
  }

  /// The step of green.
  public var instanceGreenOffset: Double {
    get { self[.instanceGreenOffset] }
    set { self[.instanceGreenOffset] = newValue }
  }

  /// The step of blue.
  public var instanceBlueOffset: Double {
    get { self[.instanceBlueOffset] }
    set { self[.instanceBlueOffset] = newValue }
  }

  /// The step of alpha: with −0.1 each copy is a tenth fainter than the one before.
  public var instanceAlphaOffset: Double {
    get { self[.instanceAlphaOffset] }
    set { self[.instanceAlphaOffset] = newValue }
  }

  public override init() {
    super.init()
    isReplicator = true
  }

  /// The copies by their numbers and the ids of what they are copies of, as of the last commit and of the one before.
  private var copies: [CopyKey: LayerCopy] = [:]
  private var lastCopies: [CopyKey: LayerCopy] = [:]

  private struct CopyKey: Hashable {
    let number: Int
    let id: UInt32
  }
}

/// A copy of a layer in the committed tree.
@MainActor
final class LayerCopy {
  /// Identifies it in render trees, as the layer's id does the layer.
  let id = Layer.makeID()
  /// The effects of its last record.
  var effects: RenderEffects?
  var animations: CommittedAnimations?
}

extension ReplicatorLayer {
  /// Begins a new commit of the copies; those that it asks for again are the same.
  func beginCopies() {
    swap(&copies, &lastCopies)
    copies.removeAll(keepingCapacity: true)
  }

  /// The ids of the copies in render trees, each with that of the layer, or of the copy of one, of which it is.
  package var copyIDs: [(id: UInt32, original: UInt32)] { copies.map { ($1.id, $0.id) } }

  var copiesInMemory: Int { copies.count + lastCopies.count }

  /// Lets go of the copies that are no more.
  func endCopies() { lastCopies.removeAll() }

  /// The copy with a number of the layer, or of the copy of one, with this id.
  func copy(_ number: Int, of id: UInt32) -> LayerCopy {
    let key = CopyKey(number: number, id: id)
    if let copy = copies[key] { return copy }
    let copy = lastCopies[key] ?? LayerCopy()
    copies[key] = copy
    return copy
  }
}

// MARK: - Animation

extension AnimatableProperty {
  public static let instanceTransform = AnimatableProperty(rawValue: "instanceTransform")
  public static let instanceColor = AnimatableProperty(rawValue: "instanceColor")
  public static let instanceRedOffset = AnimatableProperty(rawValue: "instanceRedOffset")
  public static let instanceGreenOffset = AnimatableProperty(rawValue: "instanceGreenOffset")
  public static let instanceBlueOffset = AnimatableProperty(rawValue: "instanceBlueOffset")
  public static let instanceAlphaOffset = AnimatableProperty(rawValue: "instanceAlphaOffset")

  /// The properties by which a layer places or colours its sublayers.
  static let movingSublayers: [AnimatableProperty] = [
    .sublayerTransform, .instanceTransform, .instanceColor, .instanceRedOffset, .instanceGreenOffset, .instanceBlueOffset,
    .instanceAlphaOffset,
  ]
}

extension AnimatableKey where Value == Transform3D {
  /// See `ReplicatorLayer.instanceTransform`.
  public static var instanceTransform: Self { Self("instanceTransform", default: .identity) }
}

extension AnimatableKey where Value == Color {
  /// See `ReplicatorLayer.instanceColor`.
  public static var instanceColor: Self { Self("instanceColor", default: .white) }
}

extension AnimatableKey where Value == Double {
  /// See `ReplicatorLayer.instanceRedOffset`.
  public static var instanceRedOffset: Self { Self("instanceRedOffset", default: 0) }
  /// See `ReplicatorLayer.instanceGreenOffset`.
  public static var instanceGreenOffset: Self { Self("instanceGreenOffset", default: 0) }
  /// See `ReplicatorLayer.instanceBlueOffset`.
  public static var instanceBlueOffset: Self { Self("instanceBlueOffset", default: 0) }
  /// See `ReplicatorLayer.instanceAlphaOffset`.
  public static var instanceAlphaOffset: Self { Self("instanceAlphaOffset", default: 0) }
}

// MARK: - Instances

/// The copy of a replicator's sublayers that a layer is in.
struct ReplicatorInstance: Hashable, BitwiseCopyable, Sendable {
  /// 0 for the sublayers themselves.
  let number: Int
  let count: Int
}

extension Layer {
  /// True for a replicator with copies of its sublayers.
  var hasCopies: Bool { isReplicator && copyCount > 1 }

  /// The number of copies of the sublayers, themselves included.
  var copyCount: Int { isReplicator ? (self as? ReplicatorLayer)?.instanceCount ?? 1 : 1 }

  /// The copy number of a sublayer; nil where the layer copies nothing, and for its mask.
  func instance(_ number: Int, of sublayer: Layer) -> ReplicatorInstance? {
    guard isReplicator, storedMask !== sublayer else { return nil }
    return ReplicatorInstance(number: number, count: copyCount)
  }

  /// The time by which a copy of a sublayer is behind.
  func delay(_ number: Int, of sublayer: Layer) -> Nanoseconds {
    guard isReplicator, storedMask !== sublayer, let replicator = self as? ReplicatorLayer else { return .zero }
    return replicator.instanceDelay * Int64(number)
  }
}

extension AnimatableValues {
  /// From a replicator's sublayers to their copy with a number, in the replicator's coordinates.
  func instancePlace(_ number: Int) -> Transform3D {
    if number <= 0 || named.isEmpty { return .identity }
    let step = self[.instanceTransform]
    if step == .identity { return .identity }
    var (place, power, rest) = (Transform3D.identity, step, number)
    while rest > 0 {
      if rest & 1 == 1 { place = place.concatenating(power) }
      power = power.concatenating(power)
      rest >>= 1
    }
    let center = bounds.center
    return Transform3D.translation(x: -center.x, y: -center.y).concatenating(place)
      .concatenating(.translation(x: center.x, y: center.y))
  }

  /// The colour by which those of a copy are multiplied.
  func instanceTint(_ number: Int) -> Color {
    if named.isEmpty { return .white }
    func unit(_ value: Double) -> Double { value > 0 ? min(value, 1) : 0 }
    let (first, steps) = (self[.instanceColor], Double(number))
    return Color(
      red: unit(first.red + steps * self[.instanceRedOffset]), green: unit(first.green + steps * self[.instanceGreenOffset]),
      blue: unit(first.blue + steps * self[.instanceBlueOffset]),
      alpha: unit(first.alpha + steps * self[.instanceAlphaOffset]))
  }

  /// Multiplies the colours by those of the space that the layer lies in. A layer that shows only its own colours has them multiplied; the
  /// picture of any other gets a colour matrix, since what is in it may be anything.
  mutating func takeTint(of space: SublayerSpace?, hasPicture: Bool) {
    guard let tint = space?.tint else { return }
    if rareBox != nil, rare.shadowOpacity > 0 { rare.shadowColor = rare.shadowColor?.multiplied(by: tint) }
    if hasPicture || rareBox != nil && rare.colorMatrix != .identity {
      let matrix = ColorMatrix(red: [tint.red, 0, 0, 0], green: [0, tint.green, 0, 0], blue: [0, 0, tint.blue, 0])
      rare.colorMatrix = rare.colorMatrix.isUsable ? rare.colorMatrix.concatenating(matrix) : matrix
    } else {
      backgroundColor = backgroundColor?.multiplied(by: tint)
      if rareBox != nil, rare.borderWidth > 0 { rare.borderColor = rare.borderColor?.multiplied(by: tint) }
      if rareBox != nil, rare.innerShadowOpacity > 0 { rare.innerShadowColor = rare.innerShadowColor?.multiplied(by: tint) }
    }
  }
}

extension Color {
  /// Both colours without their alpha multiplied; alpha stays.
  func multiplied(by other: Color) -> Color {
    Color(red: red * other.red, green: green * other.green, blue: blue * other.blue, alpha: alpha)
  }
}
