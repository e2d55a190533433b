import Framepace
import FramepaceTesting
import RenderTree
import XCTest

/// A display whose flips are told in a turn of their own, a little before the vblank at which they happened ticks.
final class FlipBeforeTickTests: XCTestCase {
  /// A change that a link's callback makes at a vblank is seen at the next one, although the turn of the flip came first and an
  /// animation wanted a frame in it.
  func testTheTickRendersAndNotTheFlipBeforeIt() throws {
    try onMain {
      let stage = try Stage()
      stage.root.add(BasicAnimation(.cornerRadius, from: 0, to: 4, duration: .seconds(10)))
      let link = DisplayLink(ticker: stage.display.ticker) { link in stage.mark(link.targetTimestamp) }
      link.add(to: stage.loop, mode: .common)
      stage.run(.seconds(2))
      link.invalidate()
      stage.engine.invalidate()

      // The start is not in step yet.
      let shown = stage.display.shown.dropFirst(5)
      XCTAssertGreaterThan(shown.count, 190)
      for frame in shown { XCTAssertEqual(frame.pixel, Stage.pixel(for: frame.feedback.timestamp)) }
      for (earlier, later) in zip(shown, shown.dropFirst()) {
        XCTAssertEqual(later.feedback.sequence, earlier.feedback.sequence + 1)
      }
    }
  }

  /// Out of idle, and while only another link ticks, no turn waits for a tick that is not due.
  func testAChangeBetweenVBlanksIsRenderedInItsTurn() throws {
    try onMain {
      let stage = try Stage()
      stage.run(.milliseconds(100))
      for delay: Int64 in 2...9 {
        let made = stage.display.shown.count
        let change = (stage.loop.clock.now + .milliseconds(100 + delay))
        let timer = FrameLoop.Timer(fireTime: change, .onMain { _ in stage.mark(change) })
        stage.loop.add(timer, to: .common)
        stage.run(.milliseconds(200))
        let frame = try XCTUnwrap(stage.display.shown.dropFirst(made).first)
        XCTAssertEqual(stage.display.shown.count, made + 1)
        XCTAssertEqual(frame.feedback.timestamp, stage.display.source.point(after: change), "\(delay) ms after a vblank")
      }
      stage.engine.invalidate()
    }
  }
}

/// An engine on such a display, at 100 Hz.
@MainActor
private final class Stage {
  let root = Layer()
  let loop: FrameLoop
  let display: EarlyFlipDisplay
  let engine: Engine

  init() throws {
    loop = FrameLoop(clock: .manual(ManualClock(start: .zero + .seconds(1))))
    display = try EarlyFlipDisplay(clock: loop.clock)
    engine = Engine(display: display, root: root, loop: loop)
    root.cornerRadius = 1
    mark(loop.clock.now)
  }

  func run(_ duration: Nanoseconds) { loop.run(mode: .default, until: loop.clock.now + duration) }

  /// Paints the number of a vblank.
  func mark(_ time: MonotonicTime) {
    Transaction.withoutActions { root.backgroundColor = Color(hex: Self.pixel(for: time) & 0xFF_FFFF) }
  }

  static func pixel(for time: MonotonicTime) -> UInt32 {
    0xFF00_0000 | UInt32(truncatingIfNeeded: time.nanoseconds / 10_000_000) << 4
  }
}

@MainActor
private final class EarlyFlipDisplay: Display, Presenter {
  let name = "a test"
  let reason = "a test"
  let width = 16
  let height = 16
  let source: LateSource
  let ticker: DisplayTicker
  let observers = Observers<DisplayEvent>()
  var onEvent: (@MainActor (PresenterEvent) -> Void)?
  /// The middle pixel of every frame that was shown.
  private(set) var shown: [(pixel: UInt32, feedback: PresentationFeedback)] = []

  private let buffers: [PresentationBuffer]
  private var flip = FlipState(count: 2)
  private let clock: SystemClock
  private var timer: FrameLoop.Timer?

  init(clock: SystemClock) throws {
    self.clock = clock
    source = LateSource(clock: clock)
    ticker = DisplayTicker(source: source)
    buffers = try (0..<2).map { PresentationBuffer(bitmap: try Bitmap(width: 16, height: 16), index: $0) }
    timer = .once(at: .distantFuture) { [weak self] in self?.complete() }
  }

  var presenter: any Presenter { self }

  func acquireBuffer() -> PresentationBuffer? { flip.free.map { buffers[$0] } }

  func present(_ buffer: PresentationBuffer, damage: DamageRegion) {
    _ = flip.submit(buffer.index)
    timer?.nextFireTime = source.point(after: clock.now)
  }

  func add(to loop: FrameLoop, mode: FrameLoop.Mode) {
    if let timer { loop.add(timer, to: mode) }
  }

  func invalidate() {
    timer?.invalidate()
    ticker.invalidate()
  }

  private func complete() {
    guard flip.complete(), let index = flip.shown else { return }
    let feedback = PresentationFeedback(timestamp: clock.now, sequence: UInt64(clock.now.nanoseconds / 10_000_000))
    shown.append((buffers[index].bitmap.row(8).load(fromByteOffset: 32, as: UInt32.self), feedback))
    onEvent?(.presented(feedback))
  }
}

/// Vblanks every 10 ms, whose events come a millisecond after them.
@MainActor
private final class LateSource: VBlankSource {
  let name = "late"
  let refreshRate: RefreshRate
  var onVBlank: (@MainActor (VBlank) -> Void)?
  private let clock: SystemClock
  private var timer: FrameLoop.Timer?

  init(clock: SystemClock) {
    self.clock = clock
    refreshRate = RefreshRate(numerator: 100, denominator: 1) ?? .hertz60
    timer = .once(at: .distantFuture) { [weak self] in self?.fire() }
  }

  func point(after time: MonotonicTime) -> MonotonicTime {
    MonotonicTime(nanoseconds: (time.nanoseconds / 10_000_000 + 1) * 10_000_000)
  }

  func requestVBlank() { timer?.nextFireTime = point(after: clock.now) + .milliseconds(1) }

  func newestVBlank() -> VBlank? { vblank(at: point(after: clock.now) - .milliseconds(10)) }

  func add(to loop: FrameLoop, mode: FrameLoop.Mode) {
    if let timer { loop.add(timer, to: mode) }
  }

  func remove(from loop: FrameLoop, mode: FrameLoop.Mode) {
    if let timer { loop.remove(timer, from: mode) }
  }

  func invalidate() { timer?.invalidate() }

  private func vblank(at time: MonotonicTime) -> VBlank {
    VBlank(timestamp: time, sequence: UInt64(time.nanoseconds / 10_000_000))
  }

  private func fire() { onVBlank?(vblank(at: clock.now - .milliseconds(1))) }
}

extension FrameLoop.Timer {
  /// A timer that fires when its next time is set.
  @MainActor
  fileprivate static func once(at time: MonotonicTime, _ body: @escaping @MainActor () -> Void) -> FrameLoop.Timer {
    FrameLoop.Timer(
      fireTime: time, interval: Nanoseconds(.max),
      .onMain { timer in
        timer.nextFireTime = .distantFuture
        body()
      })
  }
}
