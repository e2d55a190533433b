import Framepace
import FramepaceTesting
import Interaction
import Simulation
import XCTest

/// How long ago the finger was where a frame shows the content, on manual time at 100 Hz: exactly as long as it takes from the beginning of the
/// frame to its vblank, and up to the next movement before that.
@preconcurrency @MainActor final class DragLatencyTests: XCTestCase {
  private typealias Screen = FaultyDisplay<SimulatedScreen>

  /// A list that a finger drags by a point each millisecond, on a screen to which handing a frame over takes 2 ms.
  @MainActor
  private final class Stage {
    static let step = Nanoseconds.milliseconds(1)
    let manual: ManualStage<Screen>
    let view = ScrollLayer(frame: Rect(x: 0, y: 0, width: 16, height: 2000))
    /// The frames that were seen while the finger dragged, and the content's place in each.
    private(set) var frames: [(record: FrameRecord, place: Double)] = []
    private(set) var begin = MonotonicTime.zero
    private var places: [UInt64: Double] = [:]
    private let controller: ScrollController
    private let device = InputDevice(id: InputDevice.ID(rawValue: 1), name: "", abilities: .touch)

    init(_ policy: FramePolicy, _ buffering: Buffering = .double) throws {
      manual = try ManualStage { clock in
        let rate = RefreshRate(hertz: 100) ?? .hertz60
        let source = SimulatedVBlankSource(refreshRate: rate, clock: .manual(clock))
        let screen = try SimulatedScreen(
          width: 16, height: 2000, vblanks: source, buffering: buffering, clock: .manual(clock))
        return FaultyDisplay(screen, time: .milliseconds(2), clock: clock)
      }
      manual.root.addSublayer(view)
      controller = ScrollController(view, content: Size(16, 100_000), axes: .vertical)
      manual.engine.output.policy = policy
      manual.engine.output.observe { [weak self] event in
        guard let self else { return }
        switch event {
        case .committed(let frame): places[frame.frameNumber] = view.bounds.minY
        case .presented(let frame):
          if let place = places[frame.frameNumber], frame.input != nil { frames.append((frame, place)) }
        default: break
        }
      }.keep()
      send(.added(device), at: manual.clock.now)
      manual.run(for: .milliseconds(103))
    }

    private func send(_ action: InputEvent.Action, at time: MonotonicTime) {
      manual.engine.inputRouter.receive(InputEvent(time: time, device: device.id, action: action))
    }

    /// Drags for a second. Movements come 0.3 ms after each whole millisecond, and vblanks at whole hundredths of a second. What comes while the
    /// program works is read after that, with its own time.
    func drag() {
      manual.run(for: .microseconds(300))
      begin = manual.clock.now
      send(.touch(finger: 0, .down(Point(0.5, 0.9))), at: begin)
      var step: Int64 = 0
      let timer = FrameLoop.Timer(
        fireTime: begin + Self.step, interval: Self.step,
        .onMain { [weak self] _ in
          guard let self else { return }
          while step < 1000, begin + Self.step * (step + 1) <= manual.clock.now {
            step += 1
            send(.touch(finger: 0, .moved(Point(0.5, 0.9 - Double(step) / 2000))), at: begin + Self.step * step)
          }
        })
      manual.loop.add(timer, to: .common)
      manual.run(for: .seconds(1))
      timer.invalidate()
    }

    /// When the finger was where a frame shows the content: behind the slop of ten points it follows exactly.
    func time(of place: Double) -> MonotonicTime { begin + Self.step * Int64((place + 10).rounded()) }

    func end() { manual.engine.invalidate() }
  }

  /// A frame shows at its vblank what came before its beginning, with one buffer to paint in or two, and its record has the time of the first
  /// movement that no frame showed before.
  func testAFrameShowsAllThatCameBeforeItsBeginning() throws {
    for (policy, buffering) in [(FramePolicy.vblank, Buffering.double), (.lateStart, .double), (.vblank, .triple)] {
      let stage = try Stage(policy, buffering)
      defer { stage.end() }
      stage.drag()
      // With late start frames are begun late when it is known how long they take.
      let frames = Array(stage.frames.dropFirst(30))
      XCTAssertGreaterThan(frames.count, 60)
      for ((_, before), (frame, place)) in zip(frames, frames.dropFirst()) {
        let (first, last) = (stage.time(of: before) + Stage.step, stage.time(of: place))
        XCTAssertLessThanOrEqual(last, frame.delivered)
        XCTAssertGreaterThan(last + Stage.step, frame.delivered)
        XCTAssertEqual(frame.input, first)
        XCTAssertEqual(frame.presented, frame.target)
        XCTAssertEqual(frame.presented, frame.tickTimestamp + .milliseconds(10))
        // An interval, and the 0.7 ms from a movement to the vblank after it; or the work, the screen's half millisecond and a reserve.
        let lag = frame.presented - last
        switch policy {
        case .vblank: XCTAssertEqual(lag, .microseconds(10_700))
        case .lateStart: XCTAssertLessThanOrEqual(lag, .milliseconds(4) + .microseconds(500))
        }
      }
    }
  }
}
