import CKernels
import Geometry
public import LinuxSystem
import Raster
public import RenderTree

/// Paints a render tree into a bitmap: the damaged pixels and no other.
///
/// Every pixel is a function of the tree and of its own coordinates alone. Painting any damage gives in its pixels the bytes
/// of a whole frame, however it is cut into rectangles, bands and threads, and whichever row kernels the processor runs.
/// A compositor belongs to one thread at a time; in steady state it allocates nothing, apart from shadows that change and the pictures of
/// layers whose effects change, or that filter what changes behind them: others it keeps, see `init(workers:keptBytes:blending:)`.
///
/// ```swift
/// let compositor = Compositor()
/// compositor.render(tree, damage: DamageRegion(IntRect(x: 0, y: 0, width: 64, height: 48)), into: bitmap)
/// ```
public final class Compositor: Renderer {
  /// From this many damaged pixels on they are shared out to the workers: below it, waking a thread costs more than it
  /// saves.
  private static let pixelsWorthSharing = 256 * 1024

  public private(set) var work = RenderWork()

  private let workers: WorkerPool?
  private let clock: SystemClock
  private let kernels: UnsafePointer<ckernels_table>
  private var list = CompositeList()
  /// The pictures that were made before the bands are painted.
  private var madePictures = CompositeScratch.Counts()
  let rasterCache: RasterCache
  private var bands: ContiguousArray<IntRect> = []
  private let idleScratch = Lock(ContiguousArray<CompositeScratch>())
  /// The tree that is being painted and its target; empty between frames.
  private var tree = TreeSnapshot()
  private var target: PixelTarget?
  private var frame = PictureFrame(all: .zero, edge: .zero)
  /// Paints one band. The closure is kept, so that it is not made for each frame.
  private var paintBand: ((Int) -> Void)?

  /// - Parameters:
  ///   - workers: threads that help with much damage; without any the calling thread does it all.
  ///   - keptBytes: the limit for the pictures of layers with effects, for shadows, and for filtered backdrops, that are kept while they
  ///     stay the same; 64 MiB unless said. With 0 none are kept. The pixels of a frame do not depend on it.
  ///   - blending: the light in which colours mix. The first compositor of a process with linear blending computes tables for some
  ///     milliseconds.
  ///   - clock: the loop's, by which the pictures that are painted anew are timed.
  public init(
    workers: WorkerPool? = nil, keptBytes: Int = 64 << 20, blending: Blending = .sRGB, clock: SystemClock = .monotonic
  ) {
    (self.workers, self.clock) = (workers, clock)
    kernels = blending == .linear ? ckernels_linear() : ckernels_best()
    rasterCache = RasterCache(limit: max(keptBytes, 0))
    paintBand = { [unowned self] in paint(bands[$0]) }
  }

  /// Moves pixels, and paints what `tree` shows in those of the damage; pixels outside of the bitmap are left out.
  @discardableResult
  public func render(_ tree: TreeSnapshot, change: FrameChange, into target: any RenderTarget) -> RenderFence {
    guard let bitmap = target.bitmap else {
      preconditionFailure("Compositor: the target has no pixels in memory; it needs a renderer of its own")
    }
    let output = IntRect(x: 0, y: 0, width: bitmap.width, height: bitmap.height)
    work = RenderWork()
    let pixels = PixelTarget(base: bitmap.base, bytesPerRow: bitmap.bytesPerRow, pixels: output)
    if let move = change.move {
      pixels.copy(move)
      rasterCache.move(move)
    }
    let began = clock.now
    let damage = prepare(tree, change.damage, output, keepsBackdrops: rasterCache.limit > 0)
    if damage.isEmpty { return .signaled }
    findPictures(in: tree, damage)
    // The nodes refer to contents that only the tree keeps alive.
    self.tree = tree
    self.target = pixels
    if let workers, let paintBand, damage.area >= Self.pixelsWorthSharing {
      work.runDelay = workers.concurrentPerform(iterations: bands.count, priority: .compositing, paintBand)
    } else {
      for band in bands { paint(band) }
    }
    self.tree = TreeSnapshot()
    self.target = nil
    count(in: clock.now - began)
    return .signaled
  }

