import Framepace
import Glibc
import LinuxSystem
import SampleScenes

/// The opacities of a strip's picture.
struct Pixels {
  private let image: Image

  init(of strip: LineStrip, width: Int, height: Int, scale: Double) throws {
    let bitmap = try Bitmap(width: width, height: height)
    let context = DrawingContext(bitmap: bitmap, scale: scale)
    if strip.bounds.origin.x.isFinite, strip.bounds.origin.y.isFinite {
      context.translate(x: -strip.bounds.minX, y: -strip.bounds.minY)
    }
    strip.draw(in: context)
    context.flush()
    image = bitmap.freeze()
  }

  func alpha(_ x: Int, _ y: Int) -> UInt32 { image.row(y).assumingMemoryBound(to: UInt32.self)[x] >> 24 }

  var hasInk: Bool { (0..<image.height).contains { y in (0..<image.width).contains { alpha($0, y) > 0 } } }
}

/// A random strip, its picture, and what a plain evaluation of the line says about each column of it.
struct StripPicture {
  private let strip: LineStrip
  private let scale: Double
  private let width: Int
  private let height: Int
  private let pixels: Pixels

  var summary: String {
    "\(strip.samples.count) samples, offset \(strip.offset), spacing \(spacing), pen \(pen), \(width)x\(height) at \(scale)"
  }

  private var spacing: Double { strip.zoom * scale }
  private var pen: Double { strip.lineWidth * scale }

  init(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    func number(_ range: ClosedRange<Double>) -> Double { .random(in: range, using: &random) }
    func chance(_ probability: Double) -> Bool { number(0...1) < probability }
    scale = [1, 1.25, 2].randomElement(using: &random) ?? 1
    (width, height) = (Int.random(in: 1...64, using: &random), Int.random(in: 1...64, using: &random))
    // From hundreds of samples in a column to one in many columns.
    let spacing = chance(0.2) ? [0.25, 0.5, 1, 2, 4, 8].randomElement(using: &random) ?? 1 : exp2(number(-8...5))
    let inView = Double(width) / spacing
    let count = Int(inView * number(0...1.5)) + Int.random(in: 0...3, using: &random)
    let offset = chance(0.3) ? 0 : chance(0.2) ? -number(0...1) * inView : (number(-0.5...1) * Double(count)).rounded()
    let (gaps, infinities, spikes) = (chance(0.3) ? number(0...0.5) : 0, chance(0.2) ? 0.02 : 0, chance(0.3) ? 0.02 : 0)
    let (swing, noise, period) = (number(0...0.7), chance(0.5) ? number(0...0.5) : 0, number(1...64) / spacing)
    var samples: [Float] = []
    for index in 0..<count {
      var value = 0.5 + swing * sin(Double(index) / period) + noise * number(-1...1)
      if chance(spikes) { value += number(-2...2) }
      if chance(infinities) { value = [.infinity, -.infinity, 1e30, -1e30].randomElement(using: &random) ?? 0 }
      samples.append(chance(gaps) ? .nan : Float(value))
    }
    let origin = Point(number(-9...9), number(-9...9))
    let bounds = Rect(origin: origin, size: Size(Double(width) / scale, Double(height) / scale))
    let isFlipped = chance(0.2)
    strip = LineStrip(
      samples, in: bounds, offset: offset, zoom: spacing / scale, bottom: isFlipped ? 1 : 0, top: isFlipped ? 0 : 1,
      lineWidth: ([1, 1.5, 2, 3].randomElement(using: &random) ?? 1) / scale)
    pixels = try Pixels(of: strip, width: width, height: height, scale: scale)
  }

  /// Nil if the picture is right.
  var failure: String? {
    let places = strip.samples.indices.map { (Double($0) - strip.offset) * spacing }
    let rows = strip.samples.map { value in
      let row = Double(height) * (1 - (Double(value) - strip.bottom) / (strip.top - strip.bottom))
      return row.isNaN ? row : min(max(row, -1e6), 1e6)
    }
    return missingInk(places, rows) ?? wrongInk(places, rows)
  }

