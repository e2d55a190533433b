import CKernels
import Geometry
import Glibc
import LinuxSystem
import Raster
import RenderTree

extension ParticleContent: PaintableContent {
  /// Particles lie above each other; where they are added, opacity makes less of each.
  var coversItself: Bool { emission.parts.renderMode != .additive }

  func opaquePixels(of record: RenderRecord, _ effects: RenderEffects?, _ transform: Affine) -> IntRect { .zero }

  func paint(_ layer: PaintedLayer, with painter: BandPainter) {
    let transform = layer.node.transform
    let bounds = drawnBounds(in: layer.record.bounds, layer.node.effects)
    let own = transform.touchedPixels(of: layer.record, bounds).intersection(layer.node.own)
    // An antialiased clip cuts all that is painted in it.
    guard layer.record.flags.contains(.masksToBounds), !layer.node.flags.contains(.antialiasedClip) else {
      return paint(in: own.intersection(layer.clip), layer, with: painter)
    }
    let mask = LayerShape(layer.node, layer.record)
    let pixels = own.intersection(layer.clip).intersection(mask.pixels)
    if mask.isWhole || pixels.isEmpty { return paint(in: pixels, layer, with: painter) }
    // The edges cut a pixel once, when all particles are in it.
    let kept = painter.scratch.keptBehindParticles(pixels)
    kept.copy(layer.target)
    paint(in: pixels, layer, with: painter)
    painter.restore(
      kept, outside: CutEdges(mask, layer.record.bounds, transform, in: pixels), in: pixels, layer.target)
  }

  private func paint(in pixels: IntRect, _ layer: PaintedLayer, with painter: BandPainter) {
    guard !pixels.isEmpty else { return }
    var target = ckernels_pixels(
      base: layer.target.pointer(x: pixels.minX, y: pixels.minY), bytes_per_row: Int64(layer.target.bytesPerRow),
      x: pixels.minX, y: pixels.minY)
    let adds: UInt32 = emission.parts.renderMode == .additive ? 1 : 0
    forEachRun(
      in: pixels, layer.node.transform, opacity: Double(layer.opacity) / 255, painter.kernels, &painter.scratch.particles
    ) { run in
      guard let first = run.baseAddress else { return }
      painter.kernels.pointee.particles(&target, first, Int64(run.count), adds)
    }
  }

  /// Gives the particles that may touch pixels to `body`, in the order in which they are painted.
  func forEachRun(
    in pixels: IntRect, _ transform: Affine, opacity: Double = 1, _ kernels: UnsafePointer<ckernels_table>,
    _ memory: inout ParticleRoom,
    _ body: (UnsafeBufferPointer<ckernels_particle>) -> Void
  ) {
    guard let time else { return }
    let sorts = ![.unordered, .additive].contains(emission.parts.renderMode)
    let box = ckernels_box(min_x: pixels.minX, min_y: pixels.minY, max_x: pixels.maxX, max_y: pixels.maxY)
    // The sprites of all cells live until the sorted particles are painted.
    let spriteCount = emission.sources.reduce(1) { $0 + $1.sprite.levels.count }
    withUnsafeTemporaryAllocation(of: ckernels_sprite.self, capacity: spriteCount) { sprites in
      var (first, count) = (0, 0)
      for source in emission.sources {
        guard let base = sprites.baseAddress else { return }
        let levels = source.sprite.levels.count
        source.sprite.write(base + first, scale: source.cell.contentsScale)
        var kernel = ckernels_emission(emission.parts, source, at: time, transform, opacity)
        (kernel.sprites, kernel.sprite_count) = (UnsafePointer(base + first), Int64(levels))
        first += levels
        let numbers = source.numbers(at: time)
        var next = numbers.lowerBound
        while next < numbers.upperBound {
          count += memory.find(kernel, kernels, box, &next, numbers.upperBound, at: count)
          if sorts { continue }
          memory.paint(count, body)
          count = 0
        }
      }
      if sorts { memory.paintSorted(count, body) }
    }
  }
}

extension ParticleSprite {
  /// - Parameter scale: pixels of the whole picture for each of the emitter's units.
  fileprivate func write(_ sprites: UnsafeMutablePointer<ckernels_sprite>, scale: Double) {
    for (index, level) in levels.enumerated() {
      let (columns, rows) = (level.width - 2, level.height - 2)
      (sprites + index).initialize(
        to: ckernels_sprite(
          pixels: level.base.assumingMemoryBound(to: UInt32.self), stride: Int64(level.bytesPerRow / 4),
          width: Int32(columns),
          height: Int32(rows), pixel_width: Double(width) / Double(columns) / scale,
          pixel_height: Double(height) / Double(rows) / scale))
    }
  }
}

extension ckernels_spread {
  fileprivate init(_ spread: Emission.Spread) { self.init(mean: spread.mean, range: spread.range) }
}

extension ckernels_emission {
  fileprivate init(
    _ parts: Emission.Parts, _ source: Emission.Source, at time: MonotonicTime, _ transform: Affine, _ opacity: Double
  ) {
    self.init()
    let cell = source.cell
    seed = source.seed
    (birthplace, order) = (parts.birthplace, parts.renderMode.order)
    (x, y, width, height) = (parts.position.x, parts.position.y, abs(parts.size.width), abs(parts.size.height))
    (self.time, end, rate) = (source.seconds(at: time), source.end, source.birthRate)
    (lifetime, velocity) = (ckernels_spread(source.lifetime), ckernels_spread(source.velocity))
    (scale, spin) = (ckernels_spread(source.scale), ckernels_spread(source.spin))
    scale_speed = source.scaleSpeed
    direction = ckernels_spread(mean: cell.emissionLongitude, range: cell.emissionRange)
    (in_plane, upwards) = (cos(cell.emissionLatitude), sin(cell.emissionLatitude))
    (acceleration_x, acceleration_y, acceleration_z) = (cell.xAcceleration, cell.yAcceleration, cell.zAcceleration)
    color = (
      ckernels_spread(mean: cell.color.red, range: cell.redRange),
      ckernels_spread(mean: cell.color.green, range: cell.greenRange),
      ckernels_spread(mean: cell.color.blue, range: cell.blueRange),
      ckernels_spread(mean: cell.color.alpha, range: cell.alphaRange)
    )
    color_speed = (cell.redSpeed, cell.greenSpeed, cell.blueSpeed, cell.alphaSpeed)
    self.opacity = opacity
    (a, b, c, d, tx, ty) = (transform.a, transform.b, transform.c, transform.d, transform.tx, transform.ty)
  }
}

extension Emission.Parts {
  fileprivate var birthplace: ckernels_birthplace {
    switch (shape, mode) {
    case (.point, _): CKERNELS_POINT
    case (.line, .points): CKERNELS_ENDS
    case (.line, _): CKERNELS_LINE
    case (.rectangle, .points): CKERNELS_CORNERS
    case (.rectangle, .outline): CKERNELS_EDGES
    case (.rectangle, _): CKERNELS_AREA
    case (.circle, .points), (.circle, .outline): CKERNELS_RING
    case (.circle, _): CKERNELS_DISC
    }
  }
}

extension EmitterRenderMode {
  fileprivate var order: ckernels_particle_order {
    switch self {
    case .unordered, .additive: CKERNELS_BY_NUMBER
    case .oldestFirst: CKERNELS_OLDEST_FIRST
    case .oldestLast: CKERNELS_OLDEST_LAST
    case .backToFront: CKERNELS_BY_DEPTH
    }
  }
}
