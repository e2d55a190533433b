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
  convenience init?(_ outline: FlatPath, box: IntRect, _ rule: FillRule) {
    guard let filler = ckernels_make_filler() else { return nil }
    defer { ckernels_free_filler(filler) }
    self.init(outline, box: box, rule, filler)
  }

  /// - Parameter filler: memory that is used again for the next shape.
  init?(_ outline: FlatPath, box: IntRect, _ rule: FillRule, _ filler: OpaquePointer) {
    let box = ckernels_box(min_x: box.minX, min_y: box.minY, max_x: box.maxX, max_y: box.maxY)
    let made = outline.points.withUnsafeBufferPointer { points in
      outline.ends.withUnsafeBufferPointer { ends in
        points.withMemoryRebound(to: (Double, Double).self) { points in
          ckernels_fill_strips(
            filler, ckernels_best(), UnsafeRawPointer(points.baseAddress)?.assumingMemoryBound(to: Double.self),
            ends.baseAddress, ends.count, box, rule == .evenOdd ? 1 : 0)
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
    let runs = strips.pointee.runs
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

  /// Gives `body` the strips that lie in `pixels`: their first row, their runs, the coverage, and the part of them, whose rows are those of
  /// the strip.
  @inline(__always)
  func forEachStrip(
    in pixels: IntRect,
    _ body: (
      _ top: Int32, _ runs: UnsafeBufferPointer<ckernels_run>, _ coverage: UnsafePointer<UInt8>,
      _ part: inout ckernels_box
    ) -> Void
  ) {
    let (top, bottom) = (strips.pointee.top, strips.pointee.top + 4 * strips.pointee.count)
    let rows = max(pixels.minY, top)..<max(min(pixels.maxY, bottom), max(pixels.minY, top))
    if rows.isEmpty { return }
    for strip in Int(rows.lowerBound - top) / 4...Int(rows.upperBound - 1 - top) / 4 {
      let first = top + 4 * Int32(strip)
      let (start, end) = (Int(strips.pointee.starts[strip]), Int(strips.pointee.starts[strip + 1]))
      if start == end { continue }
      var part = ckernels_box(
        min_x: pixels.minX, min_y: max(rows.lowerBound - first, 0), max_x: pixels.maxX,
        max_y: min(rows.upperBound - first, 4))
      body(
        first, UnsafeBufferPointer(start: strips.pointee.runs + start, count: end - start), strips.pointee.coverage, &part)
    }
  }

  /// Gives `body` all of `pixels` that are not covered wholly: the row, the columns, and their coverage, nil where nothing is
  /// covered.
  @inline(__always)
  func forEachRest(in pixels: IntRect, _ body: (Int32, Range<Int32>, UnsafePointer<UInt8>?) -> Void) {
    var y = pixels.minY
    while y < pixels.maxY {
      // The rows of a strip have the same runs.
      let strip = (y - strips.pointee.top) >> 2
      let isInside = strip >= 0 && strip < strips.pointee.count
      let end = min(
        isInside ? strips.pointee.top + 4 * strip + 4 : strip < 0 ? strips.pointee.top : pixels.maxY, pixels.maxY)
      var x = pixels.minX
      if isInside {
        for index in Int(strips.pointee.starts[Int(strip)])..<Int(strips.pointee.starts[Int(strip) + 1]) {
          let run = strips.pointee.runs[index]
          let columns = max(run.start, x)..<max(min(run.end, pixels.maxX), max(run.start, x))
          if columns.isEmpty { continue }
          for y in y..<end {
            if x < columns.lowerBound { body(y, x..<columns.lowerBound, nil) }
            if run.coverage != Self.solid {
              let row = Int(y - strips.pointee.top - 4 * strip) * Int(run.end - run.start)
              body(y, columns, strips.pointee.coverage + Int(run.coverage) + row + Int(columns.lowerBound - run.start))
            }
          }
          x = columns.upperBound
        }
      }
      if x < pixels.maxX { for y in y..<end { body(y, x..<pixels.maxX, nil) } }
      y = end
    }
  }

  /// Writes the coverage of the pixels `columns` of row `y`.
  func coverage(_ y: Int32, _ columns: Range<Int32>, _ row: UnsafeMutablePointer<UInt8>) {
    row.update(repeating: 0, count: columns.count)
    let pixels = IntRect(minX: columns.lowerBound, minY: y, maxX: columns.upperBound, maxY: y + 1)
    forEachStrip(in: pixels) { _, runs, bytes, part in
      for run in runs {
        let inside = (run.start..<run.end).clamped(to: columns)
        let place = row + Int(inside.lowerBound - columns.lowerBound)
        if run.coverage == Self.solid {
          place.update(repeating: 255, count: inside.count)
        } else {
          let start = Int(run.coverage) + Int(part.min_y) * Int(run.end - run.start) + Int(inside.lowerBound - run.start)
          place.update(from: bytes + start, count: inside.count)
        }
      }
    }
  }
}
