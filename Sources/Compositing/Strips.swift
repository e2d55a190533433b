import CKernels
import Geometry
import Raster

/// The coverage of a shape: strips of four rows, each with its antialiased and its whole runs of pixels.
///
/// Unchecked but safe to share: nothing changes it after `init`.
final class Strips: @unchecked Sendable {
  private let strips: UnsafeMutablePointer<ckernels_strips>
  /// A rectangle that is covered wholly; one of the larger ones if there are several.
  let coveredRect: IntRect

  /// Nil without memory.
  init?(_ outline: FlatPath, box: IntRect, _ rule: FillRule, _ kernels: UnsafePointer<ckernels_table> = ckernels_best()) {
    let box = ckernels_box(min_x: box.minX, min_y: box.minY, max_x: box.maxX, max_y: box.maxY)
    let made = outline.points.withUnsafeBufferPointer { points in
      outline.ends.withUnsafeBufferPointer { ends in
        points.withMemoryRebound(to: (Double, Double).self) { points in
          ckernels_fill_strips(
            kernels, UnsafeRawPointer(points.baseAddress)?.assumingMemoryBound(to: Double.self), ends.baseAddress,
            ends.count,
            box, rule == .evenOdd ? 1 : 0)
        }
      }
    }
    guard let made else { return nil }
    strips = made
    coveredRect = Self.coveredRect(made)
  }

  deinit { ckernels_free_strips(strips) }

  /// Its memory in bytes.
  var byteCount: Int { Int(strips.pointee.size) }

  /// Takes the longest whole run of each strip, and of those below each other the rectangle that they share, as long as it grows.
  private static func coveredRect(_ strips: UnsafePointer<ckernels_strips>) -> IntRect {
    var (largest, current) = (IntRect.zero, IntRect.zero)
    guard let runs = strips.pointee.runs else { return largest }
    for strip in 0..<Int(strips.pointee.count) {
      var longest = IntRect.zero
      for index in Int(strips.pointee.starts[strip])..<Int(strips.pointee.starts[strip + 1]) {
        let run = runs[index]
        guard run.coverage == solid, Int(run.end - run.start) > longest.width else { continue }
        let top = strips.pointee.top + 4 * Int32(strip)
        longest = IntRect(minX: run.start, minY: top, maxX: run.end, maxY: top + 4)
      }
      let shared = IntRect(
        minX: max(current.minX, longest.minX), minY: current.minY, maxX: min(current.maxX, longest.maxX), maxY: longest.maxY)
      let goesOn = current.maxY == longest.minY && shared.area > max(current.area, longest.area)
      current = goesOn ? shared : longest
      if current.area > largest.area { largest = current }
    }
    return largest
  }

  static let solid: UInt32 = 0xFFFF_FFFF

  /// Gives `body` the runs of each row of `pixels`: the row, the columns, and their coverage, nil where all is covered.
  @inline(__always)
  func forEachRun(in pixels: IntRect, _ body: (Int32, Range<Int32>, UnsafePointer<UInt8>?) -> Void) {
    let strips = strips.pointee
    guard let runs = strips.runs else { return }
    let rows =
      max(pixels.minY, strips.top)..<max(min(pixels.maxY, strips.top + 4 * strips.count), max(pixels.minY, strips.top))
    if rows.isEmpty { return }
    for strip in Int(rows.lowerBound - strips.top) / 4...Int(rows.upperBound - 1 - strips.top) / 4 {
      let top = strips.top + 4 * Int32(strip)
      let inside = rows.clamped(to: top..<top + 4)
      for index in Int(strips.starts[strip])..<Int(strips.starts[strip + 1]) {
        let run = runs[index]
        if run.start >= pixels.maxX { break }
        let columns = max(run.start, pixels.minX)..<max(min(run.end, pixels.maxX), max(run.start, pixels.minX))
        if columns.isEmpty { continue }
        for y in inside {
          let place = Int(run.coverage) + Int(y - top) * Int(run.end - run.start) + Int(columns.lowerBound - run.start)
          body(y, columns, run.coverage == Self.solid ? nil : strips.coverage.map { UnsafePointer($0 + place) })
        }
      }
    }
  }

  /// Writes the coverage of the pixels `columns` of row `y`.
  func coverage(_ y: Int32, _ columns: Range<Int32>, _ row: UnsafeMutablePointer<UInt8>) {
    row.update(repeating: 0, count: columns.count)
    forEachRun(in: IntRect(minX: columns.lowerBound, minY: y, maxX: columns.upperBound, maxY: y + 1)) { _, run, coverage in
      let start = row + Int(run.lowerBound - columns.lowerBound)
      if let coverage {
        start.update(from: coverage, count: run.count)
      } else {
        start.update(repeating: 255, count: run.count)
      }
    }
  }
}
