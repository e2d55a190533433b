import Framepace

@testable import Presentation

/// A virtual display without a screen of its own: tests plug them in and out.
@MainActor
final class GuestDisplay: Display {
  let name = "guest"
  let reason = "a test"
  let ticker: DisplayTicker
  let observers = Observers<DisplayEvent>()
  private(set) var memory: MemoryPresenter?
  private let stable: ReplaceablePresenter
  private let clock: SystemClock
  private var loop: FrameLoop?

  init(width: Int = 16, height: Int = 16, rate: RefreshRate = .hertz60, clock: ManualClock) throws {
    self.clock = .manual(clock)
    ticker = DisplayTicker(source: FallbackClock(refreshRate: rate, reason: "a test", clock: self.clock))
    let memory = try MemoryPresenter(width: width, height: height, ticker: ticker, clock: self.clock)
    self.memory = memory
    stable = ReplaceablePresenter(memory)
  }

  var presenter: any Presenter { stable }

  func unplug() {
    memory?.invalidate()
    memory = nil
    stable.replace(with: nil)
  }

  func plug(width: Int, height: Int) {
    memory?.invalidate()
    memory = try? MemoryPresenter(width: width, height: height, ticker: ticker, clock: clock)
    if let loop { memory?.add(to: loop, mode: .common) }
    stable.replace(with: memory)
  }

  func add(to loop: FrameLoop, mode: FrameLoop.Mode) {
    self.loop = loop
    memory?.add(to: loop, mode: mode)
  }

  func invalidate() {
    stable.invalidate()
    ticker.invalidate()
  }
}
