/// The modifiers of a keyboard as masks of its layout, a bit for each modifier in the layout's order, and the layout that is in use among
/// several.
public struct ModifierState: Hashable, BitwiseCopyable, Sendable {
  /// Held.
  public var depressed: UInt32
  /// In force up to the next key.
  public var latched: UInt32
  public var locked: UInt32
  /// The place of the layout, from 0.
  public var layout: UInt32

  public init(depressed: UInt32 = 0, latched: UInt32 = 0, locked: UInt32 = 0, layout: UInt32 = 0) {
    (self.depressed, self.latched, self.locked, self.layout) = (depressed, latched, locked, layout)
  }
}
