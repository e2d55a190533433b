/// A layer whose sublayers lie in space, as the sides of a box do. Every other layer shows them on its own plane.
///
/// ```swift
/// let box = TransformLayer()
/// for side in 0..<4 {
///   let face = Layer(frame: Rect(x: -50, y: -50, width: 100, height: 100))
///   face.anchorPointZ = -50
///   face.transform = .rotation(Double(side) * .pi / 2, x: 0, y: 1, z: 0)
///   face.isDoubleSided = false
///   box.addSublayer(face)
/// }
/// box.add(BasicAnimation(.transform, to: .rotation(.pi, x: 0, y: 1, z: 0), duration: .seconds(2)))
/// stage.sublayerTransform = .perspective(distance: 600)
/// stage.addSublayer(box)
/// ```
///
/// The space goes through transform layers in transform layers up to the nearest layer that is none: on its plane all of them are
/// seen, in the perspective of its `sublayerTransform`.
///
/// As in Core Animation only the sublayers are seen. The layer itself has no picture: colours, contents, border, corners, shadows,
/// filters, mask, `masksToBounds`, `isDoubleSided` and transitions do nothing, and `opacity` counts for each sublayer by itself. A hit test finds
/// sublayers, never the layer: it takes a point of the plane on which they are seen. Siblings lie above each other by their
/// `zPosition`, and not by their depth: a box hides its back by sides that are not double-sided.
open class TransformLayer: Layer {
  public override init() {
    super.init()
    isSpace = true
  }
}
