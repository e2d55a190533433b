import Geometry
import Glibc
import LinuxSystem
import Testing

@testable import Raster

@Suite struct PathDataTests {
  @Test(arguments: [
    ("", ""), (" \n\t", ""), ("M1 2", "M1 2"), ("m1 2", "M1 2"), ("M1,2L3,4", "M1 2L3 4"), ("M1-2-3.5.5", "M1 -2L-3.5 0.5"),
    // Further points of a move are ends of lines, relative to where the last one ended.
    ("M1 2 3 4 5 6", "M1 2L3 4L5 6"), ("m1 2 3 4 5 6", "M1 2L4 6L9 12"), ("m 1 1 l 1 0 0 1 z m 5 5", "M1 1L2 1L2 2ZM6 6"),
    ("M1 2H5V7h-1v-1", "M1 2L5 2L5 7L4 7L4 6"), ("M0 0h1 2 3", "M0 0L1 0L3 0L6 0"),
    ("M0 0C1 2 3 4 5 6c1 1 2 2 3 3", "M0 0C1 2 3 4 5 6C6 7 7 8 8 9"),
    // A smooth curve reflects the last control point of its own kind, or begins at its own point.
    ("M0 0C1 2 3 4 5 6S9 9 10 10", "M0 0C1 2 3 4 5 6C7 8 9 9 10 10"), ("M1 2S9 9 10 10", "M1 2C1 2 9 9 10 10"),
    ("M0 0Q1 2 3 4T7 8", "M0 0Q1 2 3 4Q5 6 7 8"), ("M0 0Q1 2 3 4T7 8t1 1", "M0 0Q1 2 3 4Q5 6 7 8Q9 10 8 9"),
    ("M0 0Q1 2 3 4S9 9 10 10", "M0 0Q1 2 3 4C3 4 9 9 10 10"),
    ("M0 0C1 2 3 4 5 6L5 6S9 9 10 10", "M0 0C1 2 3 4 5 6L5 6C5 6 9 9 10 10"),
    // A line after the end of a closed subpath begins where that began.
    ("M1 2L5 2Zl1 1", "M1 2L5 2ZM1 2L2 3"), ("M1 1zM2 2Z", "M1 1ZM2 2Z"),
    ("M1e2 2E-1", "M100 0.2"), ("M+1.5.25", "M1.5 0.25"), ("M 1 , 2 , 3 4", "M1 2L3 4"),
    // Flags need nothing between them; radii of 0 make a line, and an arc to its own beginning is nothing.
    ("M0 0A0 5 0 0 1 9 9", "M0 0L9 9"), ("M0 0a0 5 0 119 0", "M0 0L9 0"), ("M1 2A5 5 0 1 1 1 2", "M1 2"),
  ])
  func reads(text: String, elements: String) throws {
    #expect(try Path(svg: text).svg == elements)
  }

  @Test(arguments: [
    ("L1 2", 1, "M or m", "L"), ("1 2", 1, "M or m", "1"), ("M1", 3, "a number", nil),
    ("M1 2X", 5, "a command or a number", "X"),
    ("M1 2,", 5, "a command or a number", ","), ("M1 2L", 6, "a number", nil), ("M1 2L3", 7, "a number", nil),
    ("M1 2z3 4", 6, "a command or a number", "3"),
    ("M1 2L- 3", 6, "a number", "-"), ("M1 2L.e3", 6, "a number", "."), ("M1 2L1e999 3", 6, "a number", "1"),
    ("M1e", 3, "a number", "e"), ("M,1 2", 2, "a number", ","), ("M1 2L ,3 4", 7, "a number", ","),
    ("M0 0A5 5 0 2 1 3 4", 12, "0 or 1", "2"), ("M0 0A5 5 0 1", 13, "0 or 1", nil), ("M1 é", 4, "a number", "é"),
    ("Mé", 2, "a number", "é"),
    ("M1 1\u{301}", 5, "a command or a number", "\u{301}"),
    ("M1e300 0l1e300 0", 17, "a smaller number before this place", nil),
  ])
  func saysWhereItIsWrong(text: String, character: Int, expected: String, found: Character?) {
    #expect(throws: PathDataError(character: character, expected: expected, found: found)) { try Path(svg: text) }
  }

