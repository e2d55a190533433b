public import Raster
import RenderTree

/// The contents of a layer as a value that animates: no picture, one, or while they fade a mixture of several.
///
/// ```swift
/// layer.add(BasicAnimation(.contents, from: .image(day), to: .image(night), duration: .seconds(1)))
/// layer.actions = [.contents: .implicit]  // From now on a new picture fades in over the old one.
/// ```
///
/// Half way between two pictures each pixel is the mean of both, so that a fade between opaque pictures stays opaque. A picture fades
/// from and to none as well. While several are seen, all have the place of the layer's own contents, or where it has none that of the
/// one with the largest share.
public struct LayerContents: Animatable {
  /// Each image once. At most `limit`.
  let parts: [ImageMixture.Part]

  /// The most pictures that are seen at the same time, where fades interrupt fades. Beyond that, the share of the one that is seen
  /// least goes to the one that is seen most.
  static let limit = ImageMixture.limit

  /// - Parameter image: nil for no picture.
  public static func image(_ image: Image?) -> LayerContents {
    LayerContents(image.map { [ImageMixture.Part($0, share: 1)] } ?? [])
  }

  /// The sum of images times their shares: 0 is nothing of an image, 1 all of it. An image may be given more than once. Shares that are
  /// no finite number are left out.
  public static func mixture(_ shares: [(share: Double, image: Image)]) -> LayerContents {
    LayerContents(adding: shares.filter { $0.share.isFinite }.map { ImageMixture.Part($0.image, share: $0.share) })
  }

  private init(_ parts: [ImageMixture.Part]) { self.parts = parts }

  private init(adding terms: some Sequence<ImageMixture.Part>) {
    var parts: [ImageMixture.Part] = []
    for term in terms {
      if let index = parts.firstIndex(where: { $0.image === term.image }) {
        parts[index].share += term.share
      } else {
        parts.append(term)
      }
    }
    parts.removeAll { $0.share == 0 }
    func size(_ index: Int) -> Double { abs(parts[index].share) }
    while parts.count > Self.limit, let least = parts.indices.min(by: { size($0) < size($1) }) {
      let share = parts.remove(at: least).share
      if let most = parts.indices.max(by: { size($0) < size($1) }) { parts[most].share += share }
    }
    self.parts = parts
  }

  /// The images with their shares, none of which is 0.
  public var shares: [(share: Double, image: Image)] { parts.map { ($0.share, $0.image) } }

  /// The picture, or the one with the largest share; nil for none.
  public var image: Image? { parts.max { $0.share < $1.share }?.image }

  /// True unless several pictures are seen, or one in part.
  var isPlain: Bool { parts.isEmpty || parts.count == 1 && parts[0].share == 1 }

  public func mixed(with other: LayerContents, fraction: Double) -> LayerContents {
    LayerContents(adding: parts.lazy.map { $0.scaled(by: 1 - fraction) } + other.parts.map { $0.scaled(by: fraction) })
  }
  public func adding(_ change: LayerContents) -> LayerContents { LayerContents(adding: parts + change.parts) }
  public var negated: LayerContents { LayerContents(parts.map { $0.scaled(by: -1) }) }
}

extension ImageMixture.Part {
  fileprivate func scaled(by factor: Double) -> ImageMixture.Part { ImageMixture.Part(image, share: share * factor) }
}

extension AnimatableProperty {
  public static let contents = AnimatableProperty(rawValue: "contents")
}

extension AnimatableKey where Value == LayerContents {
  public static var contents: Self { Self(.contents, { $0.layerContents }, { $0.layerContents = $1 }) }
}

extension AnimatableValues {
  /// The pictures that are seen while contents fade; nil otherwise.
  var mixture: ImageMixture? { rareBox?.values.mixture }

  fileprivate var layerContents: LayerContents {
    get { mixture.map { .mixture($0.parts.map { ($0.share, $0.image) }) } ?? .image(contents) }
    set {
      contents = newValue.image
      // An animation that shows no picture shows none of a surface either.
      if newValue.parts.isEmpty, content is SurfaceContent { content = nil }
      let mixture = newValue.isPlain ? nil : ImageMixture(newValue.parts)
      if mixture != self.mixture { rare.mixture = mixture }
    }
  }
}
