import Framepace
import FramepaceTesting
import RenderTree
import XCTest

/// A slower output holds quick frames back; what is held when the display goes is not handed over.
final class HeldBackFrameTests: XCTestCase {
  func testWhatIsHeldBackGoesWithItsBuffers() throws {
    try onMain {
      for isRefused in [false, true] {
        let clock = ManualClock(start: .zero + .seconds(1))
        let loop = FrameLoop(clock: .manual(clock))
        let display = try ResettingDisplay(clock: clock)
        let root = Layer()
        root.cornerRadius = 1
        root.backgroundColor = .white
        let engine = Engine(display: display, root: root, loop: loop)
        engine.output.automaticInterval = AutomaticInterval()
        root.add(BasicAnimation(.cornerRadius, from: 0, to: 8, duration: .seconds(100)))
        var count = 0
        engine.output.observe { event in
          guard case .tick = event else { return }
          count += 1
          clock.advance(by: .microseconds(count % 5 < 2 ? 21_667 : 4_000))
        }.keep()
        var held = 0
        engine.output.observe { if case .presented(let frame) = $0, frame.heldBack > .zero { held += 1 } }.keep()
        loop.run(mode: .default, until: clock.now + .seconds(5))
        XCTAssertEqual(engine.output.automaticInterval?.intervals, 2)
        XCTAssertGreaterThan(held, 20)

        // At all times of an interval.
        let reset = FrameLoop.Timer(
          fireTime: clock.now, interval: .milliseconds(101), .onMain { _ in display.reset(isRefused: isRefused) })
        loop.add(reset, to: .common)
        loop.run(mode: .default, until: clock.now + .seconds(10))
        reset.invalidate()
        XCTAssertEqual(display.staleFrames, 0)
        XCTAssertGreaterThan(display.lostBuffers, 10, "no buffer was lost before it was handed over")
        held = 0
        loop.run(mode: .default, until: clock.now + .seconds(2))
        XCTAssertGreaterThan(held, 20, "it goes on")
        engine.invalidate()
      }
    }
  }
}

/// A virtual display whose buffers are replaced now and then.
@MainActor
private final class ResettingDisplay: Display, Presenter {
  let name = "resetting"
  let reason = "a test"
  let observers = Observers<DisplayEvent>()
  var onEvent: (@MainActor (PresenterEvent) -> Void)?
  /// Frames that were handed over in a buffer of before.
  private(set) var staleFrames = 0
  /// Buffers that were replaced after they were acquired, and before they were handed over.
  private(set) var lostBuffers = 0

  private let virtual: VirtualDisplay
  private var isAcquired = false
  private var isPending = false

  init(clock: ManualClock) throws {
    virtual = try VirtualDisplay(width: 16, height: 16, refreshRate: .hertz60, reason: reason, clock: .manual(clock))
    virtual.presenter.onEvent = { [weak self] event in
      guard case .presented(let feedback?) = event else { return }
      guard let self, isPending else { return }
      isPending = false
      onEvent?(.presented(feedback))
    }
  }

  var ticker: DisplayTicker { virtual.ticker }
  var presenter: any Presenter { self }
  var width: Int { virtual.presenter.width }
  var height: Int { virtual.presenter.height }

  func acquireBuffer() -> PresentationBuffer? {
    let buffer = virtual.presenter.acquireBuffer()
    isAcquired = buffer != nil
    return buffer
  }

  func present(_ buffer: PresentationBuffer, damage: DamageRegion) throws {
    if !isAcquired { staleFrames += 1 }
    isAcquired = false
    isPending = true
    try virtual.presenter.present(buffer, damage: damage)
  }

  func reset(isRefused: Bool) {
    if isAcquired { lostBuffers += 1 }
    (isAcquired, isPending) = (false, false)
    onEvent?(isRefused ? .refused(SystemError(call: "a test", errno: 22)) : .reset)
  }

  func add(to loop: FrameLoop, mode: FrameLoop.Mode) { virtual.add(to: loop, mode: mode) }
  func invalidate() { virtual.invalidate() }
}
