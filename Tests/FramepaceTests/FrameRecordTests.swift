import Framepace
import FramepaceTesting
import XCTest

/// The record that an output writes of a frame: the plan, and what became of it.
@preconcurrency @MainActor final class FrameRecordTests: XCTestCase {
  private static let interval = Nanoseconds.milliseconds(10)

  /// The loop serves something else first: the frame was to be begun at the vblank and was begun later.
  func testAFrameThatATickAskedFor() throws {
    let stage = try ManualStage(width: 16, height: 16, rate: RefreshRate(hertz: 100) ?? .hertz60)
    stage.run(for: .milliseconds(35))
    // From 1 ms before each vblank to 2 ms after it.
    let busy = FrameLoop.Timer(
      fireTime: stage.clock.now + .milliseconds(4), interval: Self.interval,
      .onMain { _ in stage.clock.advance(by: .milliseconds(3)) })
    stage.loop.add(busy, to: .default)
    // Due meanwhile, it comes before the vblank in its turn.
    let earlier = FrameLoop.Timer(
      fireTime: stage.clock.now + .microseconds(4_500), interval: Self.interval,
      .onMain { _ in stage.clock.advance(by: .milliseconds(1)) })
    stage.loop.add(earlier, to: .default)
    stage.engine.makeDisplayLink { link in
      stage.clock.advance(by: .milliseconds(1))
      Transaction.withoutActions { stage.root.backgroundColor = link.frameNumber % 2 == 0 ? .white : .black }
    }
    let first = stage.frames.count
    stage.run(for: .milliseconds(65))
    busy.invalidate()
    earlier.invalidate()
    // The output itself ticks from its first frame on.
    let frames = stage.frames.dropFirst(first + 1)
    XCTAssertGreaterThan(frames.count, 3)
    for frame in frames {
      XCTAssertEqual(frame.start, frame.tickTimestamp, "\(frame)")
      XCTAssertEqual(frame.delivered, frame.start + .milliseconds(3), "\(frame)")
      XCTAssertEqual(frame.target, frame.tickTimestamp + Self.interval, "\(frame)")
      XCTAssertEqual(frame.submitted, frame.delivered + .milliseconds(1), "\(frame)")
      XCTAssertEqual(frame.presented, frame.target, "\(frame)")
      XCTAssertTrue(frame.isTargetKnown, "\(frame)")
      XCTAssertNil(frame.causes(interval: Self.interval), "\(frame)")
    }
    stage.engine.invalidate()
  }

  /// Tiles are asked for while the tree's records are written: that is display, and no time between phases.
  func testTilesAreDisplay() throws {
    let stage = try ManualStage(width: 16, height: 16, rate: RefreshRate(hertz: 100) ?? .hertz60)
    let tiles = SlowTiles(clock: stage.clock)
    tiles.frame = Rect(x: 0, y: 0, width: 16, height: 16)
    stage.root.addSublayer(tiles)
    stage.run(for: .milliseconds(35))
    let first = stage.frames.count
    stage.engine.makeDisplayLink { link in
      stage.clock.advance(by: .milliseconds(1))
      tiles.setNeedsDisplay()
      Transaction.withoutActions { stage.root.backgroundColor = link.frameNumber % 2 == 0 ? .white : .black }
    }
    stage.run(for: .milliseconds(65))
    let frames = stage.frames.dropFirst(first + 1)
    XCTAssertGreaterThan(frames.count, 3)
    for frame in frames {
      XCTAssertEqual(frame.phases[.display], .milliseconds(2), "\(frame)")
      XCTAssertEqual(frame.work, frame.submitted - frame.delivered, "\(frame)")
    }
    stage.engine.invalidate()
  }

  /// A frame whose callbacks have a processor for 1 ms, wait 2 for one and are blocked for 3, and that begins 4 ms late for want of one:
  /// with its layers on the main thread's clock to the nanosecond, composited on either thread.
  func testWhatItsThreadsDid() throws {
    for isOnThread in [false, true] {
      let clock = ManualClock(start: .zero + .seconds(1))
      let loop = FrameLoop(clock: .manual(clock))
      let display = try VirtualDisplay(
        width: 16, height: 16, refreshRate: RefreshRate(hertz: 100) ?? .hertz60, reason: "a test", clock: .manual(clock))
      // It is told of the waking before the engine is. Vblanks come each 10 ms.
      var sleep = Nanoseconds.zero
      let waking = FrameLoop.Observer(
        [.afterWaiting], order: ObserverOrder.turnBegin,
        .onMain { _, _ in
          guard (clock.now - .zero).count % 10_000_000 == 0 else { return }
          clock.advance(by: sleep, thread: .runnable)
          sleep = .zero
        })
      loop.add(waking, to: .common)
      let threads = isOnThread ? WorkerPool(simulatedThreads: 1) : nil
      let engine = Engine(
        display: display, root: Layer(), scale: nil, loop: loop, workers: WorkerPool(), renderThreads: threads)
      engine.measuresThreads = true
      var frames: [FrameRecord] = []
      engine.output.observe { if case .presented(let frame) = $0 { frames.append(frame) } }.keep()
      func run(until time: MonotonicTime) {
        while clock.now < time {
          loop.run(mode: .default, until: min(time, clock.now + .microseconds(500)))
          while threads?.runNextJob() == true {}
        }
      }
      run(until: clock.now + .milliseconds(30))
      let link = engine.makeDisplayLink { [root = engine.root] link in
        clock.advance(by: .milliseconds(1))
        clock.advance(by: .milliseconds(2), thread: .runnable)
        clock.advance(by: .milliseconds(3), thread: .blocked)
        Transaction.withoutActions { root.backgroundColor = link.frameNumber % 2 == 0 ? .white : .black }
      }
      run(until: clock.now + .milliseconds(32))
      let quiet = try XCTUnwrap(frames.last)
      XCTAssertEqual(quiet.processorTime, .milliseconds(1), "\(quiet)")
      XCTAssertEqual(quiet.runDelay, .milliseconds(2), "\(quiet)")
      XCTAssertEqual(quiet.startDelay, .zero, "\(quiet)")
      XCTAssertEqual(quiet.blockedTime, .milliseconds(3), "\(quiet)")
      let count = frames.count
      sleep = .milliseconds(4)
      let asleep = clock.now
      run(until: clock.now + .milliseconds(40))
      let late = try XCTUnwrap(frames.dropFirst(count).first { $0.delivered >= asleep && $0.startDelay > .zero })
      XCTAssertEqual(late.delivered - late.start, .milliseconds(4), "\(late)")
      XCTAssertEqual(late.startDelay, .milliseconds(4), "\(late)")
      XCTAssertEqual(late.runDelay, .milliseconds(2), "\(late)")
      engine.measuresThreads = false
      run(until: clock.now + .milliseconds(40))
      XCTAssertNil(frames.last?.processorTime)
      link.invalidate()
      waking.invalidate()
      engine.invalidate()
    }
  }

