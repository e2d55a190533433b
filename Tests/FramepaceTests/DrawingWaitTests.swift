import Framepace
import FramepaceTesting
import LinuxSystem
import RenderTree
import XCTest

/// How the engine deals with its workers: waits for their drawings on request, and leaves a core free while a finger is tracked.
@preconcurrency @MainActor final class DrawingWaitTests: XCTestCase {
  private struct Fill: Drawing {
    let color: Color
    let gate: Latch

    func draw(in context: DrawingContext) {
      gate.wait()
      context.fill(color: color)
    }
  }

  private final class Slow: Layer {
    var color = Color.white
    var gate = Latch()
    override func makeDrawing() -> (any Drawing)? { Fill(color: color, gate: gate) }
  }

  private static func stage() throws -> (ManualStage<VirtualDisplay>, Slow) {
    let stage = try ManualStage(width: 32, height: 8, rate: .hertz60)
    let layer = Slow(frame: Rect(x: 0, y: 0, width: 8, height: 8))
    layer.gate.open()
    stage.root.addSublayer(layer)
    layer.setNeedsDisplay()
    stage.engine.waitForDrawings(upTo: .seconds(60))
    stage.run(for: .milliseconds(20))
    return (stage, layer)
  }

  private static func row(_ stage: ManualStage<VirtualDisplay>) throws -> [UInt32] {
    let row = try stage.display.capture().row(4).assumingMemoryBound(to: UInt32.self)
    return [4, 20].map { row[$0] & 0xFF_FFFF }
  }

  /// Picture and place change in one frame; without the wait the place would be a frame ahead.
  func testPlaceAndPictureChangeInOneFrame() throws {
    let (stage, layer) = try Self.stage()
    XCTAssertEqual(try Self.row(stage), [0xFF_FFFF, 0])
    Transaction.withoutActions { layer.position.x += 16 }
    layer.color = Color(hex: 0xFF0000)
    layer.setNeedsDisplay()
    stage.engine.waitForDrawings(upTo: .seconds(60))
    stage.turn()
    XCTAssertEqual(stage.engine.context.pendingDrawings, 0)
    XCTAssertEqual(stage.engine.context.renderTree(at: stage.clock.now).records[1].transform.tx, 16)
    stage.run(for: .milliseconds(20))
    XCTAssertEqual(try Self.row(stage), [0, 0xFF_0000])
    // The request was for that turn alone.
    layer.gate = Latch()
    layer.setNeedsDisplay()
    stage.turn()
    XCTAssertEqual(stage.engine.context.pendingDrawings, 1)
    layer.gate.open()
    stage.engine.invalidate()
  }

  /// The wait of the commit is a phase: what the drawing takes on a manual clock, and neither layout nor display.
  func testTheWaitIsAPhaseOfItsOwn() throws {
    let clock = ManualClock(start: .zero + .seconds(1))
    let loop = FrameLoop(clock: .manual(clock))
    let display = try VirtualDisplay(
      width: 32, height: 8, refreshRate: .hertz60, reason: "a test", clock: .manual(clock))
    let layer = Timed(clock: clock)
    let root = Layer()
    root.addSublayer(layer)
    let engine = Engine(
      display: display, root: root, scale: nil, loop: loop,
      workers: WorkerPool(simulatedThreads: 1, worksWhenAwaited: true), renderThreads: nil)
    var frames: [FrameRecord] = []
    let watching = engine.output.observe { if case .presented(let frame) = $0 { frames.append(frame) } }
    let link = engine.makeDisplayLink { _ in
      layer.setNeedsDisplay()
      engine.waitForDrawings(upTo: .seconds(60))
    }
    loop.run(mode: .default, until: clock.now + .milliseconds(300))
    let frame = try XCTUnwrap(frames.last)
    XCTAssertEqual(frame.phases[.wait], .milliseconds(5), "\(frame)")
    XCTAssertEqual(frame.work, .milliseconds(5), "\(frame)")
    watching.invalidate()
    link.invalidate()
    engine.invalidate()
  }

  /// Its drawing takes 5 ms on a manual clock, and its colour changes.
  private final class Timed: Layer {
    private struct Slow: Drawing {
      let clock: ManualClock
      let color: Color

      func draw(in context: DrawingContext) {
        clock.advance(by: .milliseconds(5), thread: .blocked)
        context.fill(color: color)
      }
    }

    private let clock: ManualClock
    private var count = 0

