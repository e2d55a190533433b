public import Geometry
import Glibc
import Raster

/// One layer in a `TreeSnapshot`: the properties that every layer has.
///
/// A record is flat and bitwise copyable, so that ten thousand of them are copied and compared in microseconds. Pictures and
/// rare properties are `SideValues` of the snapshot; the record holds handles to them.
public struct RenderRecord: BitwiseCopyable, Sendable {
  /// Identifies the layer, with the same number in every tree while the layer lives; never 0.
  public var id: UInt32
  /// The index one past the last descendant. Descendants follow their ancestor, back to front.
  public var subtreeEnd: UInt32
  /// Maps the layer's coordinates to its parent's. The root's parent is the output: its coordinates are pixels.
  public var transform: Affine
  /// The layer's rectangle in its own coordinates.
  public var bounds: Rect
  /// The rectangle around everything that the layer paints itself, without its descendants; empty when it paints nothing.
  public private(set) var drawnBounds = Rect.zero
  /// The handle of the content: its identity, nil without one. The same identity is the same picture.
  public private(set) var content: ObjectIdentifier?
  /// The handle of the effects: their identity, nil without any.
  public private(set) var effects: ObjectIdentifier?
  /// The opacity of the layer with all its descendants, as one group: 0…1.
  public var opacity: Float
  /// The radius of the background's corners and, with `masksToBounds`, of the clip's: 0…half the shorter side.
  public var cornerRadius: Float
  /// 0xAARRGGBB, alpha multiplied in; 0 without a background.
  public var backgroundColor: UInt32
  public var flags: Flags
  /// How many pixels of the output the layer may paint around `drawnBounds`: see `RenderContent.reachInPixels`.
  public private(set) var reachInPixels: UInt16 = 0

  /// The properties of a layer that are true or false.
  public struct Flags: OptionSet, BitwiseCopyable, Hashable, Sendable {
    public let rawValue: UInt16
    public init(rawValue: UInt16) { self.rawValue = rawValue }
    /// Neither the layer nor its descendants are shown.
    public static let hidden = Flags(rawValue: 1 << 0)
    /// Content and descendants are clipped to `bounds` with its corner radius.
    public static let masksToBounds = Flags(rawValue: 1 << 1)
    /// The layer, with its descendants, is not shown where its back is seen, or its mirror image.
    public static let singleSided = Flags(rawValue: 1 << 5)
    /// The first child masks the layer with all its other descendants: its alpha multiplies theirs.
    public static let masked = Flags(rawValue: 1 << 2)
    /// The layer is such a mask, and is not seen itself.
    public static let mask = Flags(rawValue: 1 << 3)
    /// The layer with its descendants becomes a picture of its own before it is blended. `settle` sets it.
    static let isolated = Flags(rawValue: 1 << 4)
    /// The layer shows what lies behind it filtered. `settle` sets it.
    package static let filtersBackdrop = Flags(rawValue: 1 << 6)
  }

  public init(
    id: UInt32, subtreeEnd: UInt32 = 0, transform: Affine = .identity, bounds: Rect, opacity: Float = 1,
    cornerRadius: Float = 0, backgroundColor: UInt32 = 0, flags: Flags = []
  ) {
    self.id = id
    self.subtreeEnd = subtreeEnd
    self.transform = transform
    self.bounds = bounds
    self.opacity = opacity
    self.cornerRadius = cornerRadius
    self.backgroundColor = backgroundColor
    self.flags = flags
    settle(SideValues())
  }

  /// Takes the handles of its side values, and computes `drawnBounds`. To be called after any change of the record.
  package mutating func settle(_ sides: SideValues) {
    content = sides.content.map(ObjectIdentifier.init)
    effects = sides.effects.map(ObjectIdentifier.init)
    drawnBounds = bodyBounds(sides)
    reachInPixels = UInt16(clamping: sides.content?.reachInPixels ?? 0)
    flags.subtract([.isolated, .filtersBackdrop])
    if flags.contains(.masked) { flags.insert(.isolated) }
    guard let effects = sides.effects else { return }
    if effects.parts.filtersBackdrop { flags.insert(.filtersBackdrop) }
    guard effects.isolates else { return }
    flags.insert(.isolated)
    if effects.parts.blurRadius > 0, !drawnBounds.isEmpty {
      drawnBounds = drawnBounds.insetBy(dx: -3 * effects.parts.blurRadius, dy: -3 * effects.parts.blurRadius)
    }
    if let shadow = effects.parts.shadow {
      let shape = shadow.path?.boundingBox ?? drawnBounds
      let moved = shape.offsetBy(dx: shadow.offset.width, dy: shadow.offset.height)
      drawnBounds = drawnBounds.union(
        shape.isEmpty ? .zero : moved.insetBy(dx: -1.5 * shadow.radius, dy: -1.5 * shadow.radius))
    }
  }

  /// The rectangle around everything that the layer paints itself but its shadow.
  func bodyBounds(_ sides: SideValues) -> Rect {
    // An optional of the parts would be a copy, which takes longer than all the rest.
    let hasFrame = backgroundColor != 0 || sides.effects?.paintsFrame ?? false
    var frame = hasFrame && !bounds.isEmpty ? bounds : .zero
    if let path = sides.effects?.parts.innerShadow?.path { frame = frame.union(path.boundingBox) }
    guard let drawn = sides.content?.drawnBounds(in: bounds, sides.effects) else { return frame }
    // Particles and shapes reach beyond the bounds.
    return frame.union(flags.contains(.masksToBounds) ? drawn.intersection(bounds) : drawn)
  }
}

extension RenderRecord: Equatable {
  /// Compares the memory of both.
  public static func == (one: RenderRecord, other: RenderRecord) -> Bool {
    withUnsafeBytes(of: one) { one in
      withUnsafeBytes(of: other) { other in
        guard let one = one.baseAddress, let other = other.baseAddress else { return false }
        return memcmp(one, other, MemoryLayout<RenderRecord>.size) == 0
      }
    }
  }
}

extension RenderRecord {
  /// The opacity in steps of 1/255.
  @inlinable
  package var opacityByte: UInt32 {
    opacity >= 1 ? 255 : opacity > 0 ? UInt32(opacity * 255 + 0.5) : 0
  }

  /// True while the layer or its descendants can be seen.
  @inlinable
  package var isShown: Bool { flags.isDisjoint(with: [.hidden, .mask]) && opacityByte > 0 }

  /// True if the layer with its descendants becomes a picture of its own before it is blended.
  package var isIsolated: Bool { flags.contains(.isolated) }

  /// The index one past the last descendant of the record at `index`, inside its parent's range whatever the record says.
  @inlinable
  package func end(at index: Int, in limit: Int) -> Int {
    min(max(Int(subtreeEnd), index + 1), limit)
  }
}
