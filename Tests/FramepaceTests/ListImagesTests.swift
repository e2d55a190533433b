import Framepace
import FramepaceTesting
import Interaction
import Raster
import Simulation
import TestLength
import XCTest

/// Flings through a list of ten thousand rows with pictures, on a simulated screen, with workers that need 5 to 40 ms a picture.
@preconcurrency @MainActor final class ListImagesTests: XCTestCase {
  /// Workers that take the picture that is needed soonest, and so long for it.
  @MainActor
  private final class Decoders: OrderedImageLoader {
    final class Request: OrderedImageRequest {
      let (name, box): (String, PixelSize)
      var order: Int
      var completion: (@MainActor (Result<Image, any Error>) -> Void)?
      func cancel() { completion = nil }

      init(
        _ name: String, _ box: PixelSize, _ order: Int, _ completion: @escaping @MainActor (Result<Image, any Error>) -> Void
      ) {
        (self.name, self.box, self.order, self.completion) = (name, box, order, completion)
      }
    }

    private let loop: FrameLoop
    private let count: Int
    private var busy = 0
    private var waiting: [Request] = []
    private var random: SplitMix64
    private(set) var decoded = 0
    /// Those that were decoded for nobody, as their row has left meanwhile.
    private(set) var wasted = 0
    private(set) var pictures: [Weak] = []
    struct Weak { weak var image: Image? }

    init(_ loop: FrameLoop, count: Int, seed: UInt64) {
      (self.loop, self.count, random) = (loop, count, SplitMix64(seed: seed))
    }

    static func cost(_ random: inout SplitMix64) -> Nanoseconds { .milliseconds(Int64.random(in: 5...40, using: &random)) }

    func load(
      named name: String, fitting box: PixelSize, order: Int,
      completion: @escaping @MainActor (Result<Image, any Error>) -> Void
    ) -> any OrderedImageRequest {
      let request = Request(name, box, order, completion)
      waiting.append(request)
      work()
      return request
    }

    private func work() {
      waiting.removeAll { $0.completion == nil }
      while busy < count, let next = waiting.min(by: { $0.order < $1.order }) {
        waiting.removeAll { $0 === next }
        busy += 1
        let end = FrameLoop.Timer(
          fireTime: loop.clock.now + Self.cost(&random), .onMain { [weak self] _ in self?.finish(next) })
        loop.add(end, to: .common)
      }
    }

    private func finish(_ request: Request) {
      busy -= 1
      decoded += 1
      if request.completion == nil { wasted += 1 }
      let picture = ListImagesTests.picture(request.box, Int(request.name) ?? 0)
      pictures.append(Weak(image: picture))
      request.completion?(.success(picture))
      work()
    }

    var waitingCount: Int { waiting.count { $0.completion != nil } }
    /// The bytes of all pictures that somebody holds.
    var aliveBytes: Int { pictures.reduce(0) { $0 + ($1.image.map { $0.bytesPerRow * $0.height } ?? 0) } }
  }

  /// The bytes of a picture of 6 × 4 pixels.
  private static let pictureBytes = 64 * 4

  /// A picture that bears its number.
  private static func picture(_ box: PixelSize, _ number: Int) -> Image {
    guard let bitmap = try? Bitmap(width: box.width, height: box.height) else { fatalError("no memory") }
    bitmap.row(0).storeBytes(of: UInt32(number), as: UInt32.self)
    return bitmap.freeze()
  }

  @MainActor
  private final class Source: ListLayerDataSource {
    let clock: ManualClock
    private var made: Int?
    /// Decodes on the main thread as rows are made, as a list must not.
    var decodesItself: SplitMix64?
    /// Called with each picture that appears in a row that is there already.
    var onShow: (() -> Void)?
    init(_ clock: ManualClock) { self.clock = clock }

    func list(_ list: ListLayer, layerFor row: Int, recycling recycled: Layer?) -> Layer {
      made = row
      // As long as text needs to be set.
      clock.advance(by: .microseconds(200))
      if var random = decodesItself {
        clock.advance(by: Decoders.cost(&random))
        decodesItself = random
      }
      return recycled ?? Layer()
    }

    func list(_ list: ListLayer, heightOf row: Int) -> Double? { Double(40 + row * 37 % 60) }
    func list(_ list: ListLayer, imageFor row: Int) -> (name: String, size: Size)? { ("\(row)", Size(60, 40)) }

    func list(_ list: ListLayer, show picture: Image?, in layer: Layer, of row: Int) {
      clock.advance(by: .microseconds(50))
      Transaction.withoutActions { layer.contents = picture }
      if picture != nil, exchange(&made, with: nil) != row { onShow?() }
    }
  }

