public import Geometry

/// A property of a layer that can be animated. Its raw value is the key of the animations that changes begin by themselves.
public enum AnimatableProperty: String, CaseIterable, Hashable, BitwiseCopyable, Sendable {
  case position
  case bounds
  case opacity
  case backgroundColor
  case cornerRadius
  case transform
  /// The turn in `transform`, as an angle: only so can an animation turn further than half a turn.
  case rotation
}

/// A property together with the type of its values: what an animation is made with.
public struct AnimatableKey<Value: Animatable>: Hashable, Sendable {
  public let property: AnimatableProperty
}

extension AnimatableKey where Value == Point {
  public static var position: Self { Self(property: .position) }
}
extension AnimatableKey where Value == Rect {
  public static var bounds: Self { Self(property: .bounds) }
}
extension AnimatableKey where Value == Color {
  public static var backgroundColor: Self { Self(property: .backgroundColor) }
}
extension AnimatableKey where Value == Affine {
  public static var transform: Self { Self(property: .transform) }
}
extension AnimatableKey where Value == Double {
  public static var opacity: Self { Self(property: .opacity) }
  public static var cornerRadius: Self { Self(property: .cornerRadius) }
  /// Radians, clockwise; replaces the turn in the layer's transform.
  public static var rotation: Self { Self(property: .rotation) }
}

/// A type whose values can be mixed: `Double`, `Point`, `Rect`, `Color` and `Affine`.
public protocol Animatable: Hashable, BitwiseCopyable, Sendable {
  /// The value as animations hold it.
  var animationValue: AnimationValue { get }
}

extension Double: Animatable {
  public var animationValue: AnimationValue { .number(self) }
}
extension Point: Animatable {
  public var animationValue: AnimationValue { .point(self) }
}
extension Rect: Animatable {
  public var animationValue: AnimationValue { .rect(self) }
}
extension Color: Animatable {
  public var animationValue: AnimationValue { .color(self) }
}
extension Affine: Animatable {
  public var animationValue: AnimationValue { .transform(self) }
}

/// A value of an animatable property.
public enum AnimationValue: Hashable, BitwiseCopyable, Sendable {
  case number(Double)
  case point(Point)
  case rect(Rect)
  case color(Color)
  case transform(Affine)
}

extension AnimationValue {
  /// The mixture: 0 is this value, 1 is `other`; outside of 0…1 it goes on beyond them. Both must be of one kind.
  func mixed(with other: AnimationValue, fraction: Double) -> AnimationValue {
    // Ends are given back as they are, without rounding.
    if fraction == 0 { return self }
    if fraction == 1 { return other }
    switch (self, other) {
    case (.number(let from), .number(let to)):
      return .number(mix(from, to, fraction))
    case (.point(let from), .point(let to)):
      return .point(mix(from, to, fraction))
    case (.rect(let from), .rect(let to)):
      return .rect(
        Rect(
          origin: mix(from.origin, to.origin, fraction),
          size: Size(mix(from.width, to.width, fraction), mix(from.height, to.height, fraction))))
    case (.color(let from), .color(let to)):
      // A clear colour has no hue: mixed by its components it would darken the other.
      let from = from.alpha == 0 ? to.withAlpha(0) : from
      let to = to.alpha == 0 ? from.withAlpha(0) : to
      return .color(from.mixed(with: to, fraction: fraction))
    case (.transform(let from), .transform(let to)):
      return .transform(from.mixed(with: to, fraction: fraction))
    default:
      preconditionFailure("Layers: \(self) and \(other) cannot be mixed")
    }
  }

  /// This value with `change` on top: the sum, for a transform `change` after it.
  func adding(_ change: AnimationValue) -> AnimationValue {
    switch (self, change) {
    case (.number(let value), .number(let change)):
      return .number(value + change)
    case (.point(let value), .point(let change)):
      return .point(Point(value.x + change.x, value.y + change.y))
    case (.rect(let value), .rect(let change)):
      return .rect(
        Rect(
          x: value.minX + change.minX, y: value.minY + change.minY, width: value.width + change.width,
          height: value.height + change.height))
    case (.color(let value), .color(let change)):
      return .color(
        Color(
          red: value.red + change.red, green: value.green + change.green, blue: value.blue + change.blue,
          alpha: value.alpha + change.alpha))
    case (.transform(let value), .transform(let change)):
      return .transform(value.concatenating(change))
    default:
      preconditionFailure("Layers: \(change) cannot be added to \(self)")
    }
  }

  /// The value that `change` leads to this one from; a transform that cannot be undone leaves it as it is.
  func subtracting(_ change: AnimationValue) -> AnimationValue {
    switch change {
    case .number(let value):
      adding(.number(-value))
    case .point(let value):
      adding(.point(Point(-value.x, -value.y)))
    case .rect(let value):
      adding(.rect(Rect(x: -value.minX, y: -value.minY, width: -value.width, height: -value.height)))
    case .color(let value):
      adding(.color(Color(red: -value.red, green: -value.green, blue: -value.blue, alpha: -value.alpha)))
    case .transform(let value):
      adding(.transform(value.inverted ?? .identity))
    }
  }
}
