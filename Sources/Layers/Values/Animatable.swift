public import Geometry
import Glibc
public import Raster

/// A type whose values can be animated: `Double`, `Point`, `Size`, `Rect`, `Color`, `Affine`, `Path`,
/// arrays of these, and the types of an
/// application.
///
/// ```swift
/// struct Volume: Animatable {
///   var decibels: Double
///   func mixed(with other: Volume, fraction: Double) -> Volume {
///     Volume(decibels: decibels + (other.decibels - decibels) * fraction)
///   }
///   func adding(_ change: Volume) -> Volume { Volume(decibels: decibels + change.decibels) }
///   var negated: Volume { Volume(decibels: -decibels) }
/// }
/// ```
public protocol Animatable: Hashable, Sendable {
  /// The mixture of two values: 0 is this one, 1 is `other`; outside of 0…1 it goes on beyond them.
  func mixed(with other: Self, fraction: Double) -> Self
  /// This value with `change` on top: the sum, for a transform `change` after it.
  func adding(_ change: Self) -> Self
  /// The change that takes this one back. A transform that cannot be undone has the identity.
  var negated: Self { get }
  /// The length of the way to another value, at least 0, by which key frames are paced. By default it is the same between any two
  /// that differ.
  func distance(to other: Self) -> Double
}

extension Animatable {
  func isEqual(to other: any Animatable) -> Bool { self == other as? Self }

  public func distance(to other: Self) -> Double { self == other ? 0 : 1 }
}

extension Double: Animatable {
  public func mixed(with other: Double, fraction: Double) -> Double { self + (other - self) * fraction }
  public func adding(_ change: Double) -> Double { self + change }
  public var negated: Double { -self }
  public func distance(to other: Double) -> Double { abs(other - self) }
}

extension Point: Animatable {
  public func mixed(with other: Point, fraction: Double) -> Point { self + (other - self) * fraction }
  public func adding(_ change: Point) -> Point { self + change }
  public var negated: Point { -self }
  public func distance(to other: Point) -> Double { hypot(other.x - x, other.y - y) }
}

extension Size: Animatable {
  public func mixed(with other: Size, fraction: Double) -> Size { self + (other - self) * fraction }
  public func adding(_ change: Size) -> Size { self + change }
  public var negated: Size { -self }
  public func distance(to other: Size) -> Double { hypot(other.width - width, other.height - height) }
}

extension Rect: Animatable {
  public func mixed(with other: Rect, fraction: Double) -> Rect {
    Rect(origin: origin + (other.origin - origin) * fraction, size: size + (other.size - size) * fraction)
  }
  public func adding(_ change: Rect) -> Rect { Rect(origin: origin + change.origin, size: size + change.size) }
  public var negated: Rect { Rect(origin: -origin, size: -size) }
  public func distance(to other: Rect) -> Double { hypot(origin.distance(to: other.origin), size.distance(to: other.size)) }
}

extension Color: Animatable {
  public func adding(_ change: Color) -> Color {
    Color(
      red: red + change.red, green: green + change.green, blue: blue + change.blue, alpha: alpha + change.alpha)
  }
  public var negated: Color { Color(red: -red, green: -green, blue: -blue, alpha: -alpha) }
  public func distance(to other: Color) -> Double {
    hypot(hypot(other.red - red, other.green - green), hypot(other.blue - blue, other.alpha - alpha))
  }
}

/// Arrays change element by element. One that has another number of elements takes the place of the other at once.
extension Array: Animatable where Element: Animatable {
  public func mixed(with other: [Element], fraction: Double) -> [Element] {
    count == other.count ? zip(self, other).map { $0.mixed(with: $1, fraction: fraction) } : other
  }
  public func adding(_ change: [Element]) -> [Element] {
    count == change.count ? zip(self, change).map { $0.adding($1) } : self
  }
  public var negated: [Element] { map(\.negated) }
  public func distance(to other: [Element]) -> Double {
    guard count == other.count else { return 1 }
    return zip(self, other).reduce(0) { hypot($0, $1.0.distance(to: $1.1)) }
  }
}

/// Paths of the same structure change point by point. One of another structure takes the place of the other at once.
extension Path: Animatable {
  public func mixed(with other: Path, fraction: Double) -> Path {
    combined(with: other) { $0.mixed(with: $1, fraction: fraction) } ?? other
  }
  public func adding(_ change: Path) -> Path { combined(with: change) { $0 + $1 } ?? self }
  public var negated: Path { applying(Affine(a: -1, b: 0, c: 0, d: -1, tx: 0, ty: 0)) }
}
