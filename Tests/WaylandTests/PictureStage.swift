import Framepace
import Glibc
import LinuxSystem
import Presentation
import Simulation
import Wayland
import WaylandTesting
import WindowScripts
import XCTest

/// A window of an engine on a scripted compositor, whose every picture is compared with what its layers look like.
@MainActor
final class PictureStage {
  /// A rectangle of one colour, in fours of points, which are whole pixels at all scales of the tests.
  struct Box: Hashable {
    var x: Int
    var y: Int
    var width: Int
    var height: Int
    var color: UInt32
  }

  let clock = ManualClock(start: MonotonicTime(nanoseconds: 1_000_000_000_000))
  let loop: FrameLoop
  private(set) var compositor: ScriptedCompositor
  private(set) var connection: WaylandConnection
  let display: WaylandDisplay
  let engine: Engine
  let root = Layer()
  private var layers: [Layer] = []
  private var boxes: [Box] = []
  /// All states of the layers so far, and the place of the one that was seen last.
  private var states: [[Box]] = [[]]
  private var seenState = 0
  /// The scales at which pictures may be: those of the output so far.
  private var scales: Set<Int> = []
  /// The frames that were seen.
  private(set) var shown: [ShownFrame] = []
  /// The mistakes in what was seen.
  private(set) var faults: [String] = []
  private(set) var events: [String] = []
  private var link: DisplayLink?
  private(set) var ticks = 0
  private var wakeUpCounter: FrameLoop.Observer?
  private(set) var wakeUps = 0

  static let background: UInt32 = 0x203040

  private let makeCompositor: @MainActor (FrameLoop) throws -> ScriptedCompositor

  init(
    outputs: [CompositorOutput] = [CompositorOutput()], globals: CompositorGlobals = .all,
    policy: CompositorPolicy = CompositorPolicy(), clock stampClock: CompositorClock = .monotonic,
    faults: DisplayFaults = DisplayFaults(), seed: UInt64 = 0, size: (Int, Int)? = (64, 48), lastRequest: Int? = nil
  ) throws {
    let clock = clock
    let loop = FrameLoop(clock: .manual(clock))
    self.loop = loop
    makeCompositor = { loop in
      let compositor = try ScriptedCompositor(
        outputs: outputs, globals: globals, policy: policy, clock: stampClock, faults: faults, seed: seed,
        loop: loop)
      compositor.newWindowSize = size.map { (width: $0.0, height: $0.1) }
      return compositor
    }
    compositor = try makeCompositor(loop)
    compositor.lastRequest = lastRequest
    connection = try Self.connect(to: compositor, loop.clock)
    display = WaylandDisplay(connection: connection, options: WindowOptions(title: "Test", width: 64, height: 48))
    root.backgroundColor = Color(hex: Self.background)
    engine = Engine(display: display, root: root, loop: loop, workers: WorkerPool(threads: 0))
    scales = [120]
    display.observe { [weak self] event in
      guard let self else { return }
      switch event {
      case .stateChanged(let state): events.append("\(state)")
      case .geometryChanged(let geometry): events.append("\(geometry.width)x\(geometry.height)")
      case .closeRequested: events.append("close")
      case .lost: events.append("lost")
      }
    }.keep()
    let counter = FrameLoop.Observer(.afterWaiting, .onMain { [weak self] _, _ in self?.wakeUps += 1 })
    loop.add(counter, to: .default)
    wakeUpCounter = counter
    follow()
  }

  private static func connect(to compositor: ScriptedCompositor, _ clock: SystemClock) throws -> WaylandConnection {
    let connection = try WaylandConnection(descriptor: compositor.connect(), clock: clock)
    let stamps = compositor.presentationClock
    connection.readClock = { $0 == stamps.number ? stamps.time(at: clock.now) : nil }
    return connection
  }

  private func follow() {
    for output in compositor.outputs { scales.insert(output.scale) }
    compositor.onShown = { [weak self] window, frame in self?.check(window, frame) }
  }

  /// Another compositor takes the place of the one before, and the window goes there.
  func restart() throws {
    let old = compositor
    compositor = try makeCompositor(loop)
    connection = try Self.connect(to: compositor, loop.clock)
    display.reconnect(to: connection)
    old.invalidate()
    follow()
  }

