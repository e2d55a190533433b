public import Geometry
public import Raster

/// Several images in one place as content, each with its share: what a layer shows while one picture of it becomes another.
///
/// A pixel is the sum of the images' pixels times their shares, limited to what a pixel can be. So opaque images whose shares add
/// up to 1 stay opaque together.
public final class ImageMixture: RenderContent {
  /// At most `limit`, with shares within −8…8: no sum of their pixels overflows.
  public let parts: [Part]

  /// The largest number of images.
  public static let limit = 8

  /// An image and how much of it is seen: 0 for nothing, 1 for all. Shares below 0 and above 1 come from movements that go beyond
  /// their ends.
  public struct Part: Hashable, Sendable {
    public let image: Image
    public var share: Double

    public init(_ image: Image, share: Double) {
      (self.image, self.share) = (image, share)
    }

    public static func == (one: Part, other: Part) -> Bool { one.image === other.image && one.share == other.share }

    public func hash(into hasher: inout Hasher) {
      hasher.combine(image.id)
      hasher.combine(share)
    }
  }

  /// A mixture of the first `limit` parts. A share beyond −8…8 counts as the nearest of these, and as 0 if it is not finite.
  public init(_ parts: [Part]) {
    self.parts = parts.prefix(Self.limit).map {
      Part($0.image, share: $0.share.isFinite ? min(max($0.share, -8), 8) : 0)
    }
  }

  public func drawnBounds(in bounds: Rect, _ effects: RenderEffects?) -> Rect {
    parts.reduce(.zero) { $0.union($1.image.drawnBounds(in: bounds, effects)) }
  }

  public func isEqual(to other: any RenderContent) -> Bool { (other as? ImageMixture)?.parts == parts }

  public var description: String {
    "mixture of " + parts.map { "\($0.share) of \($0.image.description)" }.joined(separator: ", ")
  }
}

extension ImageMixture: Hashable {
  /// Two mixtures of the same images in the same shares are equal: one may be shown for the other.
  public static func == (one: ImageMixture, other: ImageMixture) -> Bool { one.parts == other.parts }

  public func hash(into hasher: inout Hasher) { hasher.combine(parts) }
}
