import CKernels
import Geometry
import Glibc
import Raster
import RenderTree

/// The pixels of a layer that becomes a picture of its own: clear at first, by absolute coordinates.
final class Picture {
  var target: PixelTarget
  var pixels: IntRect { target.pixels }

  init(_ pixels: IntRect) {
    let bytesPerRow = max(pixels.width, 0) * 4
    let bytes = max(bytesPerRow * pixels.height, 4)
    let base = UnsafeMutableRawPointer.allocate(byteCount: bytes, alignment: 64)
    base.initializeMemory(as: UInt8.self, repeating: 0, count: bytes)
    target = PixelTarget(base: base, bytesPerRow: bytesPerRow, pixels: pixels)
  }

  deinit { target.base.deallocate() }
}

/// The pixels of a picture that any damage may ask for: what is made for the size of the picture must not depend on the damage.
struct PictureFrame: Equatable {
  /// All pixels of the output.
  var all: IntRect
  /// Those in which the tree is seen. Behind a layer that filters it, the pixels at this edge go on beyond it.
  var edge: IntRect

  /// The pixels of another picture that these need.
  func map(_ source: (IntRect) -> IntRect) -> PictureFrame { PictureFrame(all: source(all), edge: source(edge)) }
}

/// A byte of one channel for each pixel: 0 at first.
final class ChannelPicture {
  let pixels: IntRect
  private let base: UnsafeMutablePointer<UInt8>

  init(_ pixels: IntRect) {
    self.pixels = pixels
    base = .allocate(capacity: max(pixels.area, 1))
    base.initialize(repeating: 0, count: max(pixels.area, 1))
  }

  deinit { base.deallocate() }

  func row(_ y: Int32) -> UnsafeMutablePointer<UInt8> { base + Int(y - pixels.minY) * pixels.width }

  /// Copies a channel, from blue, 0, to alpha, 3, of the pixels that both pictures have.
  func copy(_ picture: Picture, channel: Int = 3) {
    let other = picture.pixels.intersection(pixels)
    guard !other.isEmpty else { return }
    for y in other.minY..<other.maxY {
      let source = picture.target.pointer(x: other.minX, y: y)
      let destination = row(y) + Int(other.minX - pixels.minX)
      let shift = UInt32(8 * channel)
      for x in 0..<other.width { destination[x] = UInt8(truncatingIfNeeded: source[x] >> shift) }
    }
  }

  /// Copies a channel of a picture whose edge pixels go on outside of it.
  func copy(extended picture: Picture, channel: Int) {
    let other = picture.pixels
    if other.isEmpty { return }
    let shift = UInt32(8 * channel)
    let columns = (pixels.minX..<pixels.maxX).clamped(to: other.minX..<other.maxX)
    for y in pixels.minY..<max(pixels.maxY, pixels.minY) {
      let source = picture.target.pointer(x: other.minX, y: min(max(y, other.minY), other.maxY - 1))
      let destination = row(y)
      for x in pixels.minX..<pixels.maxX where !columns.contains(x) {
        let place = min(max(x, other.minX), other.maxX - 1) - other.minX
        destination[Int(x - pixels.minX)] = UInt8(truncatingIfNeeded: source[Int(place)] >> shift)
      }
      let (from, to) = (Int(columns.lowerBound - other.minX), Int(columns.lowerBound - pixels.minX))
      for x in 0..<columns.count { destination[to + x] = UInt8(truncatingIfNeeded: source[from + x] >> shift) }
    }
  }

  /// Writes how much of each pixel the inside of a path covers.
  func fill(_ path: Path, _ toPixels: Affine) {
    let strips = Strips(FlatPath(path, toPixels), box: pixels, .nonZero)
    for y in pixels.minY..<max(pixels.maxY, pixels.minY) { strips?.coverage(y, pixels.minX..<pixels.maxX, row(y)) }
  }

