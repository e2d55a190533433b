import Compositing
import Framepace
import FramepaceTesting
import Glibc
import RenderTree
import TestLength
import XCTest

/// The proof of damage through the whole engine: whatever is edited, what either buffer of the ring shows equals, byte for
/// byte, what is painted anew.
final class PartialEqualsFullTests: XCTestCase {
  private static let width = 96
  private static let height = 64

  /// Some trees of 50, 100 edits each, in timers between vblanks: some frames get none of them, some several.
  func testRandomEditsOfRandomLayers() throws {
    try onMain {
      let images = try RandomLayers.images(seed: 1)
      let font = try SystemFonts.font(.sans, size: 14)
      let workers = WorkerPool()
      var edits = 0
      var partialFrames = 0
      let seeds = some(12, of: 1...50 as ClosedRange<UInt64>)
      for seed in seeds {
        let stage = try ManualStage(width: Self.width, height: Self.height, rate: .hertz60, workers: workers)
        let layers = RandomLayers(in: stage.root, seed: seed, count: 10, images: images, font: font)
        let proof = try Proof(stage)
        var journal: [String] = []
        let timer = FrameLoop.Timer(
          fireTime: stage.clock.now, interval: .microseconds(9_900),
          .onMain { timer in
            journal.append(layers.edit())
            if journal.count == 100 { timer.invalidate() }
          })
        stage.loop.add(timer, to: .common)
        while timer.isValid {
          stage.run(for: .milliseconds(20))
          if let difference = proof.difference {
            XCTFail("seed \(seed): \(difference)\nafter: \(journal.suffix(6).joined(separator: ", "))")
            return
          }
        }
        stage.run(for: .milliseconds(500))
        XCTAssertNil(proof.difference, "seed \(seed), at rest")
        XCTAssertEqual(proof.buffers.count, 2, "seed \(seed)")
        edits += journal.count
        partialFrames += proof.partialFrames
        stage.engine.invalidate()
      }
      XCTAssertEqual(edits, seeds.count * 100)
      // Otherwise nothing would have been proven.
      XCTAssertGreaterThan(partialFrames, seeds.count * 20)
    }
  }
}

/// Paints every frame a second time, whole, and compares it with the buffer that is shown.
@MainActor
private final class Proof {
  private let compositor = Compositor()
  private let expected: Bitmap
  private let whole: DamageRegion
  /// The buffers that were shown, by address.
  private(set) var buffers: Set<UnsafeMutableRawPointer> = []
  private(set) var partialFrames = 0
  /// The first one found.
  private(set) var difference: String?

  init(_ stage: ManualStage) throws {
    let size = stage.display.memoryPresenter
    expected = try Bitmap(width: size.width, height: size.height)
    whole = DamageRegion(IntRect(x: 0, y: 0, width: size.width, height: size.height))
    let context = stage.engine.context
    stage.engine.output.observe { [self] event in
      guard case .committed(let frame) = event else { return }
      compositor.render(context.renderTree(at: frame.target), damage: whole, into: expected)
      if frame.paintedPixels < whole.area { partialFrames += 1 }
    }.keep()
    stage.engine.output.observe { [self, display = stage.display] event in
      guard case .presented(let frame) = event, let bitmap = display.shownBitmap else { return }
      buffers.insert(bitmap.base)
      guard difference == nil else { return }
      for y in 0..<bitmap.height where memcmp(bitmap.row(y), expected.row(y), bitmap.width * 4) != 0 {
        difference = "frame \(frame.frameNumber), row \(y) of the buffer differs from the row painted anew"
        return
      }
    }.keep()
  }
}
