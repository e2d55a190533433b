public import Geometry
import Raster
public import RenderTree

/// A layer that is filled by a gradient, with its round corners: over the background colour, in place of `contents`.
///
/// ```swift
/// let sky = GradientLayer(frame: bounds)
/// sky.colors = [Color(hex: 0x0B1D3A), Color(hex: 0x1E90FF)]
/// ```
///
/// The gradient is computed where it stands on the output, and dithered: no bitmap is drawn, no size is too large, and no bands are
/// seen. Colours are mixed component by component before alpha is multiplied in: to fade a colour out, end with the same colour at
/// alpha 0. All properties but `type` are animatable; lists of other lengths than the ones before change at once.
open class GradientLayer: Layer {
  /// The colours from the start to the end; without any the layer shows its `contents`. Animatable.
  public var colors: [Color] {
    get { self[.colors] }
    set { self[.colors] = newValue }
  }

  /// The places of the colours, from 0 at the start to 1 at the end, in rising order. Nil, the initial value, spreads them evenly, and
  /// so does a list that has another length than `colors`. Animatable.
  public var locations: [Double]? {
    get { self[.locations].isEmpty ? nil : self[.locations] }
    set { self[.locations] = newValue ?? [] }
  }

  /// The start, in parts of the bounds: (0, 0) is the top left corner, (1, 1) the bottom right one. (0.5, 0) at first. Animatable.
  public var startPoint: Point {
    get { self[.startPoint] }
    set { self[.startPoint] = newValue }
  }

  /// The end, in parts of the bounds; (0.5, 1) at first. A gradient whose end lies on its start is not seen, nor is an ellipse without
  /// width or height. Animatable.
  public var endPoint: Point {
    get { self[.endPoint] }
    set { self[.endPoint] = newValue }
  }

  /// The way in which colours change; axial at first.
  public var type: GradientType {
    get { Self.gradientType(in: values) }
    set { change(type, newValue) { $0.named[.gradientType] = NamedType(type: $1) } }
  }

  override class func content(for values: AnimatableValues, image: Image?) -> (any RenderContent)? {
    let colors = values[.colors]
    guard !colors.isEmpty else { return super.content(for: values, image: image) }
    let locations = values[.locations]
    let last = Double(max(colors.count - 1, 1))
    let stops = colors.enumerated().map { index, color in
      Gradient.Stop(color, at: locations.count == colors.count ? locations[index] : Double(index) / last)
    }
    return ShownGradients.content(
      GradientContent.Course(gradientType(in: values), from: values[.startPoint], to: values[.endPoint], stops: stops))
  }

  private class func gradientType(in values: AnimatableValues) -> GradientType {
    (values.named[.gradientType] as? NamedType)?.type ?? .axial
  }
}

extension AnimatableKey where Value == [Color] {
  public static var colors: Self { Self("colors", default: []) }
}

extension AnimatableKey where Value == [Double] {
  /// Empty where colours are spread evenly.
  public static var locations: Self { Self("locations", default: []) }
}

extension AnimatableKey where Value == Point {
  public static var startPoint: Self { Self("startPoint", default: Point(0.5, 0)) }
  public static var endPoint: Self { Self("endPoint", default: Point(0.5, 1)) }
}

extension AnimatableProperty {
  fileprivate static let gradientType = AnimatableProperty(rawValue: "type")
}

/// A type among the values of the kind's own properties. It has no key, so nothing animates it.
private struct NamedType: Animatable {
  let type: GradientType

  func mixed(with other: NamedType, fraction: Double) -> NamedType { self }
  func adding(_ change: NamedType) -> NamedType { self }
  var negated: NamedType { self }
}

/// The gradients that layers show. Equal ones are one object: where a layer changes in other ways, its gradient stays the same content.
@MainActor
private enum ShownGradients {
  private struct Shown {
    weak var content: GradientContent?
  }

  private static var all: [GradientContent.Course: Shown] = [:]
  /// The number from which on those that are shown no more are looked for.
  private static var limit = 64

  static func content(_ course: GradientContent.Course) -> GradientContent {
    if let content = all[course]?.content { return content }
    if all.count >= limit {
      all = all.filter { $0.value.content != nil }
      limit = max(64, all.count * 2)
    }
    let content = GradientContent(course)
    all[course] = Shown(content: content)
    return content
  }
}
