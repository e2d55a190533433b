import FrameTiming
import Geometry
import KMS
import KMSTesting
import LinuxSystem
import Presentation
import Raster
import RenderTree
import RunLoops

/// Measures the end of a frame's way: it is handed to the presenter, copied out and flipped, and its event is read and
/// reported. The card is simulated on manual time, so that nothing waits for a vblank. The simulation's own work is part of
/// the figure.
@MainActor
enum PresenterBenchmarks {
  static let all = Benchmark(name: "presenter") {
    var results: [Result] = []
    for (isAtomic, hasCursor) in [(true, false), (true, true), (false, false), (false, true)] {
      let run = try FlipRun(isAtomic: isAtomic, hasCursor: hasCursor)
      let name = (isAtomic ? "atomic" : "legacy") + (hasCursor ? ", and a cursor that moves" : "")
      results.append(Harness.time("frame on a simulated card, \(name)", repeats: 500) { run.frame() })
      results.append(Harness.allocations("allocations in that", frames: 500) { run.frame() })
      try run.end()
    }
    return results
  }
}

/// Small frames, one at each tick.
@MainActor
private final class FlipRun {
  private let clock = ManualClock(start: MonotonicTime(nanoseconds: 1_000_000_000))
  private let loop: FrameLoop
  private let display: KMSDisplay
  private let vblanks: SimulatedVBlanks
  private let damage = DamageRegion(IntRect(x: 100, y: 100, width: 64, height: 64))
  private var link: DisplayLink?
  private var presented = 0
  private var shown = 0

  init(isAtomic: Bool, hasCursor: Bool) throws {
    loop = FrameLoop(clock: .manual(clock))
    let card = SimulatedCard(
      connectors: [.init("HDMI-A-1", modes: [.simulated(1280, 720)])], isAtomic: isAtomic, clock: .manual(clock))
    vblanks = SimulatedVBlanks(of: card, on: loop)
    display = try KMSCard(device: card.open()).display(clock: .manual(clock))
    display.add(to: loop, mode: .default)
    if hasCursor { display.cursor = Cursor(image: try Bitmap(width: 24, height: 24).freeze()) }
    let link = DisplayLink(ticker: display.ticker) { [unowned self] _ in present() }
    link.add(to: loop, mode: .default)
    self.link = link
    display.presenter.onEvent = { [unowned self] in if case .presented = $0 { shown += 1 } }
    present()
  }

  func frame() {
    loop.run(mode: .default, until: clock.now + display.ticker.refreshRate.interval)
  }

  private func present() {
    guard let buffer = display.presenter.acquireBuffer() else { return }
    presented += 1
    if display.cursor != nil { display.cursorPosition = Point(Double(presented % 1000), 100) }
    try? display.presenter.present(buffer, damage: damage, target: nil)
  }

  func end() throws {
    guard shown > 2_000, presented - shown <= 1 else { throw BenchmarkError("\(shown) of \(presented) frames were shown") }
    link?.invalidate()
    display.invalidate()
    vblanks.invalidate()
  }
}
