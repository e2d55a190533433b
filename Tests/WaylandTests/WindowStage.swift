import FrameTiming
import Framepace
import Raster
import RunLoops
import Simulation
import WaylandTesting
import XCTest

@testable import Wayland

/// An engine with a window on a scripted compositor, all on one loop and on manual time.
@MainActor
final class WindowStage {
  let clock = ManualClock(start: MonotonicTime(nanoseconds: 1_000_000_000_000))
  let loop: FrameLoop
  private(set) var compositor: ScriptedCompositor
  let display: WaylandDisplay
  let engine: Engine
  let root = Layer()
  let ball = Layer()
  /// The frames that the compositor has shown.
  private(set) var shown: [ShownFrame] = []
  /// The frames of which the output was told that they were seen, or that they never were.
  private(set) var presented: [FrameRecord] = []
  private(set) var lostFrames = 0
  private(set) var losses: [WaylandError] = []
  private(set) var states: [DisplayState] = []
  /// The loop's passes after a sleep.
  private(set) var wakeUps = 0
  private(set) var ticks = 0
  private var link: DisplayLink?
  private var position = 0

  init(
    globals: CompositorGlobals = .all, clock stamps: WaylandTesting.CompositorClock = .monotonic,
    outputs: [CompositorOutput] = [CompositorOutput()], faults: DisplayFaults = DisplayFaults(),
    policy: CompositorPolicy = CompositorPolicy(), seed: UInt64 = 1,
    options: WindowOptions = WindowOptions(width: 64, height: 48)
  ) throws {
    let loop = FrameLoop(clock: .manual(clock))
    self.loop = loop
    compositor = try ScriptedCompositor(
      outputs: outputs, globals: globals, policy: policy, clock: stamps, faults: faults, seed: seed, loop: loop)
    let connection = try WaylandConnection(descriptor: compositor.connect(), clock: .manual(clock))
    connection.readClock = { [clock] number in number == stamps.number ? stamps.time(at: clock.now) : nil }
    display = WaylandDisplay(connection: connection, options: options)
    root.backgroundColor = .white
    ball.bounds = Rect(x: 0, y: 0, width: 8, height: 8)
    ball.backgroundColor = .black
    root.addSublayer(ball)
    engine = Engine(display: display, root: root, loop: loop, workers: WorkerPool(threads: 1))
    compositor.onShown = { [unowned self] window, frame in
      shown.append(frame)
      XCTAssertNil(window.frameFault, "at \(frame.time)")
    }
    engine.output.observe { [unowned self] event in
      switch event {
      case .presented(let frame): presented.append(frame)
      case .lost: lostFrames += 1
      default: break
      }
    }.keep()
    display.observe { [unowned self] event in
      switch event {
      case .lost(let error as WaylandError): losses.append(error)
      case .stateChanged(let state): states.append(state)
      default: break
      }
    }.keep()
    loop.add(FrameLoop.Observer([.afterWaiting], .onMain { [weak self] _, _ in self?.wakeUps += 1 }), to: .common)
  }

  var window: CompositorWindow { compositor.windows[0] }

  /// Moves the ball at each tick.
  func animate() {
    rest()
    link = engine.makeDisplayLink { [unowned self] _ in
      ticks += 1
      position = (position + 7) % 50
      Transaction.withoutActions { ball.position = Point(x: Double(position), y: Double(position * 3 % 40)) }
    }
  }

  func rest() {
    link?.invalidate()
    link = nil
  }

  func run(for time: Nanoseconds) {
    let end = clock.now + time
    while clock.now < end {
      if loop.run(mode: .default, until: end) == .finished { clock.advance(to: end) }
    }
  }

  /// Forgets what was seen so far.
  func forget() { (shown, presented, lostFrames, wakeUps, ticks, states) = ([], [], 0, 0, 0, []) }

  /// Another compositor takes the place of the one that is gone.
  func reconnect() throws {
    compositor.invalidate()
    compositor = try ScriptedCompositor(loop: loop)
    compositor.onShown = { [unowned self] in shown.append($1) }
    display.reconnect(to: try WaylandConnection(descriptor: compositor.connect(), clock: .manual(clock)))
  }

  /// Rests, and sees that the picture at the compositor is the one that was composited.
  func checkPicture(_ note: String = "", file: StaticString = #filePath, line: UInt = #line) throws {
    rest()
    run(for: .milliseconds(200))
    guard let shown = try window.copyShownImage() else { return XCTFail("nothing is shown \(note)", file: file, line: line) }
    let own = try display.capture()
    XCTAssertEqual(own.width, shown.width, note, file: file, line: line)
    XCTAssertEqual(own.height, shown.height, note, file: file, line: line)
    guard own.width == shown.width, own.height == shown.height else { return }
    for y in 0..<own.height {
      for x in 0..<own.width {
        let (a, b) = (
          own.row(y).load(fromByteOffset: 4 * x, as: UInt32.self), shown.row(y).load(fromByteOffset: 4 * x, as: UInt32.self)
        )
        // The compositor takes every pixel for opaque.
        guard a & 0xFF_FFFF == b & 0xFF_FFFF else {
          return XCTFail(
            "pixel \(x), \(y) is \(String(b, radix: 16)), not \(String(a, radix: 16)) \(note)", file: file, line: line)
        }
      }
    }
  }

  func end(file: StaticString = #filePath, line: UInt = #line) {
    XCTAssertEqual(compositor.violations, [], file: file, line: line)
    rest()
    engine.invalidate()
    display.connection.close()
    run(for: .milliseconds(1))
    compositor.invalidate()
  }
}
