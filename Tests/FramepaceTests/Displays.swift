import FrameTiming
import Framepace
import FramepaceTesting
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
    if let loop { memory?.wait.add(to: loop, mode: .common) }
    stable.replace(with: memory)
  }

  func add(to loop: FrameLoop, mode: FrameLoop.Mode) {
    self.loop = loop
    memory?.wait.add(to: loop, mode: mode)
  }

  func invalidate() {
    stable.invalidate()
    ticker.invalidate()
  }
}

/// A display around another one that takes its time, refuses frames, loses its buffers or gets stuck. It records what it shows.
@MainActor
final class FaultyDisplay<Inner: Display>: Display, Presenter {
  let inner: Inner
  let ticker: DisplayTicker
  let observers = Observers<DisplayEvent>()
  var onEvent: (@MainActor (PresenterEvent) -> Void)?
  /// The time that handing a frame over takes.
  var time: Nanoseconds
  /// The number of coming frames that are refused as they are handed over.
  var refusals = 0
  /// True to refuse the pending frames instead of showing the first of them.
  var refusesLate: () -> Bool = { false }
  /// True to take one frame and say nothing any more.
  var isStuck = false
  /// True while there is no screen: what was on its way is never seen.
  var isAway = false {
    didSet { loseBuffers(.reset) }
  }

  /// The middle pixel of every frame that was shown.
  private(set) var shown: [(pixel: UInt32, feedback: PresentationFeedback)] = []
  /// The middle pixels of the frames that are not shown yet.
  private(set) var pending: [UInt32] = []
  /// The number of buffers that were lost between acquiring and presenting.
  private(set) var lostBuffers = 0
  /// The number of frames that were presented in a lost buffer.
  private(set) var staleFrames = 0

  private let clock: ManualClock
  private var isAcquired = false
  /// The number of frames that the inner display will show and that count as lost.
  private var lostFrames = 0

  /// - Parameter ticker: nil for the inner display's own.
  init(_ inner: Inner, ticker: DisplayTicker? = nil, time: Nanoseconds = .zero, clock: ManualClock) {
    self.inner = inner
    self.ticker = ticker ?? inner.ticker
    self.time = time
    self.clock = clock
    inner.presenter.onEvent = { [weak self] in self?.innerEvent($0) }
  }

  var name: String { inner.name }
  var reason: String { inner.reason }
  var presenter: any Presenter { self }
  var width: Int { inner.presenter.width }
  var height: Int { inner.presenter.height }
  var isReady: Bool { !isAway }

  func acquireBuffer() -> PresentationBuffer? {
    let buffer = isAway || isStuck && !pending.isEmpty ? nil : inner.presenter.acquireBuffer()
    isAcquired = buffer != nil
    return buffer
  }

  func present(_ buffer: PresentationBuffer, damage: DamageRegion, target: MonotonicTime?) throws {
    clock.advance(by: time)
    refusals -= 1
    if refusals >= 0 { throw SystemError(call: "present", errno: 16) }
    if !isAcquired { staleFrames += 1 }
    isAcquired = false
    try inner.presenter.present(buffer, damage: damage, target: target)
    let middle = buffer.target.bitmap?.row(height / 2).load(fromByteOffset: width / 2 * 4, as: UInt32.self)
    pending.append(middle ?? 0)
  }

  /// Forgets the pending frames and the acquired buffer, and tells the output so.
  func loseBuffers(_ event: PresenterEvent) {
    if isAcquired { lostBuffers += 1 }
    isAcquired = false
    lostFrames += pending.count
    pending = []
    onEvent?(event)
  }

  func add(to loop: FrameLoop, mode: FrameLoop.Mode) { inner.add(to: loop, mode: mode) }
  func invalidate() {
    inner.invalidate()
    ticker.invalidate()
  }

  private func innerEvent(_ event: PresenterEvent) {
    guard case .presented(let feedback) = event, !isStuck else { return }
    if lostFrames > 0 { return lostFrames -= 1 }
    let pixel = pending.removeFirst()
    if refusesLate() { return loseBuffers(.refused(SystemError(call: "a test", errno: 22))) }
    shown.append((pixel, feedback))
    onEvent?(event)
  }
}

extension FaultyDisplay where Inner == VirtualDisplay {
  convenience init(
    width: Int = 16, height: Int = 16, hertz: Double = 60, _ buffering: Buffering = .double, time: Nanoseconds = .zero,
    clock: ManualClock
  ) throws {
    let source = FallbackClock(
      refreshRate: RefreshRate(hertz: hertz) ?? .hertz60, reason: "a test", clock: .manual(clock))
    let virtual = try VirtualDisplay(
      width: width, height: height, source: source, reason: "a test", buffering: buffering, clock: .manual(clock))
    self.init(virtual, time: time, clock: clock)
  }
}

extension ManualStage where Screen == FaultyDisplay<VirtualDisplay> {
  /// A stage that begins at a whole second.
  convenience init(hertz: Double = 60, _ buffering: Buffering = .double, time: Nanoseconds = .zero) throws {
    try self.init { try FaultyDisplay(hertz: hertz, buffering, time: time, clock: $0) }
  }
}

extension ManualStage {
  /// Makes a frame at each tick: in steps of 1/16 from 0 to 7/16 of the root's opacity.
  func fadeAtEveryTick() -> DisplayLink {
    engine.makeDisplayLink { [root] link in
      Transaction.withoutActions { root.opacity = Double(link.frameNumber % 8) / 16 }
    }
  }

  /// A white square in the corner.
  func addSquare(side: Double = 8) -> Layer {
    let layer = Layer(frame: Rect(x: 0, y: 0, width: side, height: side))
    layer.backgroundColor = .white
    root.addSublayer(layer)
    return layer
  }

  /// A square whose corner changes in every frame, for longer than any test runs.
  func addAnimatedSquare() -> Layer {
    let layer = addSquare()
    layer.add(BasicAnimation(.cornerRadius, from: 0, to: 4, duration: .seconds(100)))
    return layer
  }
}