  @MainActor
  private struct Stage {
    let manual: ManualStage<SimulatedScreen>
    let list = ListLayer(frame: Rect(x: 0, y: 0, width: 320, height: 480), estimatedRowHeight: 70)
    let source: Source
    let decoders: Decoders
    private let finger = InputDevice(id: InputDevice.ID(rawValue: 1), name: "", abilities: .touch)

    init(seed: UInt64, byteBudget: Int = 100 * pictureBytes, appearance: RowImages.Appearance = .afterFastFling) throws {
      manual = try ManualStage(scale: 0.1) { clock in
        try SimulatedScreen(
          width: 32, height: 48, scale: 0.1,
          vblanks: SimulatedVBlankSource(.steady, clock: .manual(clock), seed: seed), clock: .manual(clock))
      }
      decoders = Decoders(manual.loop, count: 2, seed: seed)
      source = Source(manual.clock)
      list.dataSource = source
      list.images = RowImages(loader: decoders, byteBudget: byteBudget, appearance: appearance)
      manual.root.addSublayer(list)
      _ = manual.engine.inputRouter
      list.reload(count: 10_000)
      send(.added(finger))
      manual.run(for: .seconds(1))
    }

    func send(_ action: InputEvent.Action) {
      manual.engine.inputRouter.receive(InputEvent(time: manual.clock.now, device: finger.id, action: action))
    }

    /// A finger goes over most of the screen, within 4 to 40 ms, and catches what moves.
    func flick(_ random: inout SplitMix64) {
      send(.touch(finger: 0, .down(Point(0.5, 0.95))))
      let pause = Nanoseconds.milliseconds(Int64.random(in: 1...6, using: &random))
      for step in 1...4 {
        manual.run(for: pause)
        send(.touch(finger: 0, .moved(Point(0.5, 0.95 - 0.2 * Double(step)))))
      }
      send(.touch(finger: 0, .up))
    }

    /// The first thing that is wrong with the pictures.
    func fault() -> String? {
      for row in list.visibleRows {
        if let picture = list.layer(for: row)?.contents, picture.row(0).load(as: UInt32.self) != UInt32(row) {
          return "row \(row) shows the picture of \(picture.row(0).load(as: UInt32.self))"
        }
      }
      guard let images = list.images else { return "no pictures" }
      if images.byteCount > images.byteBudget { return "\(images.byteCount) bytes of \(images.byteBudget)" }
      if max(images.loadingCount, decoders.waitingCount) > 80 { return "\(decoders.waitingCount) pictures are waited for" }
      // Besides, a frame that is shown may hold pictures that have left.
      let alive = decoders.aliveBytes
      if alive > images.byteBudget + 80 * pictureBytes { return "\(alive) bytes are held" }
      return nil
    }

    var isComplete: Bool { list.visibleRows.allSatisfy { list.layer(for: $0)?.contents != nil } }
  }

  /// Ten thousand rows pass by, and no frame is late; at its rest the list shows all pictures.
  func testAFlingThroughTenThousandRowsIsSmooth() throws {
    for seed in some(1, of: 0..<8 as Range<UInt64>) {
      let stage = try Stage(seed: seed)
      defer { stage.manual.engine.invalidate() }
      var random = SplitMix64(seed: seed)
      var flicks = 0
      while (stage.list.visibleRows.last ?? 0) < 9_999, flicks < 400 {
        stage.flick(&random)
        flicks += 1
        for _ in 0..<10 {
          stage.manual.run(for: .milliseconds(Int64.random(in: 10...60, using: &random)))
          if let fault = stage.fault() { return XCTFail("seed \(seed), flick \(flicks): \(fault)") }
        }
      }
      XCTAssertEqual(stage.list.visibleRows.last, 9_999, "seed \(seed)")
      stage.manual.run(for: .seconds(4))
      XCTAssertTrue(stage.isComplete, "seed \(seed)")
      let interval = stage.manual.display.vblanks.refreshRate.interval
      XCTAssertGreaterThan(stage.manual.frames.count, 1_000)
      XCTAssertEqual(stage.manual.frames.count { $0.isLate(interval: interval) }, 0, "seed \(seed)")
      let decoders = stage.decoders
      print("seed \(seed): \(stage.manual.frames.count) frames, \(decoders.decoded) pictures, \(decoders.wasted) for nobody")
      XCTAssertLessThan(decoders.wasted * 4, decoders.decoded)
    }
  }