  /// Adds up what was counted while bands were painted.
  private func count(in time: Nanoseconds) {
    var all = madePictures
    madePictures = CompositeScratch.Counts()
    // All are idle between frames.
    idleScratch.withLock { for scratch in $0 { all.take(from: scratch) } }
    work.layerPixels = all.layerPixels
    if all.pictureTime > .zero { work.pictureTime = .seconds(time.seconds * (all.pictureTime.seconds / all.time.seconds)) }
  }

  /// Lists the layers that the damage touches, and cuts it into bands.
  ///
  /// - Returns: the damage that lies on the output.
  private func prepare(
    _ tree: TreeSnapshot, _ damage: DamageRegion, _ output: IntRect, keepsBackdrops: Bool = false
  ) -> DamageRegion {
    var damage = damage
    damage.clip(to: output)
    if damage.isEmpty { return damage }
    frame = PictureFrame(all: output, edge: Placement(outside: tree, on: output).clip)
    if keepsBackdrops { rasterCache.beginFrame(tree, frame) }
    list.build(tree, damage: damage, output: output, edge: frame.edge) { node in
      guard keepsBackdrops else { return nil }
      return rasterCache.backdrop(of: node, tree.records[Int(node.record)], damage) { kept, pixels in
        timed { take(kept, in: pixels, of: tree) }
      }
    }
    if keepsBackdrops { rasterCache.endBackdrops() }
    cut(damage)
    return damage
  }

  /// Finds or makes the pictures of isolated layers, and the shadows, that are worth keeping.
  private func findPictures(in tree: TreeSnapshot, _ damage: DamageRegion) {
    if rasterCache.limit == 0 { return }
    tree.withTreeLayers { layers in
      findShadows(layers, damage)
      for position in list.nodes.indices where list.nodes[position].flags.contains(.isolated) {
        let node = list.nodes[position]
        let (index, end) = (Int(node.record), layers.end(of: Int(node.record)))
        guard
          let space = PictureSpace(
            layers, of: index, end: end, node.transform, depth: Int(node.pictureDepth), frame: frame.all)
        else { continue }
        let pixels = damage.rects.reduce(0) { $0 + $1.intersection(node.extent).area }
        list.nodes[position].raster = rasterCache.entry(
          of: index, end: end, layers, space, view: frame.map(space.source(of:)), shown: node.extent,
          pixels: pixels
        ) { extent in
          let scratch = idleScratch.withLock { $0.popLast() } ?? CompositeScratch()
          defer { idleScratch.withLock { $0.append(scratch) } }
          return timed {
            list.nodes.withUnsafeBufferPointer { nodes in
              BandPainter(
                kernels: kernels, layers: layers, nodes: nodes, scratch: scratch, band: extent, frame: frame,
                pictureDepth: space.depth
              ).flatPicture(of: index, end: end, in: space, extent)
            }
          }
        }
      }
      rasterCache.endFrame(damage, layers)
    }
    work.missedPictures = rasterCache.missed
  }

  /// Makes a picture that is kept.
  private func timed<Made>(_ make: () -> Made) -> Made {
    let began = clock.now
    defer { madePictures.addPicture(clock.now - began) }
    return make()
  }

  /// Paints the output in these pixels up to a layer that filters them, from which `kept` takes them.
  private func take(_ kept: KeptBackdrop, in pixels: IntRect, of tree: TreeSnapshot) {
    var list = CompositeList()
    list.build(tree, damage: DamageRegion(pixels), output: frame.all, edge: frame.edge) { node in
      Int(node.record) == kept.index ? kept : rasterCache.keptBackdrop(of: node, tree.records[Int(node.record)])
    }
    list.cut(after: kept.index)
    let picture = Picture(pixels)
    withExtendedLifetime(picture) {
      tree.withTreeLayers { layers in
        list.nodes.withUnsafeBufferPointer { nodes in
          BandPainter(
            kernels: kernels, layers: layers, nodes: nodes, scratch: CompositeScratch(), band: pixels, frame: frame,
            filtersBackdrop: list.filtersBackdrop
          ).paint(backdrop: tree.backdrop, picture.target)
        }
      }
    }
  }

