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

/// A byte of alpha for each pixel: 0 at first.
final class AlphaPicture {
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

  /// The shadow on `result` of this alpha, which must have the pixels of `blur.source(of: result)`.
  func blurred(by blur: PictureBlur, to result: IntRect, _ kernels: UnsafePointer<ckernels_table>) -> AlphaPicture {
    let shadow = AlphaPicture(result)
    let weightsX = Self.weights(blur.deviationX, blur.restX)
    let weightsY = Self.weights(blur.deviationY, blur.restY)
    let (width, count) = (result.width, Int64(result.width))
    // Most rows of a layer look like the one above: what is made of equal rows is made once.
    var equalRows = [Int](repeating: 0, count: pixels.height)
    withUnsafeTemporaryAllocation(of: UInt16.self, capacity: width * pixels.height) { rows in
      guard let rows = rows.baseAddress else { return }
      for y in 0..<pixels.height {
        let (source, row) = (base + y * pixels.width, rows + y * width)
        if y > 0, memcmp(source, source - pixels.width, pixels.width) == 0 {
          equalRows[y] = equalRows[y - 1] + 1
          row.update(from: row - width, count: width)
        } else {
          kernels.pointee.blur_row(row, source, count, weightsX, Int64(weightsX.count))
        }
      }
      for y in 0..<result.height {
        let row = shadow.base + y * width
        // All rows that this one and the one above it mix are equal.
        if y > 0, equalRows[y + weightsY.count - 1] >= weightsY.count {
          row.update(from: row - width, count: width)
        } else {
          kernels.pointee.blur_columns(row, rows + y * width, count, count, weightsY, Int64(weightsY.count))
        }
      }
    }
    return shadow
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

/// How much of each pixel the inside of a path covers: sixteen lines in each row of pixels, each exact along x.
struct PathCoverage {
  private static let lines = 16
  private var segments: [(from: Point, to: Point)] = []

  init(_ path: Path, _ transform: Affine) {
    var (current, start) = (Point.zero, Point.zero)
    for element in path.elements {
      switch element {
      case .move(let point):
        add(current, start)
        (current, start) = (transform.apply(point), transform.apply(point))
      case .line(let point):
        let point = transform.apply(point)
        add(current, point)
        current = point
      case .quadCurve(let point, let control):
        let (end, control) = (transform.apply(point), transform.apply(control))
        addCurve(current, current + (control - current) * (2.0 / 3), end + (control - end) * (2.0 / 3), end)
        current = end
      case .cubicCurve(let point, let control1, let control2):
        let end = transform.apply(point)
        addCurve(current, transform.apply(control1), transform.apply(control2), end)
        current = end
      case .close:
        add(current, start)
        current = start
      }
    }
    add(current, start)
  }

  private mutating func add(_ from: Point, _ to: Point) {
    guard from.y != to.y, (from.x + from.y + to.x + to.y).isFinite else { return }
    segments.append((from, to))
  }

  private mutating func addCurve(_ p0: Point, _ p1: Point, _ p2: Point, _ p3: Point) {
    func length(_ p: Point) -> Double { (p.x * p.x + p.y * p.y).squareRoot() }
    let reach = length(p1 - p0) + length(p2 - p1) + length(p3 - p2)
    let count = reach < 4096 ? Int(reach.squareRoot()) + 4 : 64
    var last = p0
    for step in 1...count {
      let t = Double(step) / Double(count)
      let s = 1 - t
      let next = step == count ? p3 : p0 * (s * s * s) + p1 * (3 * s * s * t) + p2 * (3 * s * t * t) + p3 * (t * t * t)
      add(last, next)
      last = next
    }
  }

  /// Writes the coverage of the pixels of `picture`, each of which depends on the path alone.
  func fill(_ picture: AlphaPicture) {
    let pixels = picture.pixels
    guard !pixels.isEmpty, !segments.isEmpty else { return }
    var crossings: [(x: Double, turn: Int)] = []
    var sums = [Double](repeating: 0, count: pixels.width)
    for y in pixels.minY..<pixels.maxY {
      for x in sums.indices { sums[x] = 0 }
      for line in 0..<Self.lines {
        let height = Double(y) + (Double(line) + 0.5) / Double(Self.lines)
        crossings.removeAll(keepingCapacity: true)
        for (from, to) in segments where (from.y <= height) != (to.y <= height) {
          let x = from.x + (height - from.y) / (to.y - from.y) * (to.x - from.x)
          crossings.append((x > -1e9 ? min(x, 1e9) : -1e9, from.y < to.y ? 1 : -1))
        }
        crossings.sort { $0.x < $1.x }
        var turns = 0
        for (index, crossing) in crossings.enumerated() {
          turns += crossing.turn
          if turns != 0, index + 1 < crossings.count { Self.add(crossing.x, crossings[index + 1].x, pixels, &sums) }
        }
      }
      let row = picture.row(y)
      for x in sums.indices { row[x] = UInt8(min(sums[x] / Double(Self.lines), 1) * 255 + 0.5) }
    }
  }

  /// Adds the part of each pixel between two places on a line.
  private static func add(_ from: Double, _ to: Double, _ pixels: IntRect, _ sums: inout [Double]) {
    let (low, high) = (max(from, Double(pixels.minX)), min(to, Double(pixels.maxX)))
    guard low < high else { return }
    for column in Int(low.rounded(.down))...Int((high.rounded(.up))) - 1 {
      sums[column - Int(pixels.minX)] += min(to, Double(column + 1)) - max(from, Double(column))
    }
  }
}