  func end() {
    link?.invalidate()
    engine.invalidate()
    display.invalidate()
    connection.close()
    run(for: .milliseconds(1))
    wakeUpCounter?.invalidate()
    XCTAssertEqual(compositor.clientCount, 0)
    compositor.invalidate()
  }

  var window: CompositorWindow? { compositor.windows.first }
  var now: MonotonicTime { clock.now }

  // MARK: Time

  func run(for duration: Nanoseconds) {
    let end = clock.now + duration
    while clock.now < end { loop.run(mode: .default, until: end) }
  }

  /// Runs for whole seconds.
  ///
  /// - Returns: the frames seen in each.
  func framesPerSecond(_ seconds: Int) -> [Int] {
    (0..<seconds).map { _ in
      let before = shown.count
      run(for: .seconds(1))
      return shown.count - before
    }
  }

  // MARK: Layers

  /// Changes the boxes in a turn.
  func change(_ body: (inout [Box]) -> Void) {
    body(&boxes)
    states.append(boxes)
    Transaction.withoutActions {
      while layers.count < boxes.count {
        let layer = Layer()
        layers.append(layer)
        root.addSublayer(layer)
      }
      while layers.count > boxes.count { layers.removeLast().removeFromSuperlayer() }
      for (layer, box) in zip(layers, boxes) {
        layer.frame = Rect(
          x: Double(4 * box.x), y: Double(4 * box.y), width: Double(4 * box.width), height: Double(4 * box.height))
        layer.backgroundColor = Color(hex: box.color)
      }
    }
  }

  /// A box moves at each tick.
  func animate() {
    guard link == nil else { return }
    if boxes.isEmpty { change { $0.append(Box(x: 0, y: 1, width: 2, height: 2, color: 0xffcc00)) } }
    let link = DisplayLink(ticker: display.ticker) { [unowned self] _ in
      ticks += 1
      change { $0[0].x = ($0[0].x + 1) % 17 }
    }
    link.add(to: loop, mode: .default)
    self.link = link
  }

  func stop() {
    link?.invalidate()
    link = nil
  }

  // MARK: Pictures

  private func check(_ window: CompositorWindow, _ frame: ShownFrame) {
    shown.append(frame)
    if let fault = window.frameFault { faults.append("\(fault) at \(frame.time)") }
    guard let image = try? window.copyShownImage() else { return faults.append("no picture at \(frame.time)") }
    for output in compositor.outputs { scales.insert(output.scale) }
    guard let state = (seenState..<states.count).first(where: { isPicture(image, of: states[$0]) }) else {
      return faults.append(
        "commit \(frame.commit) of \(frame.width)x\(frame.height) at \(frame.time) is no picture of a state")
    }
    seenState = state
  }

  /// The newest state is seen.
  func expectNewestIsShown(_ place: String = "", line: UInt = #line) throws {
    let image = try XCTUnwrap(window?.copyShownImage(), place, line: line)
    XCTAssertTrue(isPicture(image, of: boxes), "not the newest state \(place)", line: line)
  }

  func expectNoFaults(_ place: String = "", line: UInt = #line) {
    XCTAssertEqual(faults, [], place, line: line)
    XCTAssertEqual(compositor.violations, [], place, line: line)
  }

  private func isPicture(_ image: Image, of boxes: [Box]) -> Bool {
    scales.contains { scale in isPicture(image, of: boxes, scale) }
  }

  private func isPicture(_ image: Image, of boxes: [Box], _ scale: Int) -> Bool {
    // Fours of points are whole pixels at the scales in use.
    func pixels(_ fours: Int) -> Int { 4 * fours * scale / 120 }
    var row = [UInt32](repeating: 0, count: image.width)
    var painted: [Box]?
    for y in 0..<image.height {
      let inRow = boxes.filter { pixels($0.y) <= y && y < pixels($0.y + $0.height) }
      if inRow != painted {
        painted = inRow
        for x in row.indices { row[x] = 0xff00_0000 | Self.background }
        for box in inRow {
          for x in min(pixels(box.x), image.width)..<min(pixels(box.x + box.width), image.width) {
            row[x] = 0xff00_0000 | box.color
          }
        }
      }
      if memcmp(row, image.row(y), 4 * image.width) != 0 { return false }
    }
    return true
  }
}
