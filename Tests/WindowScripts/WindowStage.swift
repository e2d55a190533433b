package import FrameTiming
package import Framepace
import Raster
package import RunLoops
package import Simulation
package import Wayland
package import WaylandTesting

/// A mistake that a window was seen to make.
package struct WindowFault: Error, CustomStringConvertible {
  package let description: String
}

/// An engine with a window on a scripted compositor, all on one loop and on manual time.
@MainActor
package final class WindowStage {
  package let clock = ManualClock(start: MonotonicTime(nanoseconds: 1_000_000_000_000))
  package let loop: FrameLoop
  package private(set) var compositor: ScriptedCompositor
  package let display: WaylandDisplay
  package let engine: Engine
  package let root = Layer()
  package let ball = Layer()
  /// The frames that the compositor has shown.
  package private(set) var shown: [ShownFrame] = []
  /// The frames of which the output was told that they were seen, or that they never were.
  package private(set) var presented: [FrameRecord] = []
  package private(set) var lostFrames = 0
  package private(set) var losses: [WaylandError] = []
  package private(set) var states: [DisplayState] = []
  /// The loop's passes after a sleep.
  package private(set) var wakeUps = 0
  package private(set) var ticks = 0
  /// The mistakes that `end()` throws.
  private var faults: [String] = []
  private var link: DisplayLink?
  private var position = 0

  package init(
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
    watch()
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

  package var window: CompositorWindow { compositor.windows[0] }

  /// Moves the ball at each tick.
  package func animate() {
    rest()
    link = engine.makeDisplayLink { [unowned self] _ in
      ticks += 1
      position = (position + 7) % 50
      Transaction.withoutActions { ball.position = Point(x: Double(position), y: Double(position * 3 % 40)) }
    }
  }

  /// Lets an animation move the ball that nothing else changes: there are no callbacks, and layers are not committed.
  package func play() {
    ball.add(
      BasicAnimation(.positionX, from: 0, to: 50, duration: .milliseconds(1700), repeatCount: .infinity), forKey: "move")
  }

  package func rest() {
    link?.invalidate()
    link = nil
    ball.removeAnimation(forKey: "move")
  }

  package func run(for time: Nanoseconds) {
    let end = clock.now + time
    while clock.now < end {
      if loop.run(mode: .default, until: end) == .finished { clock.advance(to: end) }
    }
  }

  /// Forgets what was seen so far.
  package func forget() { (shown, presented, lostFrames, wakeUps, ticks, states) = ([], [], 0, 0, 0, []) }

  /// Another compositor takes the place of the one that is gone.
  package func reconnect() throws {
    endCompositor()
    compositor = try ScriptedCompositor(loop: loop)
    watch()
    display.reconnect(to: try WaylandConnection(descriptor: compositor.connect(), clock: .manual(clock)))
  }

  /// Rests, and sees that the picture at the compositor is the one that was composited.
  ///
  /// - Parameter note: said with what is wrong.
  package func checkPicture(_ note: String = "") throws {
    rest()
    run(for: .milliseconds(200))
    guard let shown = try window.copyShownImage() else { throw WindowFault(description: "nothing is shown \(note)") }
    let own = try display.capture()
    guard own.width == shown.width, own.height == shown.height else {
      throw WindowFault(
        description: "\(shown.width) x \(shown.height) pixels are shown of \(own.width) x \(own.height) \(note)")
    }
    for y in 0..<own.height {
      for x in 0..<own.width {
        let (a, b) = (
          own.row(y).load(fromByteOffset: 4 * x, as: UInt32.self), shown.row(y).load(fromByteOffset: 4 * x, as: UInt32.self)
        )
        // The compositor takes every pixel for opaque.
        guard a & 0xFF_FFFF == b & 0xFF_FFFF else {
          throw WindowFault(description: "pixel \(x), \(y) is \(String(b, radix: 16)), not \(String(a, radix: 16)) \(note)")
        }
      }
    }
  }

  /// Notes a fault for `end()`.
  func note(_ fault: String) { faults.append(fault) }

  private func watch() {
    compositor.onShown = { [unowned self] window, frame in
      shown.append(frame)
      if let fault = window.frameFault { faults.append("\(fault), at \(frame.time)") }
    }
  }

  private func endCompositor() {
    if !compositor.violations.isEmpty { faults.append("broken rules of the protocol: \(compositor.violations)") }
    compositor.invalidate()
  }

  /// Ends engine and compositor, and throws what was wrong since the beginning.
  package func end() throws {
    rest()
    engine.invalidate()
    display.connection.close()
    run(for: .milliseconds(1))
    endCompositor()
    if !faults.isEmpty { throw WindowFault(description: faults.joined(separator: "; ")) }
  }
}
