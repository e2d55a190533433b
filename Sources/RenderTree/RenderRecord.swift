public import Geometry

/// What the compositor knows of one layer. Flat and bitwise copyable: ten thousand of them are copied and compared in
/// microseconds.
public struct RenderRecord: BitwiseCopyable, Equatable, Sendable {
  /// Which layer it is, the same in every tree of one layer's life; never 0.
  public var id: UInt32
  /// The index one past its last descendant: descendants follow their ancestor, back to front.
  public var subtreeEnd: UInt32
  /// From the layer's coordinates to those of its parent; the root's parent is the output, in pixels.
  public var transform: Affine
  /// The layer's own rectangle, in its coordinates.
  public var bounds: Rect
  /// Where the contents' pixels lie, in the layer's coordinates; clipped to `bounds`.
  public var contentsRect: Rect
  /// `Image.id` of the contents, 0 without; the image itself is in `TreeSnapshot.contents` at the same index.
  public var contentsID: UInt64
  /// Of the layer with all its descendants, as one group: 0…1.
  public var opacity: Float
  /// Of the background and, with `masksToBounds`, of the clip: 0…half the shorter side, in the layer's units.
  public var cornerRadius: Float
  /// 0xAARRGGBB, alpha multiplied in.
  public var backgroundColor: UInt32
  public var flags: Flags

  public struct Flags: OptionSet, BitwiseCopyable, Hashable, Sendable {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }
    /// Neither the layer nor its descendants are shown.
    public static let hidden = Flags(rawValue: 1 << 0)
    /// Contents and descendants are clipped to `bounds` with its corner radius.
    public static let masksToBounds = Flags(rawValue: 1 << 1)
  }

  public init(
    id: UInt32, subtreeEnd: UInt32, transform: Affine = .identity, bounds: Rect, contentsRect: Rect = .zero,
    contentsID: UInt64 = 0, opacity: Float = 1, cornerRadius: Float = 0, backgroundColor: UInt32 = 0, flags: Flags = []
  ) {
    self.id = id
    self.subtreeEnd = subtreeEnd
    self.transform = transform
    self.bounds = bounds
    self.contentsRect = contentsRect
    self.contentsID = contentsID
    self.opacity = opacity
    self.cornerRadius = cornerRadius
    self.backgroundColor = backgroundColor
    self.flags = flags
  }
}
