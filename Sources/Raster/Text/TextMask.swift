import Geometry

/// The coverage of one line of text, added up from its glyphs. It keeps its memory from line to line.
struct TextMask {
  /// The glyphs of the line.
  var placed: ContiguousArray<PlacedGlyph> = []
  private var memory: [UInt8] = []

  /// Gives `body` the coverage of the placed glyphs inside `clip`, unless there is none.
  mutating func withCoverage(within clip: IntRect, _ body: (CoverageMask) -> Void) {
    let area = placed.inkBox.intersection(clip)
    if area.isEmpty { return }
    let count = CoverageMask.byteCount(of: area)
    if memory.count < count { memory = [UInt8](repeating: 0, count: count) }
    memory.withUnsafeMutableBufferPointer { memory in
      guard let base = memory.baseAddress else { return }
      let mask = CoverageMask(base, pixels: area)
      mask.add(placed)
      body(mask)
    }
  }
}