  private func findShadows(_ layers: TreeLayers, _ damage: DamageRegion) {
    for position in list.nodes.indices {
      let node = list.nodes[position]
      if node.flags.isDisjoint(with: [.shadowed, .innerShadowed]) { continue }
      func kept(_ mask: ShadowMask) -> KeptShadowMask? {
        let place = mask.place(node.transform)
        let shown = mask.extent.offsetBy(dx: place.dx, dy: place.dy).intersection(node.own)
        let pixels = damage.rects.reduce(0) { $0 + $1.intersection(shown).area }
        return rasterCache.shadow(mask, pixels: pixels, view: frame.all.area) { extent in
          timed { mask.coverage(of: extent, kernels) }
        }
      }
      list.nodes[position].shadowMask = node.outerShadow(layers.records).flatMap(kept)
      list.nodes[position].innerShadowMask = node.innerShadow(layers.records).flatMap(kept)
    }
  }

  /// Cuts the damage into bands to be painted one by one. They are large: each goes through the whole list of layers.
  private func cut(_ damage: DamageRegion) {
    bands.removeAll(keepingCapacity: true)
    let area = damage.area
    let share = area < Self.pixelsWorthSharing ? area : area / ((workers?.threadCount ?? 0) + 1)
    for rect in damage.rects {
      let count = max(1, min(rect.height, rect.area / max(share, 1)))
      for band in 0..<count {
        bands.append(
          IntRect(
            minX: rect.minX, minY: rect.minY + Int32(rect.height * band / count), maxX: rect.maxX,
            maxY: rect.minY + Int32(rect.height * (band + 1) / count)))
      }
    }
  }

  private func paint(_ band: IntRect) {
    guard let target else { return }
    let scratch = idleScratch.withLock { $0.popLast() } ?? CompositeScratch()
    let began = clock.now
    scratch.clock = clock
    tree.withTreeLayers { layers in
      list.nodes.withUnsafeBufferPointer { nodes in
        BandPainter(
          kernels: kernels, layers: layers, nodes: nodes, scratch: scratch, band: band, frame: frame,
          filtersBackdrop: list.filtersBackdrop
        ).paint(backdrop: tree.backdrop, target)
      }
    }
    scratch.counts.time += clock.now - began
    idleScratch.withLock { $0.append(scratch) }
  }

  /// Calls `visit` for each run of pixels that `render` paints of the same tree and damage: once for the backdrop outside of the largest
  /// opaque rectangle, and once for each background, content, border, shadow and picture of a group or an effect that is not hidden. A pixel is
  /// named as often as it is painted. What is painted around the damage only to be blurred behind a layer is left out. Contents count
  /// with their rectangle, the picture of a layer in perspective or with a transition as a whole, and a kept picture as one that is
  /// painted.
  package func visitPaintedRuns(
    of tree: TreeSnapshot, damage: DamageRegion, width: Int, height: Int,
    _ visit: (_ row: Int32, _ columns: Range<Int32>) -> Void
  ) {
    let output = IntRect(x: 0, y: 0, width: width, height: height)
    if prepare(tree, damage, output).isEmpty { return }
    let scratch = CompositeScratch()
    tree.withTreeLayers { layers in
      list.nodes.withUnsafeBufferPointer { nodes in
        for band in bands {
          BandPainter(kernels: kernels, layers: layers, nodes: nodes, scratch: scratch, band: band, frame: frame)
            .visitRuns(visit)
        }
      }
    }
  }
}