  /// An arc is the part of the ellipse that it was made from, whatever the form in which it is given.
  @Test(arguments: [1, 2, 3] as [UInt64])
  func arcsAreThoseOfTheirEllipse(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for _ in 0..<300 {
      let center = Point(.random(in: -50...50, using: &random), .random(in: -50...50, using: &random))
      let (rx, ry) = (Double.random(in: 1...40, using: &random), Double.random(in: 1...40, using: &random))
      let rotation = Double.random(in: -4...4, using: &random)
      let (from, sweep) = (Double.random(in: -7...7, using: &random), Double.random(in: -6.2...6.2, using: &random))
      func point(_ angle: Double) -> Point {
        center + Affine.rotation(rotation).apply(Point(rx * cos(angle), ry * sin(angle)))
      }
      /// 1 for a point on the ellipse.
      func radius(_ point: Point) -> Double {
        let point = Affine.rotation(-rotation).apply(point - center)
        return hypot(point.x / rx, point.y / ry)
      }
      // Near half a turn the flag may be taken either way.
      guard abs(abs(sweep) - .pi) > 0.01, abs(sweep) > 0.01 else { continue }
      let (start, end) = (point(from), point(from + sweep))
      let data =
        "M\(start.x),\(start.y)A\(rx) \(-ry) \(rotation * 180 / .pi) \(abs(sweep) > .pi ? 1 : 0)\(sweep > 0 ? 1 : 0)\(end.x) \(end.y)"
      let path = try Path(svg: data)
      #expect(path.currentPoint == end, "seed \(seed): \(data)")
      let curves = path.elements.dropFirst()
      #expect(curves.count == Int((abs(sweep) / (.pi / 2)).rounded(.up)))
      var last = start
      for (index, element) in curves.enumerated() {
        guard case .cubicCurve(let to, let control1, let control2) = element else {
          Issue.record("seed \(seed): \(element)")
          continue
        }
        for t in [0.25, 0.5, 0.75, 1] {
          let s = 1 - t
          let there = last * (s * s * s) + control1 * (3 * s * s * t) + control2 * (3 * s * t * t) + to * (t * t * t)
          let meant = point(from + sweep * (Double(index) + t) / Double(curves.count))
          #expect(abs(radius(there) - 1) < 0.0003, "seed \(seed): \(data)")
          // A point of the same parameter is not quite as far along.
          #expect(hypot(there.x - meant.x, there.y - meant.y) < 0.01 * max(rx, ry), "seed \(seed): \(data)")
        }
        last = to
      }
    }
  }

  /// Radii that are too small grow until the ellipse reaches both points.
  @Test func smallRadiiGrow() throws {
    let path = try Path(svg: "M0 0A1 1 0 0 1 100 0")
    let box = path.boundingBox
    #expect(abs(box.minY + 50) < 0.02 && abs(box.maxY) < 1e-9 && abs(box.minX) < 1e-9 && abs(box.maxX - 100) < 1e-9)
    #expect(abs(try Path(svg: "M0 0A1 1 0 0 0 100 0").boundingBox.maxY - 50) < 0.02)
  }

  /// Any path comes back as it is, and no bytes make a fault.
  @Test(arguments: [1, 2, 3, 4] as [UInt64])
  func comesBack(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for _ in 0..<500 {
      func number() -> Double {
        switch Int.random(in: 0..<5, using: &random) {
        case 0: Double(Int.random(in: -9...9, using: &random))
        case 1: .random(in: -1e-9...1e-9, using: &random)
        case 2: .random(in: -1e20...1e20, using: &random)
        default: .random(in: -100...100, using: &random)
        }
      }
      func point() -> Point { Point(number(), number()) }
      var path = Path()
      for _ in 0..<Int.random(in: 0...9, using: &random) {
        switch Int.random(in: 0..<5, using: &random) {
        case 0: path.move(to: point())
        case 1: path.close()
        case 2: path.line(to: point())
        case 3: path.quadCurve(to: point(), control: point())
        default: path.cubicCurve(to: point(), control1: point(), control2: point())
        }
      }
      let text = try #require(path.svg)
      #expect(try Path(svg: text) == path, "seed \(seed): \(text)")

      var bytes = Array(text.utf8)
      for _ in 0..<Int.random(in: 1...4, using: &random) where !bytes.isEmpty {
        let place = Int.random(in: 0..<bytes.count, using: &random)
        if Bool.random(using: &random) {
          bytes[place] = "MmLhVcSqTaAz-+.,eE 019\u{7F}".utf8.randomElement(using: &random) ?? 0
        } else {
          bytes.remove(at: place)
        }
      }
      if let other = try? Path(svg: String(decoding: bytes, as: UTF8.self)) { #expect(other.svg != nil) }
    }
    var broken = Path()
    broken.move(to: Point(.nan, 0))
    #expect(broken.svg == nil)
    var far = Path()
    far.move(to: Point(0, -1e301))
    #expect(far.svg == nil)
  }
}
