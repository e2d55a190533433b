import Geometry
import LinuxSystem
import Raster
import RenderTree
import TestLength
import Testing

@testable import Compositing

/// The caches of a compositor over very many frames.
@Suite struct CacheSoakTests {
  /// 2,000 frames of random trees, in a long run 100,000: after each one every cache is within its budget, and pictures that nobody
  /// shows any more are let go of.
  @MainActor @Test func cachesStayWithinTheirBudgets() async throws {
    let (width, height) = (90, 80)
    let output = IntRect(x: 0, y: 0, width: width, height: height)
    // Room for one picture of the size of the output.
    let compositor = Compositor(keptBytes: 30_000)
    let bitmap = try Bitmap(width: width, height: height)
    var diff = SceneDiff()
    var shown = TreeSnapshot()
    var (frames, seed, largest) = (0, UInt64(runSeed) << 24, 0)
    while frames < (isLongRun ? 100_000 : 2_000) {
      seed += 1
      let model = try RandomTree(seed: seed, layers: 10, width: width, height: height)
      // One tree in twenty takes as long as all others: see `DamagePlayer`.
      let end = SystemClock.monotonic.now + .seconds(1)
      for _ in 0..<200 where SystemClock.monotonic.now < end {
        // Each layer that is let go of with its tree leaves pictures behind; those that stay are kept from the second frame on.
        if frames % 3 == 0 { _ = model.edit() }
        let tree = model.snapshot()
        var damage = diff.change(from: shown, to: tree, width: width, height: height).damage
        if frames % 5 == 0 { damage.add(output) }
        compositor.render(tree, damage: damage, into: bitmap)
        shown = tree
        frames += 1
        let (pictures, glyphs, strips) = (compositor.rasterCache.cost, GlyphCache.shared.cost, StripCache.shared.cost)
        guard pictures <= compositor.rasterCache.limit, glyphs <= GlyphCache.shared.limit, strips <= 16 << 20 else {
          Issue.record(
            "seed \(seed), frame \(frames): \(pictures) bytes of pictures, \(glyphs) of glyphs, \(strips) of strips")
          return
        }
        largest = max(largest, pictures)
      }
      await Task.yield()
    }
    // Otherwise nothing would have been kept that had to go.
    #expect(largest > 15_000)
    for _ in 0..<300 { compositor.render(TreeSnapshot(), damage: DamageRegion(output), into: bitmap) }
    #expect(compositor.rasterCache.cost == 0)
  }
}
