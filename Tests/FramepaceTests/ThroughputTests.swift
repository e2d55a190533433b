import Framepace
import FramepaceTesting
import Simulation
import XCTest

/// Frames whose work takes longer than an interval, in simulated time: how many are seen, and whether any work is lost.
final class ThroughputTests: XCTestCase {
  /// Work of w gives a frame every ⌈(w + 1 ms) / T⌉ intervals or more often, whichever phase it falls into, and no work is done
  /// for no frame.
  func testWorkOfAnyLengthBecomesFrames() throws {
    try onMain {
      var faults: [String] = []
      for hertz in [24, 60, 144] as [Double] {
        for phase in [FrameRecord.Phase.callbacks, .layout, .display] {
          for buffering in [Buffering.double, .triple] {
            for policy in FramePolicy.allCases {
              for work in [4, 8, 15, 16, 20, 30, 33, 60] as [Int64] {
                let stage = try Stage(hertz: hertz, buffering)
                stage.engine.output.policy = policy
                stage.work[phase] = .milliseconds(work)
                // Late start learns how long frames take.
                _ = stage.frames(in: .seconds(1))
                let lost = stage.discarded
                let rate = stage.frames(in: .seconds(2))
                let intervals = ((Double(work) + 1) * hertz / 1000).rounded(.up)
                let name = "\(hertz) Hz, \(work) ms in \(phase.name), \(buffering), \(policy)"
                if Double(rate) < 2 * hertz / intervals - 1.5 {
                  faults.append("\(name): \(rate) frames, not \(2 * hertz / intervals)")
                }
                if stage.discarded > lost { faults.append("\(name): \(stage.discarded - lost) for no frame") }
                stage.end()
              }
            }
          }
        }
      }
      XCTAssertEqual(faults, [])
    }
  }

  /// Loads that come and go, at any number of intervals and at those that suit them. (Swappy's figures.)
  func testLoadsThatComeAndGo() throws {
    try onMain {
      for isAutomatic in [false, true] {
        for phase in [FrameRecord.Phase.callbacks, .layout, .display] {
          let stage = try Stage(hertz: 60, .double)
          if isAutomatic { stage.engine.output.automaticInterval = AutomaticInterval() }
          let counts = [5, 30, 5].map { work in
            stage.work[phase] = .milliseconds(Int64(work))
            return stage.frames(in: .seconds(2))
          }
          let name = "\(phase.name), automatic \(isAutomatic): \(counts)"
          XCTAssertGreaterThanOrEqual(counts[0], 118, name)
          XCTAssertGreaterThanOrEqual(counts[1], 50, name)
          XCTAssertGreaterThanOrEqual(counts[2], isAutomatic ? 100 : 118, name)
          stage.work[phase] = .milliseconds(30)
          XCTAssertEqual(stage.frames(in: .seconds(5)), 155, accuracy: 5, name)
          stage.end()
        }
      }
    }
  }
}

/// An engine on a simulated screen without faults. The one link of its application asks for a frame at every tick.
@MainActor
private final class Stage {
  let engine: Engine
  var work: FrameRecord.PhaseDurations {
    get { layer.work }
    set { layer.work = newValue }
  }
  private(set) var discarded = Nanoseconds.zero
  private var seen = 0
  private let clock = ManualClock(start: .zero + .seconds(1))
  private let layer: BusyLayer
  private let link: DisplayLink

  init(hertz: Double, _ buffering: Buffering) throws {
    let loop = FrameLoop(clock: .manual(clock))
    let vblanks = SimulatedVBlankSource(refreshRate: try XCTUnwrap(RefreshRate(hertz: hertz)), clock: .manual(clock))
    let screen = try SimulatedScreen(width: 8, height: 8, vblanks: vblanks, buffering: buffering, clock: .manual(clock))
    let root = Layer()
    engine = Engine(display: screen, root: root, loop: loop)
    let layer = BusyLayer(clock: clock)
    self.layer = layer
    root.addSublayer(layer)
    link = DisplayLink(ticker: screen.ticker) { [unowned engine, clock] link in
      guard link.frameNumber.isMultiple(of: UInt64(engine.output.displayLink?.intervalsPerTick ?? 1)) else { return }
      clock.advance(by: layer.work[.callbacks])
      layer.setNeedsLayout()
      layer.setNeedsDisplay()
    }
    link.add(to: loop, mode: .common)
    engine.output.observe { [unowned self] event in
      switch event {
      case .presented: seen += 1
      case .discarded(let frame): discarded += frame.work
      default: break
      }
    }.keep()
    _ = frames(in: .milliseconds(500))
  }

  /// The number of frames that are seen.
  func frames(in duration: Nanoseconds) -> Int {
    let before = seen
    engine.loop.run(mode: .default, until: clock.now + duration)
    return seen - before
  }

  func end() {
    link.invalidate()
    engine.invalidate()
  }
}

private final class BusyLayer: Layer {
  var work = FrameRecord.PhaseDurations()
  private let clock: ManualClock

  init(clock: ManualClock) {
    self.clock = clock
    super.init()
    bounds = Rect(x: 0, y: 0, width: 1, height: 1)
  }

  override func layoutSublayers() { clock.advance(by: work[.layout]) }
  override func draw(in context: DrawingContext) { clock.advance(by: work[.display]) }
}
