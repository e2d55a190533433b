import Framepace
import RenderTree

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

/// A virtual display whose presenter takes its time, or refuses frames.
@MainActor
final class SlowDisplay: Display, Presenter {
  let virtual: VirtualDisplay
  let observers = Observers<DisplayEvent>()
  /// The time that handing a frame over takes.
  var time: Nanoseconds
  /// The number of coming frames that are refused.
  var refusals = 0
  private let clock: ManualClock

  init(
    width: Int = 16, height: Int = 16, hertz: Double = 60, _ buffering: Buffering = .double, time: Nanoseconds = .zero,
    clock: ManualClock
  ) throws {
    let source = FallbackClock(
      refreshRate: RefreshRate(hertz: hertz) ?? .hertz60, reason: "a test", clock: .manual(clock))
    virtual = try VirtualDisplay(
      width: width, height: height, source: source, reason: "a test", buffering: buffering, clock: .manual(clock))
    self.time = time
    self.clock = clock
  }

  var name: String { virtual.name }
  var reason: String { virtual.reason }
  var ticker: DisplayTicker { virtual.ticker }
  var presenter: any Presenter { self }
  var width: Int { virtual.presenter.width }
  var height: Int { virtual.presenter.height }
  var onEvent: (@MainActor (PresenterEvent) -> Void)? {
    get { virtual.presenter.onEvent }
    set { virtual.presenter.onEvent = newValue }
  }

  func acquireBuffer() -> PresentationBuffer? { virtual.presenter.acquireBuffer() }

  func present(_ buffer: PresentationBuffer, damage: DamageRegion) throws {
    clock.advance(by: time)
    refusals -= 1
    if refusals >= 0 { throw SystemError(call: "present", errno: 16) }
    try virtual.presenter.present(buffer, damage: damage)
  }

  func add(to loop: FrameLoop, mode: FrameLoop.Mode) { virtual.add(to: loop, mode: mode) }
  func invalidate() { virtual.invalidate() }
}