  /// The same by pictures that are decoded on the main thread: what is measured is not nothing.
  func testPicturesOnTheMainThreadMakeFramesLate() throws {
    let stage = try Stage(seed: 1)
    defer { stage.manual.engine.invalidate() }
    stage.source.decodesItself = SplitMix64(seed: 1)
    var random = SplitMix64(seed: 1)
    for _ in 0..<3 {
      stage.flick(&random)
      stage.manual.run(for: .milliseconds(400))
    }
    let interval = stage.manual.display.vblanks.refreshRate.interval
    XCTAssertGreaterThan(stage.manual.frames.count { $0.isLate(interval: interval) }, 2)
  }

  /// Pictures appear when they are to.
  func testWhenPicturesAppear() throws {
    for appearance in RowImages.Appearance.allCases {
      let stage = try Stage(seed: 3, appearance: appearance)
      defer { stage.manual.engine.invalidate() }
      let controller = stage.list.controller
      var (moving, fast, resting) = (0, 0, 0)
      stage.source.onShow = {
        if controller.velocity.y == 0 { resting += 1 } else { moving += 1 }
        if abs(controller.velocity.y) > 2 * 480 { fast += 1 }
      }
      var random = SplitMix64(seed: 3)
      for _ in 0..<4 {
        stage.flick(&random)
        stage.manual.run(for: .milliseconds(300))
      }
      // At the end of the list it is fast where it will rest.
      for row in [9_970, 9_980, 9_985, 9_975] {
        stage.list.scroll(toRow: row)
        stage.flick(&random)
        stage.manual.run(for: .seconds(2))
      }
      stage.manual.run(for: .seconds(6))
      XCTAssertTrue(stage.isComplete, "\(appearance)")
      XCTAssertEqual(stage.manual.engine.modes.top, .default)
      print("\(appearance): \(moving) while it moves, \(fast) of them fast, \(resting) at rest")
      switch appearance {
      case .atOnce: XCTAssertGreaterThan(fast, 0)
      case .afterFastFling: XCTAssertEqual(fast, 0); XCTAssertGreaterThan(moving, 0)
      case .inDefaultMode: XCTAssertEqual(moving, 0); XCTAssertGreaterThan(resting, 0)
      }
    }
  }

  /// Back where it was, a list shows its pictures at once, as far as the budget goes; rows that are recycled hold none.
  func testPicturesAreKeptWithinTheBudget() throws {
    let picture = Self.pictureBytes
    for (budget, isKept) in [(100 * picture, true), (12 * picture, false)] {
      let stage = try Stage(seed: 5, byteBudget: budget)
      defer { stage.manual.engine.invalidate() }
      XCTAssertTrue(stage.isComplete)
      for row in [5_000, 9_000, 2_000] {
        stage.list.scroll(toRow: row)
        stage.manual.run(for: .seconds(2))
        XCTAssertTrue(stage.isComplete)
        XCTAssertNil(stage.fault())
      }
      let before = stage.decoders.decoded
      stage.list.scroll(toRow: 0)
      stage.manual.turn()
      XCTAssertEqual(stage.isComplete, isKept)
      stage.manual.run(for: .seconds(2))
      XCTAssertTrue(stage.isComplete)
      if isKept { XCTAssertEqual(stage.decoders.decoded, before) }
      // Workers release pictures.
      stage.manual.engine.workers.shutdown()
      XCTAssertLessThanOrEqual(stage.decoders.aliveBytes, budget)
    }
    // With a place for three, the three upper rows have theirs.
    let stage = try Stage(seed: 5, byteBudget: 3 * picture)
    defer { stage.manual.engine.invalidate() }
    XCTAssertEqual(stage.list.visibleRows.filter { stage.list.layer(for: $0)?.contents != nil }, [0, 1, 2])
  }

  /// Rows that are inserted and moved take their pictures with them.
  func testEditsKeepPictures() throws {
    let stage = try Stage(seed: 7)
    defer { stage.manual.engine.invalidate() }
    let layer = try XCTUnwrap(stage.list.layer(for: 2))
    let picture = try XCTUnwrap(layer.contents)
    stage.list.moveRows(2..<3, to: 0, animated: false)
    stage.manual.turn()
    XCTAssertTrue(stage.list.layer(for: 0) === layer && layer.contents === picture)
    stage.list.images = nil
    stage.manual.run(for: .milliseconds(100))
    XCTAssertTrue(stage.list.visibleRows.allSatisfy { stage.list.layer(for: $0)?.contents == nil })
  }
}