  /// Three layers of which one is laid out, two are drawn and one is blurred.
  func testWhatWasDone() throws {
    let stage = try ManualStage(width: 64, height: 64, rate: RefreshRate(hertz: 100) ?? .hertz60)
    let (plain, drawn, blurred) = (Layer(), BusyLayer(clock: stage.clock), BusyLayer(clock: stage.clock))
    for (index, layer) in [plain, drawn, blurred].enumerated() {
      layer.frame = Rect(x: Double(index) * 20, y: 0, width: 8, height: 4)
      stage.root.addSublayer(layer)
    }
    plain.backgroundColor = .white
    for layer in [drawn, blurred] { layer.setNeedsDisplay() }
    blurred.backgroundColor = .white
    blurred.blurRadius = 1
    stage.run(for: .milliseconds(200))
    func change(_ body: () -> Void) throws -> FrameRecord {
      let count = stage.frames.count
      Transaction.withoutActions(body)
      stage.run(for: .milliseconds(200))
      XCTAssertEqual(stage.frames.count, count + 1)
      return try XCTUnwrap(stage.frames.last)
    }
    // Both buffers are painted, and the blurred picture is kept.
    for colour in [Color.black, .white, .black, .white] { _ = try change { plain.backgroundColor = colour } }
    let colour = try change { plain.backgroundColor = .black }
    XCTAssertEqual(colour.damagePixels, 32)
    XCTAssertEqual(colour.layerPixels, 32, "an opaque layer hides what is behind it")
    XCTAssertEqual([colour.dirtyLayers, colour.laidOutLayers, colour.drawnLayers, colour.missedPictures], [1, 0, 0, 0])
    // The buffer lacks the change before too: one rectangle of 28 × 4 has both.
    let display = try change {
      drawn.setNeedsLayout()
      drawn.setNeedsDisplay()
    }
    XCTAssertEqual((display.damagePixels, display.paintedPixels).0, 32)
    XCTAssertEqual(display.paintedPixels, 112)
    XCTAssertEqual([display.laidOutLayers, display.drawnLayers, display.missedPictures], [1, 1, 0])
    XCTAssertNil(display.processorTime)
    let blur = try change { blurred.blurRadius = 2 }
    XCTAssertEqual([blur.laidOutLayers, blur.drawnLayers, blur.missedPictures], [0, 0, 1])
    let structure = try change {
      let layer = Layer(frame: Rect(x: 0, y: 20, width: 1, height: 1))
      layer.backgroundColor = .white
      stage.root.addSublayer(layer)
    }
    XCTAssertEqual(structure.dirtyLayers, 5)
    // Over the screen behind it. Both buffers have the new layer before.
    _ = try change { plain.backgroundColor = .white }
    let translucent = try change { plain.backgroundColor = Color(red: 1, green: 0, blue: 0, alpha: 0.5) }
    XCTAssertEqual(translucent.overdraw, 2)
    stage.engine.invalidate()
  }

  /// The first frame of all has no grid to be made for; one after a pause has.
  func testAFrameWithoutATick() throws {
    let stage = try ManualStage(width: 16, height: 16, rate: RefreshRate(hertz: 100) ?? .hertz60)
    stage.run(for: .milliseconds(203))
    let made = stage.clock.now
    Transaction.withoutActions { stage.root.backgroundColor = .white }
    stage.run(for: .milliseconds(30))
    XCTAssertEqual(stage.frames.map(\.isTargetKnown), [false, true])
    let frame = try XCTUnwrap(stage.frames.last)
    XCTAssertEqual(frame.delivered, made)
    XCTAssertEqual(frame.submitted, made)
    XCTAssertEqual(frame.target, made + .milliseconds(7))
    XCTAssertEqual(frame.tickTimestamp, made - .milliseconds(3))
    XCTAssertEqual(frame.start, made, "nothing was due before")
    stage.engine.invalidate()
  }
}

/// A layer of one tile, for which the main thread takes 2 ms.
private final class SlowTiles: TiledLayer {
  private let clock: ManualClock

  init(clock: ManualClock) {
    self.clock = clock
    super.init()
  }

  override func makeDrawing(of rect: Rect, scale: Double) -> (any Drawing)? {
    clock.advance(by: .milliseconds(2))
    return nil
  }
}
