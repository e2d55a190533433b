import CKernels
import Geometry
import LinuxSystem
import RenderTree

/// The rows that pixels are painted into, of the output or of a group's picture, by absolute coordinates.
struct PixelTarget {
  /// The pixel at the top left of `pixels`.
  var base: UnsafeMutableRawPointer
  var bytesPerRow: Int
  /// The pixels that may be written.
  var pixels: IntRect

  /// The part of it that has these pixels.
  func part(_ pixels: IntRect) -> PixelTarget {
    PixelTarget(base: pointer(x: pixels.minX, y: pixels.minY), bytesPerRow: bytesPerRow, pixels: pixels)
  }

  /// Replaces the pixels that both have by those of the other.
  func copy(_ other: PixelTarget) {
    let both = pixels.intersection(other.pixels)
    if both.isEmpty { return }
    for y in both.minY..<both.maxY {
      pointer(x: both.minX, y: y).update(from: other.pointer(x: both.minX, y: y), count: both.width)
    }
  }

  @inline(__always)
  func pointer(x: Int32, y: Int32) -> UnsafeMutablePointer<UInt32> {
    (base + Int(y - pixels.minY) * bytesPerRow + Int(x - pixels.minX) * 4).assumingMemoryBound(to: UInt32.self)
  }

  /// Copies pixels to where they moved.
  func copy(_ move: PixelMove) {
    let (dx, dy) = (move.dx, move.dy)
    let rect = move.rect.intersection(pixels).intersection(pixels.offsetBy(dx: dx, dy: dy))
    if rect.isEmpty || (dx == 0 && dy == 0) { return }
    // No row is overwritten before it is read.
    for row in 0..<Int32(rect.height) {
      let y = dy > 0 ? rect.maxY - 1 - row : rect.minY + row
      pointer(x: rect.minX, y: y).update(from: pointer(x: rect.minX - dx, y: y - dy), count: rect.width)
    }
  }
}

/// The memory that painting one rectangle needs; it grows, and is used again for the next.
///
/// Unchecked but safe to share: a thread that paints takes it from the compositor's list of idle ones and has it alone.
final class CompositeScratch: @unchecked Sendable {
  /// The pixels of a group, or those that a clip keeps, by depth.
  private var groups: [Room] = []
  /// The pixels that a clip keeps of those behind particles.
  private var behindParticles = Room()
  private var row: UnsafeMutableRawPointer
  private var rowPixels = 0
  /// A row in which the channels of pixels are added up.
  private var sums: UnsafeMutablePointer<SIMD4<Int32>>
  private var sumCount = 64
  let text = TextScratch()
  /// The particles that are about to be painted.
  var particles = ParticleRoom()
  /// The work that was done with it in this frame. Pictures within pictures have scratches of their own, whose counts nobody reads.
  var counts = Counts()
  /// Times the pictures that are painted anew; nil where nobody asks.
  var clock: SystemClock?
  /// For each node, its visibility in the rectangle that is painted.
  private(set) var visibility: UnsafeMutablePointer<Visibility>
  private var visibilityCount = 64

  private struct Room {
    var base = UnsafeMutableRawPointer.allocate(byteCount: 64, alignment: 64)
    var bytes = 64

    /// Room for pixels; what it holds is not known.
    mutating func target(_ pixels: IntRect) -> PixelTarget {
      let bytesPerRow = (pixels.width * 4 + 63) & ~63
      if bytes < bytesPerRow * pixels.height {
        base.deallocate()
        bytes = bytesPerRow * pixels.height
        base = .allocate(byteCount: bytes, alignment: 64)
      }
      return PixelTarget(base: base, bytesPerRow: bytesPerRow, pixels: pixels)
    }
  }

  enum Visibility: UInt8 {
    case visible
    /// The layer's own picture is hidden; descendants may be seen.
    case ownHidden
    /// The layer and its descendants are hidden.
    case hidden
  }

  /// See `RenderWork`.
  struct Counts: BitwiseCopyable {
    var layerPixels = 0
    var pictureTime = Nanoseconds.zero
    /// The time of all.
    var time = Nanoseconds.zero

    /// Adds a picture that was painted beside the bands.
    mutating func addPicture(_ duration: Nanoseconds) {
      pictureTime += duration
      time += duration
    }

    mutating func take(from scratch: CompositeScratch) {
      layerPixels += scratch.counts.layerPixels
      pictureTime += scratch.counts.pictureTime
      time += scratch.counts.time
      scratch.counts = Counts()
    }
  }

  init() {
    row = .allocate(byteCount: 64, alignment: 64)
    sums = .allocate(capacity: sumCount)
    visibility = .allocate(capacity: visibilityCount)
  }

  deinit {
    row.deallocate()
    sums.deallocate()
    visibility.deallocate()
    for group in groups { group.base.deallocate() }
    behindParticles.base.deallocate()
  }

  /// A clear picture of `pixels`.
  func group(depth: Int, pixels: IntRect) -> PixelTarget {
    let target = keptPixels(depth: depth, pixels: pixels)
    target.base.initializeMemory(as: UInt8.self, repeating: 0, count: target.bytesPerRow * pixels.height)
    return target
  }

  /// Room for a copy of `pixels`; what it holds at first is not known.
  func keptPixels(depth: Int, pixels: IntRect) -> PixelTarget {
    while groups.count <= depth { groups.append(Room()) }
    return groups[depth].target(pixels)
  }

  /// Room for a copy of `pixels`, over which particles are painted.
  func keptBehindParticles(_ pixels: IntRect) -> PixelTarget { behindParticles.target(pixels) }

  /// Room for the visibility of `count` nodes.
  func reserveVisibility(_ count: Int) -> UnsafeMutablePointer<Visibility> {
    if visibilityCount < count {
      visibility.deallocate()
      visibility = .allocate(capacity: count)
      visibilityCount = count
    }
    return visibility
  }

  /// Room for two rows of `count` pixels and two rows of coverage.
  func reserveRow(_ count: Int) {
    if rowPixels >= count { return }
    row.deallocate()
    row = .allocate(byteCount: count * 10, alignment: 64)
    rowPixels = count
  }

  /// Room for a row of coverage that may be wider than the rectangle that is painted.
  func coverage(_ count: Int) -> UnsafeMutablePointer<UInt8> {
    reserveRow(count)
    return coverage
  }

  func secondCoverage(_ count: Int) -> UnsafeMutablePointer<UInt8> {
    reserveRow(count)
    return secondCoverage
  }

  /// Room for the sums of so many pixels.
  func sums(_ count: Int) -> UnsafeMutablePointer<SIMD4<Int32>> {
    if sumCount < count {
      sums.deallocate()
      sums = .allocate(capacity: count)
      sumCount = count
    }
    return sums
  }

  var samples: UnsafeMutablePointer<UInt32> { row.assumingMemoryBound(to: UInt32.self) }
  /// Samples of a second copy of an image, which are mixed into `samples`.
  var copySamples: UnsafeMutablePointer<UInt32> { (row + rowPixels * 4).assumingMemoryBound(to: UInt32.self) }
  var coverage: UnsafeMutablePointer<UInt8> { (row + rowPixels * 8).assumingMemoryBound(to: UInt8.self) }
  var secondCoverage: UnsafeMutablePointer<UInt8> { (row + rowPixels * 9).assumingMemoryBound(to: UInt8.self) }
}
