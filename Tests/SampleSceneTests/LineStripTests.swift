import Framepace
import FramepaceTesting
import Glibc
import LinuxSystem
import SampleScenes
import TestLength
import Testing

/// `LineStrip` against a plain evaluator of the line from sample to sample.
struct LineStripTests {
  /// Each column with a sample has ink at the least and at the greatest one, ink joins it to its neighbours, and no ink is further than
  /// a pixel away from where a pen on the line leaves some.
  @Test func columnsReachTheirExtremesAndNoFurther() throws {
    for seed in some(1_500, of: 1...50_000) {
      let picture = try StripPicture(seed: UInt64(seed))
      if let failure = picture.failure {
        Issue.record("seed \(seed), \(picture.summary): \(failure)")
        return
      }
    }
  }

  /// No number traps, and nothing is drawn with one that is of no use.
  @Test func anyNumberIsTaken() throws {
    let bounds = Rect(x: 0, y: 0, width: 40, height: 20)
    let samples: [Float] = [0.2, .nan, .infinity, 0.8, -.infinity, .greatestFiniteMagnitude, 0.5, -.leastNonzeroMagnitude]
    let numbers = [
      Double.nan, .infinity, -.infinity, 0, -1, 1e308, -1e308, .leastNonzeroMagnitude, .greatestFiniteMagnitude, 0.5, 1e18,
      -1e18,
    ]
    let properties: [WritableKeyPath<LineStrip, Double>] = [
      \.offset, \.zoom, \.bottom, \.top, \.lineWidth, \.bounds.size.width, \.bounds.size.height, \.bounds.origin.x,
      \.bounds.origin.y,
    ]
    for (first, second) in properties.flatMap({ first in properties.map { (first, $0) } }) {
      for (one, other) in numbers.flatMap({ one in numbers.map { (one, $0) } }) {
        var strip = LineStrip(samples, in: bounds)
        strip[keyPath: first] = one
        strip[keyPath: second] = other
        let lengths = [strip.zoom, strip.lineWidth, strip.bounds.size.width, strip.bounds.size.height]
        let places = [strip.offset, strip.bottom, strip.top, strip.bounds.origin.x, strip.bounds.origin.y]
        let isUseful =
          (lengths + places).allSatisfy(\.isFinite) && lengths.allSatisfy { $0 > 0 } && strip.bottom != strip.top
        let hasInk = try Pixels(of: strip, width: 40, height: 20, scale: 1).hasInk
        #expect(isUseful || !hasInk, "\(first) \(one), \(second) \(other)")
      }
    }
    let plain = try Pixels(of: LineStrip(samples, in: bounds), width: 40, height: 20, scale: 1)
    #expect(plain.hasInk)
  }

  @Test func nothingIsDrawnOfNoSamples() throws {
    let bounds = Rect(x: 0, y: 0, width: 40, height: 20)
    for samples: [Float] in [[], [.nan], Array(repeating: .nan, count: 1_000)] {
      for zoom in [0.01, 1, 10] {
        let strip = LineStrip(samples, in: bounds, zoom: zoom)
        #expect(try !Pixels(of: strip, width: 40, height: 20, scale: 1).hasInk)
      }
    }
  }

  /// A strip that moves by whole columns has the same columns, moved.
  @Test func aStripMovesByWholeColumnsWithoutFlicker() throws {
    var random = SplitMix64(seed: 7)
    let samples = (0..<2_000).map { _ in Float.random(in: 0...1, using: &random) }
    let bounds = Rect(x: 0, y: 0, width: 60, height: 40)
    let first = try Pixels(of: LineStrip(samples, in: bounds, offset: 320, zoom: 1.0 / 16), width: 60, height: 40, scale: 1)
    let moved = try Pixels(of: LineStrip(samples, in: bounds, offset: 400, zoom: 1.0 / 16), width: 60, height: 40, scale: 1)
    for column in 0..<55 {
      #expect((0..<40).allSatisfy { first.alpha(column + 5, $0) == moved.alpha(column, $0) }, "column \(column)")
    }
  }

  /// Many samples above few, with a gap, spikes and infinite values in both.
  @Test(arguments: [1.0, 2.0]) func looksLikeTheStoredPicture(scale: Double) throws {
    let many = (0..<60_000).map { index in
      let time = Double(index) / 60_000
      let noise = time > 0.45 && time < 0.8 ? 0.2 * sin(time * 1e5) : 0
      return Float(0.5 + 0.3 * sin(time * time * 200) + noise)
    }
    let few = (0..<32).map { Float(0.5 + 0.4 * sin(Double($0 * $0) / 12)) }
    func damaged(_ samples: [Float]) -> [Float] {
      var samples = samples
      let part = samples.count / 16
      samples.replaceSubrange(part * 4..<part * 5, with: repeatElement(.nan, count: part))
      samples[part * 14] = .infinity
      samples[part * 10] = -0.5
      samples[part * 4 + part / 2] = 0.5
      return samples
    }
    let bitmap = try Bitmap(width: Int(320 * scale), height: Int(180 * scale))
    let context = DrawingContext(bitmap: bitmap, scale: scale)
    context.fill(color: Color(hex: 0x0B1016))
    let color = Color(hex: 0x3DD6B0)
    LineStrip(damaged(many), in: Rect(x: 8, y: 8, width: 304, height: 104), color: color).draw(in: context)
    LineStrip(damaged(few), in: Rect(x: 8, y: 120, width: 304, height: 52), lineWidth: 1.5, color: color).draw(in: context)
    context.flush()
    let folder = String(#filePath.dropLast("LineStripTests.swift".count)) + "Goldens"
    try GoldenImage.check(bitmap.freeze(), against: "\(folder)/line-strip-\(scale).png")
  }
}
