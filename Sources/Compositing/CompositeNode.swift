import Geometry
import RenderTree

/// A layer that the damage touches, made ready to be painted: its place on the output and what it needs.
struct CompositeNode: BitwiseCopyable {
  /// The index of its record in the tree.
  var record: Int32
  /// One past its last descendant among the nodes.
  var end: Int32
  /// The group in whose picture it is painted, among the nodes; −1 for the output.
  var group: Int32
  /// From the layer's coordinates to the output's pixels.
  var transform: Affine
  /// The pixels that the masks of its ancestors leave.
  var clip: IntRect
  /// The pixels that it may paint itself.
  var own: IntRect
  /// The pixels that it and its descendants may paint.
  var extent: IntRect
  /// Pixels that its own picture hides wholly; `.zero` while a group's opacity or mask is still to come.
  var opaque: IntRect
  /// The opacity of its own picture and, when it is a group, of the group.
  var opacity: UInt32
  /// 0xAARRGGBB; 0 without a background.
  var color: UInt32
  /// Content and effects live as long as the tree that is composited, which the compositor holds: nodes do not count
  /// references.
  unowned(unsafe) var content: (any PaintableContent)?
  unowned(unsafe) var effects: RenderEffects?
  var flags: Flags

  struct Flags: OptionSet, BitwiseCopyable {
    let rawValue: UInt8
    /// Background, content and descendants become one picture, which is blended with `opacity`.
    static let opacityGroup = Flags(rawValue: 1 << 0)
    /// Content and descendants become one picture, which is blended through the rounded bounds.
    static let maskGroup = Flags(rawValue: 1 << 1)
    /// The rounded bounds cut the content without a picture in between: there is nothing else to cut.
    static let roundedContent = Flags(rawValue: 1 << 2)

    init(rawValue: UInt8) { self.rawValue = rawValue }
  }
}
