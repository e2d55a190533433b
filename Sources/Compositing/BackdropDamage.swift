import Geometry
import RenderTree

// A layer that filters what lies behind it looks different where that has changed, and around it as far as the blur reaches.

extension DamageCauses {
  /// Adds the pixels in which layers filter what changed or moved behind them.
  mutating func addFilteredBackdrops(in tree: TreeSnapshot, on output: IntRect, _ scrolled: ScrolledPixels?) {
    if causes.isEmpty && scrolled == nil || !tree.filtersBackdrop { return }
    tree.withTreeLayers { layers in
      layers.visitFilteredBackdrops(in: Placement(outside: tree, on: output)) { index, shown, blur in
        var reached = DamageRegion()
        func addReached(from pixels: IntRect) {
          reached.add((blur?.reached(from: pixels) ?? pixels).intersection(shown))
        }
        // A layer that was removed counts as behind.
        for (pixels, cause) in causes where cause.new < index { addReached(from: pixels) }
        if let scrolled, scrolled.cause.new < index { addReached(from: scrolled.move.rect) }
        for pixels in reached.rects { add(pixels, from: .filteredBackdrop(of: index)) }
      }
    }
  }
}

extension TreeSnapshot {
  /// True if a layer filters what lies behind it.
  var filtersBackdrop: Bool {
    withTreeLayers { layers in
      stride(from: 0, to: layers.records.count, by: RecordBlock.length).contains { start in
        let number = start / RecordBlock.length
        if number < layers.blocks.count, let block = layers.blocks[number] { return block.filtersBackdrop }
        return (start..<min(start + RecordBlock.length, layers.records.count)).contains {
          layers.records[$0].flags.contains(.filtersBackdrop)
        }
      }
    }
  }
}

extension TreeLayers {
  /// Visits the layers that filter what lies behind them, from back to front, with the pixels in which it is shown and the blur. Those
  /// in layers that become pictures of their own change with these pictures.
  fileprivate func visitFilteredBackdrops(
    in outer: Placement, _ visit: (_ index: Int, _ shown: IntRect, _ blur: PictureBlur?) -> Void
  ) {
    var parents: [(limit: Int, placement: Placement)] = []
    var (placement, limit, index) = (outer, records.count, 0)
    while index < records.count {
      while index >= limit, let parent = parents.popLast() { (limit, placement) = parent }
      let record = records[index]
      let next = record.end(at: index, in: limit)
      let transform = placement.transform(of: record)
      guard record.isShown, !isTurnedAway(index, transform) else {
        index = next
        continue
      }
      if record.flags.contains(.filtersBackdrop) {
        let shown = transform.touchedPixels(of: record.bounds).intersection(placement.clip)
        visit(index, shown, effects(at: index)?.parts.backdropBlur(transform))
      }
      if record.isIsolated || next == index + 1 {
        index = next
        continue
      }
      parents.append((limit, placement))
      (placement, limit) = (placement.entering(record, transform: transform), next)
      index += 1
    }
  }
}
