import Geometry

/// Bitmaps of glyphs by their keys, in a table with open addressing that only grows: what was found in it stays there as long as the
/// table.
///
/// A dictionary takes three times as long to find a glyph: its hash withstands keys that somebody chose, and it counts a reference.
///
/// Unchecked but safe to share: only `GlyphCache` reads and changes it, in its lock. Others only keep it.
final class GlyphTable: @unchecked Sendable {
  struct Slot: BitwiseCopyable {
    fileprivate let key: UInt64
    /// The number of the bitmap, from 1; 0 in an empty slot.
    fileprivate let number: Int
    let coverage: UnsafePointer<UInt8>
    let box: IntRect
  }

  /// The cost of all bitmaps, in the cache's unit.
  private(set) var cost = 0
  private var bitmaps: ContiguousArray<GlyphBitmap> = []
  /// Their number is a power of two, and twice that of the bitmaps at least.
  private var slots: UnsafeMutableBufferPointer<Slot>

  init() { slots = Self.emptySlots(64) }
  deinit { slots.deallocate() }

  @inline(__always)
  func slot(for key: GlyphCache.Key) -> Slot? {
    let slot = slots[place(of: key.bits)]
    return slot.number == 0 ? nil : slot
  }

  func bitmap(for key: GlyphCache.Key) -> GlyphBitmap? { slot(for: key).map { bitmaps[$0.number - 1] } }

  /// Adds a bitmap, unless the table has one with this key.
  func add(_ bitmap: GlyphBitmap, for key: GlyphCache.Key, cost: Int) {
    guard slot(for: key) == nil else { return }
    if slots.count < 2 * (bitmaps.count + 1) { grow() }
    bitmaps.append(bitmap)
    self.cost += cost
    slots[place(of: key.bits)] = Slot(key: key.bits, number: bitmaps.count, coverage: bitmap.base, box: bitmap.box)
  }

  /// The slot that has the key, or the empty one where it belongs.
  @inline(__always)
  private func place(of key: UInt64) -> Int {
    let mask = slots.count &- 1
    // Keys of one line differ in their lowest bits. A product with an odd number spreads these over the highest.
    var place = Int(truncatingIfNeeded: (key &* 0x9E37_79B9_7F4A_7C15) >> 32) & mask
    while slots[place].number != 0, slots[place].key != key { place = (place &+ 1) & mask }
    return place
  }

  private func grow() {
    let old = slots
    slots = Self.emptySlots(old.count * 2)
    for slot in old where slot.number != 0 { slots[place(of: slot.key)] = slot }
    old.deallocate()
  }

  private static func emptySlots(_ count: Int) -> UnsafeMutableBufferPointer<Slot> {
    let slots = UnsafeMutableBufferPointer<Slot>.allocate(capacity: count)
    slots.initialize(repeating: Slot(key: 0, number: 0, coverage: GlyphBitmap.empty.base, box: .zero))
    return slots
  }
}
