import Geometry
import LinuxSystem
import Raster
import Testing

@testable import RenderTree

@Suite struct SurfaceTests {
  private func rect(_ x: Int, _ y: Int, _ width: Int, _ height: Int) -> IntRect {
    IntRect(x: x, y: y, width: width, height: height)
  }

  private func fill(_ surface: Surface, _ region: IntRect, _ pixel: UInt32) throws {
    try surface.update(region) { pixels in
      for y in 0..<region.height { pixels.row(y).update(repeating: pixel) }
    }
  }

  private func pixels(_ surface: Surface) -> [UInt32] { pixels(surface.content.picture) }

  private func pixels(_ image: Image) -> [UInt32] {
    (0..<image.height).flatMap { y in
      let row = image.row(y).assumingMemoryBound(to: UInt32.self)
      return (0..<image.width).map { row[$0] }
    }
  }

  @Test func beginsClearOrBlack() throws {
    #expect(pixels(try Surface(width: 2, height: 2)) == [0, 0, 0, 0])
    let opaque = try Surface(width: 1, height: 2, isOpaque: true)
    #expect(pixels(opaque) == [0xFF00_0000, 0xFF00_0000])
    #expect(opaque.content.picture.isOpaque)
    #expect(throws: BitmapError.size(width: 0, height: 3)) { try Surface(width: 0, height: 3) }
    #expect(throws: BitmapError.size(width: 3, height: 40_000)) { try Surface(width: 3, height: 40_000) }
  }

  @Test func updatesAreShownTogetherOnceCommitted() throws {
    let surface = try Surface(width: 3, height: 1, isOpaque: true)
    try fill(surface, rect(0, 0, 1, 1), 0x11)
    try fill(surface, rect(2, 0, 1, 1), 0x22)
    #expect(pixels(surface) == [0xFF00_0000, 0xFF00_0000, 0xFF00_0000])
    try surface.commit()
    #expect(pixels(surface) == [0xFF00_0011, 0xFF00_0000, 0xFF00_0022])
    let content = surface.content
    try surface.commit()
    #expect(surface.content === content, "nothing was updated")
  }

  /// Random updates against an array, while random older generations are held: none of these changes, and buffers are used again.
  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func isAnArrayOfPixels(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let (width, height) = (Int.random(in: 1...90, using: &random), Int.random(in: 1...60, using: &random))
    let surface = try Surface(width: width, height: height)
    var expected = [UInt32](repeating: 0, count: width * height)
    var held: [(content: SurfaceContent, pixels: [UInt32])] = []
    var buffers: Set<UnsafeRawPointer> = []
    for _ in 0..<60 {
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        let (x, y) = (Int.random(in: 0..<width, using: &random), Int.random(in: 0..<height, using: &random))
        let region = rect(
          x, y, Int.random(in: 1...width - x, using: &random), Int.random(in: 1...height - y, using: &random))
        var bytes: [UInt32] = []
        for _ in 0..<region.area { bytes.append(.random(in: 0...UInt32.max, using: &random)) }
        for row in 0..<region.height {
          for column in 0..<region.width { expected[(y + row) * width + x + column] = bytes[row * region.width + column] }
        }
        if Int.random(in: 0...1, using: &random) == 0 {
          try bytes.withUnsafeBytes { try surface.write($0, bytesPerRow: region.width * 4, to: region) }
        } else {
          try surface.update(region) { pixels in
            for row in 0..<region.height {
              for column in 0..<region.width { pixels.row(row)[column] = bytes[row * region.width + column] }
            }
          }
        }
      }
      try surface.commit()
      #expect(pixels(surface) == expected)
      if Int.random(in: 0...3, using: &random) == 0 { held.append((surface.content, expected)) }
      if held.count > 2 { held.remove(at: Int.random(in: 0...2, using: &random)) }
      for (content, pixels) in held { #expect(self.pixels(content.picture) == pixels) }
      buffers.insert(surface.content.picture.base)
    }
    #expect(buffers.count <= 8, "the shown one, the written one, those held, and freed ones in place of others")
  }

