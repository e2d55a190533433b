public import Geometry

/// Where an output shows a tree, when that is not pixel for pixel from its corner on: a mirror that has another size.
public struct Viewport: Hashable, BitwiseCopyable, Sendable {
  /// From the coordinates of the root's parent to the output's pixels.
  public var transform: Affine
  /// The output's pixels in which the tree is seen; outside of them there is the backdrop.
  public var clip: IntRect

  public init(transform: Affine, clip: IntRect) {
    self.transform = transform
    self.clip = clip
  }
}
