import Geometry
import LinuxSystem
import Raster
import RenderTree
import TestLength
import Testing

/// The operators that act on all of a layer's bounds: at edges that lie anywhere, on what lies behind and on what sticks out.
@Suite struct OperatorTests {
  private static let side = 64

  /// A layer somewhere on the output, turned, in perspective or rasterized, with round corners or without.
  private struct Case {
    var record: RenderRecord
    var parts = RenderEffects.Parts()

    init(_ random: inout SplitMix64) {
      let middle = Affine.translation(x: .random(in: 28...36, using: &random), y: .random(in: 28...36, using: &random))
      let turn = random.chance(0.3) ? Affine.identity : .rotation(.random(in: -3...3, using: &random))
      let (width, height) = (Double.random(in: 12...40, using: &random), Double.random(in: 12...40, using: &random))
      record = RenderRecord(
        id: 2, subtreeEnd: 2, transform: turn.concatenating(middle),
        bounds: Rect(x: -width / 2, y: -height / 2, width: width, height: height))
      record.cornerRadius = random.chance(0.5) ? .random(in: 1...12, using: &random) : 0
      switch Int.random(in: 0..<3, using: &random) {
      case 0: parts.rasterizationScale = .random(in: 0.5...2, using: &random)
      case 1:
        var plane = Homography(record.transform)
        (plane.px, plane.py) = (.random(in: -0.004...0.004, using: &random), .random(in: -0.004...0.004, using: &random))
        (parts.homography, record.transform) = (plane, .identity)
      default: break
      }
    }

    /// The output on which the layer has this colour and lies on an opaque backdrop, with a child that sticks out of it or without.
    func picture(
      _ mode: BlendMode, _ color: UInt32, on backdrop: UInt32, child: UInt32? = nil, isClipped: Bool = false
    ) throws -> Bitmap {
      var (tree, record, parts) = (TreeSnapshot(), record, parts)
      tree.backdrop = backdrop
      parts.blendMode = mode
      record.backgroundColor = color
      if isClipped { record.flags.insert(.masksToBounds) }
      let all = Rect(x: 0, y: 0, width: Double(OperatorTests.side), height: Double(OperatorTests.side))
      var layers = [
        (RenderRecord(id: 1, subtreeEnd: 1, transform: .identity, bounds: all), SideValues()),
        (record, SideValues(effects: .make(parts, last: nil))),
      ]
      if let child {
        var inner = RenderRecord(id: 3, subtreeEnd: 3, transform: .identity, bounds: record.bounds.insetBy(dx: -9, dy: -9))
        inner.backgroundColor = child
        layers.append((inner, SideValues()))
      }
      for (index, layer) in layers.enumerated() {
        var record = layer.0
        record.subtreeEnd = UInt32(layers.count)
        if index == layers.count - 1 { record.subtreeEnd = UInt32(index + 1) }
        record.settle(layer.1)
        tree.records.append(record)
        tree.sides.append(layer.1)
      }
      #expect(tree.inconsistency == nil)
      return try tree.picture(width: OperatorTests.side, height: OperatorTests.side)
    }
  }

  private func check(
    _ found: Bitmap, _ seed: UInt64, _ comment: String, tolerance: UInt32 = 2, expected: (_ x: Int, _ y: Int) -> UInt32
  ) {
    for y in 0..<Self.side {
      for x in 0..<Self.side where !found[x, y].isNear(expected(x, y), tolerance: tolerance) {
        Issue.record(
          "\(comment), seed \(seed), pixel \(x), \(y): \(String(found[x, y], radix: 16)) for \(String(expected(x, y), radix: 16))"
        )
        return
      }
    }
  }

  @Test(arguments: some(60, of: 1...10_000))
  func edgesShareTheirPixels(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let one = Case(&random)
    let (opaque, backdrop): (UInt32, UInt32) = (0xFF20_A040, 0xFFE0_4030)
    let plain = try one.picture(.normal, opaque, on: backdrop)
    let coverage = try one.picture(.normal, 0xFFFF_FFFF, on: 0xFF00_0000)
    func times(_ pixel: UInt32, _ share: UInt32) -> UInt32 {
      stride(from: UInt32(0), to: 32, by: 8).reduce(0) { $0 | (((pixel >> $1 & 255) * share + 127) / 255) << $1 }
    }
    // Over what is opaque the layer takes its place.
    for mode in [BlendMode.copy, .sourceIn] {
      check(try one.picture(mode, opaque, on: backdrop), seed, "\(mode)") { plain[$0, $1] }
    }
    // An opaque layer keeps all that lies behind, a clear one nothing.
    for mode in [BlendMode.destinationIn, .destinationAtop] {
      check(try one.picture(mode, opaque, on: backdrop), seed, "\(mode)") { _, _ in backdrop }
    }
    for (mode, color) in [(BlendMode.clear, opaque), (.clear, 0), (.destinationIn, 0), (.copy, 0), (.sourceOut, opaque)] {
      check(try one.picture(mode, color, on: backdrop), seed, "\(mode) of \(String(color, radix: 16))") {
        times(backdrop, 255 - (coverage[$0, $1] & 255))
      }
    }
  }

  /// An opaque child that is larger than the layer looks as if the layer clipped it. (Where pictures are sampled the edges of both lie
  /// a tenth of a pixel apart.)
  @Test(arguments: some(60, of: 1...10_000))
  func nothingIsSeenOutside(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var one = Case(&random)
    one.parts = RenderEffects.Parts()
    let (backdrop, child): (UInt32, UInt32) = (0xFFE0_4030, 0xFF30_60E0)
    let clipped = try one.picture(.normal, 0, on: backdrop, child: child, isClipped: true)
    for mode in [BlendMode.copy, .sourceIn] {
      check(try one.picture(mode, 0, on: backdrop, child: child), seed, "\(mode)") { clipped[$0, $1] }
    }
  }
}
