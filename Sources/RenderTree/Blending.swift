/// The light in which colours mix where a layer lies over others: by its alpha, its opacity, the coverage of its edges, and between the
/// stops of a gradient.
///
/// Pixels are stored as values of sRGB in both. What is opaque looks the same, and alpha is the same; sampling of images, fades, filters
/// and the modes of blending other than normal stay on the stored values.
public enum Blending: String, CaseIterable, Hashable, BitwiseCopyable, Sendable {
  /// The stored values mix, as in Core Animation and in browsers: white at half its opacity over black is `#808080`.
  case sRGB = "srgb"
  /// Light mixes, by the transfer curve of sRGB: white at half its opacity over black is `#BCBCBC`. Thin bright lines on dark ground
  /// look as wide as dark ones on bright ground, and red fades into green without a dark seam. It takes longer.
  case linear
}
