public import Raster

/// A picture of the layer tree at one moment: records in pre-order, children back to front, and their contents.
///
/// A value on copy-on-write arrays: patched in place while nobody else holds it, frozen as soon as somebody does.
public struct TreeSnapshot: Sendable {
  /// Empty, or the root with all its descendants: `records[0].subtreeEnd == records.count`.
  public var records: [RenderRecord]
  /// The image of the record at the same index.
  public var contents: [Image?]
  /// What lies behind the root: 0xAARRGGBB with alpha 0xFF.
  public var backdrop: UInt32
  /// Where the output shows the tree; nil for pixel for pixel, from its corner on.
  public var viewport: Viewport?

  public init(
    records: [RenderRecord] = [], contents: [Image?] = [], backdrop: UInt32 = 0xFF00_0000, viewport: Viewport? = nil
  ) {
    self.records = records
    self.contents = contents
    self.backdrop = backdrop
    self.viewport = viewport
  }
}