  /// The blur of this channel on `result`, which must have the pixels of `blur.source(of: result)`.
  func blurred(by blur: PictureBlur, to result: IntRect, _ kernels: UnsafePointer<ckernels_table>) -> ChannelPicture {
    let shadow = ChannelPicture(result)
    let weightsX = Self.weights(blur.deviationX, blur.restX)
    let weightsY = Self.weights(blur.deviationY, blur.restY)
    let width = result.width
    if result.isEmpty { return shadow }
    // Most rows of a layer look like the one above, and most columns like the one beside: what is made of equal ones is made once.
    var equalRows = [Int](repeating: 0, count: pixels.height)
    for y in 1..<max(pixels.height, 1) {
      let row = base + y * pixels.width
      if memcmp(row, row - pixels.width, pixels.width) == 0 { equalRows[y] = equalRows[y - 1] + 1 }
    }
    let equal = equalColumns(equalRows)
    let end = equal.upperBound - weightsX.count + 1
    // The columns of the result that look like the one before them, if they are worth the calls for two parts.
    let alike = end - equal.lowerBound > 32 ? equal.lowerBound + 1..<end : width..<width
    /// Makes the columns of a row of the result that are not alike, and copies those that are.
    func make<Value>(_ row: UnsafeMutablePointer<Value>, _ part: (_ start: Int, _ count: Int64) -> Void) {
      part(0, Int64(alike.lowerBound))
      (row + alike.lowerBound).update(repeating: row[alike.lowerBound - 1], count: alike.count)
      part(alike.upperBound, Int64(width - alike.upperBound))
    }
    withUnsafeTemporaryAllocation(of: UInt16.self, capacity: width * pixels.height) { rows in
      guard let rows = rows.baseAddress else { return }
      for y in 0..<pixels.height {
        let (source, row) = (base + y * pixels.width, rows + y * width)
        if equalRows[y] > 0 {
          row.update(from: row - width, count: width)
        } else {
          make(row) { kernels.pointee.blur_row(row + $0, source + $0, $1, weightsX, Int64(weightsX.count)) }
        }
      }
      for y in 0..<result.height {
        let row = shadow.base + y * width
        // All rows that this one and the one above it mix are equal.
        if y > 0, equalRows[y + weightsY.count - 1] >= weightsY.count {
          row.update(from: row - width, count: width)
        } else {
          make(row) {
            kernels.pointee.blur_columns(
              row + $0, rows + y * width + $0, Int64(width), $1, weightsY, Int64(weightsY.count))
          }
        }
      }
    }
    return shadow
  }

  /// The longest run of columns that look alike in all rows.
  ///
  /// - Parameter equalRows: for each row, how many above it look like it.
  private func equalColumns(_ equalRows: [Int]) -> Range<Int> {
    let width = pixels.width
    // For each column, the bits in which it differs from the one before it.
    return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: width + 1) { differences in
      differences.initialize(repeating: 0)
      for y in 0..<pixels.height where equalRows[y] == 0 {
        let row = base + y * width
        for x in 1..<width { differences[x] |= row[x] ^ row[x - 1] }
      }
      differences[width] = 1
      var (longest, start) = (0..<0, 0)
      for x in 0...width where differences[x] != 0 {
        if x - start > longest.count { longest = start..<x }
        start = x
      }
      return longest
    }
  }

  /// The weights of the pixels from `reach + 1` before one to `reach` after it, when the picture is moved by `rest` pixels on.
  /// Their sum is 2¹⁶.
  private static func weights(_ deviation: Double, _ rest: Double) -> [UInt32] {
    let reach = Int(PictureBlur.reach(deviation))
    let distances = (-reach - 1...reach).map { Double($0) + rest }
    // Without a blur a pixel that was moved is shared by the two pixels on which it lies.
    let parts = distances.map { reach == 0 ? max(1 - abs($0), 0) : exp(-$0 * $0 / (2 * deviation * deviation)) }
    let sum = parts.reduce(0, +)
    var weights = parts.map { UInt32($0 / sum * 65536) }
    weights[reach + 1] += 65536 - weights.reduce(0, +)
    return weights
  }
}
