public import Geometry
public import Raster

/// One generation of a surface as content: it is placed, cut and stretched as an image.
public final class SurfaceContent: RenderContent {
  package let picture: Image
  /// Counts from 0.
  let generation: UInt64
  /// The surface's first image, by which the generations of one surface know each other.
  private let surface: UInt64
  /// The regions that the last generations updated, this one last.
  private let updates: [DamageRegion]

  /// The number of generations whose updates are known.
  private static let limit = 8

  /// The first generation.
  init(_ picture: Image) {
    (self.picture, surface, generation, updates) = (picture, picture.id, 0, [])
  }

  /// The generation after `last`, whose pixels it has but for those of `update`.
  init(_ picture: Image, after last: SurfaceContent, _ update: DamageRegion) {
    (self.picture, surface, generation) = (picture, last.surface, last.generation + 1)
    updates = last.updates.suffix(Self.limit - 1) + [update]
  }

  public var image: Image? { picture }
  public var pixelSize: Size { picture.pixelSize }

  public func drawnBounds(in bounds: Rect, _ effects: RenderEffects?) -> Rect { picture.drawnBounds(in: bounds, effects) }

  /// The regions that were updated since an earlier generation; nil if that is too long ago.
  func changes(since earlier: UInt64) -> DamageRegion? {
    guard earlier <= generation, generation - earlier <= UInt64(updates.count) else { return nil }
    var changes = DamageRegion()
    for update in updates.suffix(Int(generation - earlier)) { changes.add(update) }
    return changes
  }

  public func changedPixels(
    from old: any RenderContent, in bounds: Rect, _ effects: RenderEffects?, _ transform: Affine
  ) -> DamageRegion? {
    guard let old = old as? SurfaceContent, old.surface == surface,
      let changes = old.generation <= generation ? changes(since: old.generation) : old.changes(since: generation)
    else { return nil }
    let cut = effects?.parts.cut ?? ContentCut()
    // Pixels at the edges go on there.
    if cut.hasNineParts || cut.reachesBeyondContent { return nil }
    let place = cut.place(ofAllIn: effects.contentRect(in: bounds))
    let map = Affine(
      a: place.width / pixelSize.width, b: 0, c: 0, d: place.height / pixelSize.height, tx: place.minX, ty: place.minY
    ).concatenating(transform)
    let reach = reach(map)
    var pixels = DamageRegion()
    for rect in changes.rects {
      let rect = Rect(x: Double(rect.minX), y: Double(rect.minY), width: Double(rect.width), height: Double(rect.height))
      pixels.add(map.pixels(of: rect.insetBy(dx: -reach.width, dy: -reach.height)))
    }
    return pixels
  }

  /// How far, in the surface's pixels, one of them reaches into others on the output.
  private func reach(_ map: Affine) -> Size {
    func isWhole(_ value: Double) -> Bool { abs(value - value.rounded()) < 1e-6 }
    let side = max(pixelSize.width, pixelSize.height)
    let error = max(max(abs(map.a - 1), abs(map.d - 1)), max(abs(map.b), abs(map.c))) * side
    if error < 1e-6, isWhole(map.tx), isWhole(map.ty) { return .zero }
    // Between pixels each is mixed with its neighbours. Shown smaller, means of up to twice as many as come on one of the output's are
    // mixed; they begin at multiples of their number, but for the one that a half of an odd number leaves over.
    func reach(_ x: Double, _ y: Double) -> Double {
      let length = (x * x + y * y).squareRoot()
      return length >= 1 ? 1 : 8 / length
    }
    return Size(reach(map.a, map.b), reach(map.c, map.d))
  }

  public var description: String { "surface \(picture.width)x\(picture.height) generation \(generation)" }
}