    init(clock: ManualClock) {
      self.clock = clock
      super.init()
      bounds = Rect(x: 0, y: 0, width: 8, height: 8)
    }

    override func makeDrawing() -> (any Drawing)? {
      count += 1
      return Slow(clock: clock, color: count % 2 == 0 ? .white : .black)
    }
  }

  func testTheFrameGoesOutAtTheLimit() throws {
    let (stage, layer) = try Self.stage()
    Transaction.withoutActions { layer.position.x += 16 }
    layer.color = Color(hex: 0xFF0000)
    layer.gate = Latch()
    layer.setNeedsDisplay()
    stage.engine.waitForDrawings(upTo: .milliseconds(1))
    stage.run(for: .milliseconds(40))
    XCTAssertEqual(try Self.row(stage), [0, 0xFF_FFFF], "the old picture in the new place")
    layer.gate.open()
    stage.engine.context.waitForDrawings()
    stage.run(for: .milliseconds(40))
    XCTAssertEqual(try Self.row(stage), [0, 0xFF_0000])
    stage.engine.invalidate()
  }

  /// A wait that came to its limit is over with its frame: the next frame may wait again.
  func testAWaitBeginsAgainAfterOneThatCameToItsLimit() throws {
    let (stage, layer) = try Self.stage()
    let late = Latch()
    layer.gate = late
    layer.setNeedsDisplay()
    stage.engine.waitForDrawings(upTo: .milliseconds(1))
    stage.turn()
    XCTAssertEqual(stage.engine.context.pendingDrawings, 1)
    layer.gate = Latch()
    layer.gate.open()
    layer.color = Color(hex: 0xFF0000)
    layer.setNeedsDisplay()
    stage.engine.waitForDrawings(upTo: .seconds(60))
    stage.turn()
    XCTAssertEqual(stage.engine.context.pendingDrawings, 0)
    stage.run(for: .milliseconds(20))
    XCTAssertEqual(try Self.row(stage), [0xFF_0000, 0])
    late.open()
    stage.engine.invalidate()
  }

  private struct Write: Drawing {
    let surface: Surface

    func draw(in context: DrawingContext) {
      try? surface.update(IntRect(x: 0, y: 0, width: 1, height: 1)) { $0.row(0)[0] = 0xFFFF_FFFF }
      try? surface.commit()
    }
  }

  private final class Writer: Layer {
    var surface: Surface?
    override func makeDrawing() -> (any Drawing)? { surface.map { Write(surface: $0) } }
  }

  /// Otherwise a thread that commits without a rest would hold the turn while it waits for drawings.
  func testSurfacesWaitForTheNextTurn() throws {
    let (stage, _) = try Self.stage()
    let (screen, writer) = (SurfaceLayer(), Writer(frame: Rect(x: 0, y: 0, width: 1, height: 1)))
    let surface = try Surface(width: 1, height: 1)
    (screen.surface, writer.surface) = (surface, surface)
    stage.root.addSublayer(screen)
    stage.root.addSublayer(writer)
    func shown() -> UInt32? { screen.contents?.row(0).load(as: UInt32.self) }
    stage.turn()
    writer.setNeedsDisplay()
    stage.engine.waitForDrawings(upTo: .seconds(60))
    Transaction.flush()
    XCTAssertNotNil(writer.contents)
    XCTAssertEqual(shown(), 0)
    stage.turn()
    XCTAssertEqual(shown(), 0xFFFF_FFFF)
    stage.engine.invalidate()
  }

  func testTrackingLeavesACoreFree() throws {
    let workers = WorkerPool(threads: 3)
    let stage = try ManualStage(width: 8, height: 8, rate: .hertz60, workers: workers)
    var limits: [Int] = []
    var tracking: FrameLoop.ModeStack.Entry?
    let steps: [@MainActor (Engine) -> Void] = [
      { tracking = $0.modes.push(.tracking) }, { _ in tracking?.pop() }, { $0.finish() },
    ]
    for (index, step) in steps.enumerated() {
      let timer = FrameLoop.Timer(
        fireTime: stage.clock.now + .milliseconds(10 * Int64(index + 1)),
        .onMain { [engine = stage.engine] _ in
          limits.append(workers.activeThreadLimit)
          step(engine)
        })
      stage.loop.add(timer, to: .common)
    }
    stage.engine.run()
    XCTAssertEqual(limits, [3, 2, 3])
    stage.engine.invalidate()
  }
}
