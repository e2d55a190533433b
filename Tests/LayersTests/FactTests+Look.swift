import Geometry
import RenderTree
import Testing

@testable import Layers

// Cases of contents and of the look of a layer.

extension FactTests {
  @Test func gravity() {
    for fact in FactCase.all("gravity") {
      let input = fact.in
      var values = AnimatableValues()
      values.bounds = Rect(input["bounds"].numbers ?? [])
      if let part = input["contentsRect"].numbers { values[.contentsRect] = Rect(part) }
      let pixels = input["pixels"].numbers ?? []
      let gravity = ContentsGravity(rawValue: input["gravity"].text ?? "") ?? .resize
      let contents = ContentsSource(
        pixels: Size(pixels[0], pixels[1]), gravity: gravity, scale: input["contentsScale"].number ?? 1)
      let effects = contents.effects(for: values, nil, last: nil)
      expect(fact, effects.contentRect(in: values.bounds).numbers)
    }
  }

  @Test func nineParts() {
    for fact in FactCase.all("nineparts") {
      let input = fact.in
      let (bounds, center) = (Rect(input["bounds"].numbers ?? []), Rect(input["contentsCenter"].numbers ?? []))
      let (part, pixels) = (Rect(input["contentsRect"].numbers ?? []), input["pixels"].numbers ?? [])
      let scale = input["contentsScale"].number ?? 1
      let columns = ThreeParts(
        from: bounds.minX, to: bounds.maxX, pixels: pixels[0], part: (part.minX, part.width),
        center: (center.minX, center.width), scale: scale)
      let rows = ThreeParts(
        from: bounds.minY, to: bounds.maxY, pixels: pixels[1], part: (part.minY, part.height),
        center: (center.minY, center.height), scale: scale)
      for (index, expected) in (fact.out.array ?? []).enumerated() {
        func isClose(_ name: String, _ found: Rect) -> Bool {
          zip(found.numbers, expected[name].numbers ?? []).allSatisfy { abs($0 - $1) <= fact.tol }
        }
        let (x, y) = (index % 3, index / 3)
        let target = rect(columns.places[x], rows.places[y], columns.places[x + 1], rows.places[y + 1])
        #expect(isClose("target", target), "\(fact.id), part \(index): \(target)")
        let (width, height) = (pixels[0], pixels[1])
        let source = rect(
          columns.pixels[x] / width, rows.pixels[y] / height, columns.pixels[x + 1] / width, rows.pixels[y + 1] / height)
        #expect(isClose("source", source), "\(fact.id), part \(index): \(source)")
      }
    }
  }

  /// Both ends by the scale of the contents, and where there is no room for them in shares of it.
  @Test(
    arguments: [
      (30, [0, 2, 27, 30], [4, 8, 14, 20]), (2.5, [0, 1, 1, 2.5], [4, 8, 14, 20]),
    ] as [(Double, [Double], [Double])])
  func threeParts(length: Double, places: [Double], pixels: [Double]) {
    let parts = ThreeParts(
      from: 0, to: length, pixels: 40, part: (0.1, 0.4), center: (0.25, 0.375), scale: 2)
    for index in 0..<4 {
      #expect(abs(parts.places[index] - places[index]) < 1e-12, "\(index)")
      #expect(abs(parts.pixels[index] - pixels[index]) < 1e-12, "\(index)")
    }
    // The middle of each part that has room shows that of its pixels.
    for part in 0..<3 where places[part] < places[part + 1] {
      let pixel = parts.pixel(at: (places[part] + places[part + 1]) / 2)
      #expect(abs(pixel - (pixels[part] + pixels[part + 1]) / 2) < 1e-12, "\(part)")
    }
  }

  private func rect(_ left: Double, _ top: Double, _ right: Double, _ bottom: Double) -> Rect {
    Rect(x: left, y: top, width: right - left, height: bottom - top)
  }
}