  /// True if there is ink within one pixel of a row.
  private func hasInk(_ column: Int, near row: Double) -> Bool {
    (0..<height).contains { abs(Double($0) + 0.5 - row) <= 1.5 && pixels.alpha(column, $0) >= 24 }
  }

  private func missingInk(_ places: [Double], _ rows: [Double]) -> String? {
    var ranges: [Int: (least: Double, greatest: Double, hasGap: Bool)] = [:]
    for (place, row) in zip(places, rows) where place >= 0 && place < Double(width) {
      // At the border of two columns rounding may choose either.
      guard abs(place - place.rounded()) > 1e-6 || place == place.rounded() else { continue }
      let column = Int(place)
      let range = ranges[column] ?? (.infinity, -.infinity, false)
      ranges[column] =
        row.isNaN ? (range.least, range.greatest, true) : (min(range.least, row), max(range.greatest, row), range.hasGap)
    }
    for (column, range) in ranges where range.least <= Double(height) && range.greatest >= 0 {
      let (least, greatest) = (max(range.least, 0), min(range.greatest, Double(height)))
      // Beyond a gap a value outside leaves nothing to see.
      let hasLeast = range.hasGap && range.least < 0 || hasInk(column, near: least)
      let hasGreatest = range.hasGap && range.greatest > Double(height) || hasInk(column, near: greatest)
      guard hasLeast, hasGreatest else { return "column \(column) has no ink at row \(least) or \(greatest)" }
      guard !range.hasGap, greatest - least > 2 else { continue }
      for row in Int(least) + 1..<Int(greatest) where pixels.alpha(column, row) < 100 {
        return "column \(column) has a hole at row \(row), between \(least) and \(greatest)"
      }
    }
    for index in places.indices.dropLast() where !rows[index].isNaN && !rows[index + 1].isNaN {
      for border in max(Int(places[index].rounded(.up)), 1)..<max(Int(places[index + 1].rounded(.up)), 1)
      where border < width {
        let part = (Double(border) - places[index]) / spacing
        let row = rows[index] + (rows[index + 1] - rows[index]) * part
        guard row > 0, row < Double(height) else { continue }
        guard hasInk(border - 1, near: row), hasInk(border, near: row) else {
          return "the line is broken at the left border of column \(border), row \(row)"
        }
      }
    }
    return nil
  }

  private func wrongInk(_ places: [Double], _ rows: [Double]) -> String? {
    var allowed = Array(repeating: (least: Double.infinity, greatest: -Double.infinity), count: width)
    // A pixel's antialiased edge may round up.
    let reach = pen / 2 + 0.1
    for index in places.indices where !rows[index].isNaN {
      let next = index + 1 < rows.count && !rows[index + 1].isNaN ? index + 1 : index
      let first = max((places[index] - reach).rounded(.down) - 1, 0)
      let last = min((places[next] + reach).rounded(.down), Double(width - 1))
      guard first <= last else { continue }
      for column in Int(first)...Int(last) {
        let (left, right) = (Double(column) - reach, Double(column + 1) + reach)
        guard places[index] <= right, places[next] >= left else { continue }
        for end in [max(left, places[index]), min(right, places[next])] {
          let row = rows[index] + (rows[next] - rows[index]) * (end - places[index]) / spacing
          allowed[column] = (min(allowed[column].least, row), max(allowed[column].greatest, row))
        }
      }
    }
    for column in 0..<width {
      for row in 0..<height where pixels.alpha(column, row) > 0 {
        let (above, below) = (allowed[column].least - pen / 2 - 1, allowed[column].greatest + pen / 2 + 1)
        guard Double(row + 1) > above, Double(row) < below else {
          return "ink at column \(column), row \(row), beyond \(above)...\(below)"
        }
      }
    }
    return nil
  }
}