  /// The regions since a generation, as far back as they are known.
  @Test func knowsWhatChanged() throws {
    let surface = try Surface(width: 4_000, height: 10)
    var contents = [surface.content]
    for step in 1...12 {
      try fill(surface, rect(step * 300, 2, 3, 4), 0xFF)
      try surface.commit()
      contents.append(surface.content)
    }
    func changes(_ from: Int, _ to: Int) -> Set<IntRect>? {
      contents[to].changedPixels(from: contents[from], in: Rect(x: 0, y: 0, width: 4_000, height: 10), nil, .identity)
        .map { Set($0.rects) }
    }
    #expect(changes(11, 12) == [rect(3_600, 2, 3, 4)])
    #expect(changes(12, 11) == [rect(3_600, 2, 3, 4)], "back to an older one")
    #expect(changes(9, 11)?.reduce(IntRect.zero) { $0.union($1) } == rect(3_000, 2, 303, 4))
    #expect(changes(4, 12) != nil)
    #expect(changes(3, 12) == nil, "too long ago")
    let other = try Surface(width: 4_000, height: 10)
    #expect(
      other.content.changedPixels(from: contents[0], in: Rect(x: 0, y: 0, width: 4_000, height: 10), nil, .identity) == nil)
  }

  @Test func farRegionsStayApart() throws {
    let surface = try Surface(width: 2_000, height: 2_000)
    let old = surface.content
    let regions = [rect(0, 0, 10, 10), rect(1_900, 0, 10, 10), rect(0, 1_900, 10, 10)]
    for region in regions { try fill(surface, region, 1) }
    try surface.commit()
    let changed = surface.content.changedPixels(
      from: old, in: Rect(x: 0, y: 0, width: 2_000, height: 2_000), nil, .translation(x: 5, y: 7))
    #expect(changed.map { Set($0.rects) } == Set(regions.map { $0.offsetBy(dx: 5, dy: 7) }))
  }

  // MARK: Wrong use

  @Test func wrongSizesAreErrors() throws {
    let surface = try Surface(width: 10, height: 6)
    let bytes = [UInt8](repeating: 9, count: 100)
    for region in [rect(0, 0, 11, 1), rect(0, 0, 1, 7), rect(-1, 0, 2, 2), rect(3, 3, 0, 2), rect(9, 5, 2, 1)] {
      #expect(throws: SurfaceError.region(region, width: 10, height: 6)) { try surface.update(region) { _ in } }
      #expect(throws: SurfaceError.region(region, width: 10, height: 6)) {
        try bytes.withUnsafeBytes { try surface.write($0, bytesPerRow: 44, to: region) }
      }
    }
    let region = rect(0, 0, 5, 4)
    for (count, bytesPerRow) in [(79, 20), (80, 19), (100, 27), (100, .max), (100, 0), (100, -20), (0, 20)] {
      #expect(throws: SurfaceError.pixels(bytes: count, bytesPerRow: bytesPerRow, region: region)) {
        try bytes[..<count].withUnsafeBytes { try surface.write($0, bytesPerRow: bytesPerRow, to: region) }
      }
    }
    try surface.commit()
    #expect(pixels(surface) == [UInt32](repeating: 0, count: 60))
    try bytes[..<95].withUnsafeBytes { try surface.write($0, bytesPerRow: 25, to: region) }
    try surface.commit()
    #expect(pixels(surface)[34] == 0x0909_0909)
  }

  @Test func anUpdateInAnUpdateIsAnError() throws {
    let surface = try Surface(width: 3, height: 3)
    try surface.update(rect(0, 0, 1, 1)) { pixels in
      #expect(throws: SurfaceError.isBeingUpdated) { try surface.update(rect(1, 1, 1, 1)) { _ in } }
      #expect(throws: SurfaceError.isBeingUpdated) { try surface.commit() }
      pixels.row(0)[0] = 5
    }
    try surface.commit()
    #expect(pixels(surface) == [5, 0, 0, 0, 0, 0, 0, 0, 0])
  }

  @Test func listenersAreToldUntilTheyGo() throws {
    let surface = try Surface(width: 1, height: 1)
    let count = Lock(0)
    var listener: Surface.Listener? = surface.listen { count.withLock { $0 += 1 } }
    try fill(surface, rect(0, 0, 1, 1), 7)
    #expect(count.withLock { $0 } == 0)
    try surface.commit()
    try surface.commit()
    #expect(count.withLock { $0 } == 1)
    withExtendedLifetime(listener) {}
    listener = nil
    try fill(surface, rect(0, 0, 1, 1), 7)
    try surface.commit()
    #expect(count.withLock { $0 } == 1)
  }
}
