import CLinux
import Glibc
import LinuxSystem
import LoopTestSupport
import RunLoops

/// The `FrameLoop`.
final class FrameLoopUnderTest: LoopUnderTest {
  private let loop: FrameLoop
  private let start: MonotonicTime

  private init(_ loop: FrameLoop) {
    self.loop = loop
    start = loop.clock.now
  }

  static func current() -> FrameLoopUnderTest { FrameLoopUnderTest(.current) }
  /// Makes a loop on manual time, which moves only when the loop waits. Use it for plays that pass time by waiting only.
  static func onManualTime() -> FrameLoopUnderTest { FrameLoopUnderTest(FrameLoop(clock: .manual(ManualClock()))) }

  // MARK: Items

  func observer(
    _ activities: FrameLoop.Activity, order: Int, repeats: Bool, _ body: @escaping @Sendable (FrameLoop.Activity) -> Void
  ) -> any ItemUnderTest {
    FrameLoop.Observer(activities, order: order, repeats: repeats, .onLoop { _, activity in body(activity) })
  }

  func source(
    order: Int, report: (@Sendable (String) -> Void)?, _ body: @escaping @Sendable () -> Void
  ) -> any SourceUnderTest {
    let tell: (String) -> FrameLoop.Source.ModeHandler? = { sign in
      guard let report else { return nil }
      return { _, _, mode in report("\(sign)\(mode)") }
    }
    return FrameLoop.Source(order: order, scheduled: tell("+"), cancelled: tell("-"), .onLoop { _ in body() })
  }

  func descriptor(consumes: Bool, _ body: @escaping @Sendable () -> Void) -> any DescriptorUnderTest {
    EventSource(consumes: consumes, body)
  }

  func timer(
    at time: Double, every interval: Double, tolerance: Double, _ body: @escaping @Sendable () -> Void
  ) -> any TimerUnderTest {
    let timer = FrameLoop.Timer(fireTime: absolute(time), interval: .seconds(interval / 1_000), .onLoop { _ in body() })
    timer.tolerance = .seconds(tolerance / 1_000)
    return TimerOnScale(timer, start: start)
  }

  func add(_ item: any ItemUnderTest, to mode: String) { loop.add(wrapped(item), to: FrameLoop.Mode(mode)) }
  func remove(_ item: any ItemUnderTest, from mode: String) { loop.remove(wrapped(item), from: FrameLoop.Mode(mode)) }
  func contains(_ item: any ItemUnderTest, in mode: String) -> Bool {
    loop.contains(wrapped(item), in: FrameLoop.Mode(mode))
  }

  private func wrapped(_ item: any ItemUnderTest) -> any FrameLoop.Item {
    switch item {
    case let event as EventSource: event.source
    case let timer as TimerOnScale: timer.timer
    case let item as any FrameLoop.Item: item
    default: fatalError("an item of another kind of loop")
    }
  }

  func addCommonMode(_ mode: String) { loop.addCommonMode(FrameLoop.Mode(mode)) }

  // MARK: Runs

  func perform(in modes: [String], _ block: @escaping @Sendable () -> Void) {
    loop.perform(in: modes.map(FrameLoop.Mode.init(_:)), block)
  }

  func run() { loop.run() }

  func run(in mode: String, for milliseconds: Double, returnAfterSourceHandled: Bool) -> FrameLoop.RunResult {
    let limit = loop.clock.now + .seconds(milliseconds / 1_000)
    return loop.run(mode: FrameLoop.Mode(mode), until: limit, returnAfterSourceHandled: returnAfterSourceHandled)
  }

  func stop() { loop.stop() }
  func wakeUp() { loop.wakeUp() }

  var now: Double { relative(loop.clock.now) }
  var overdue: Double {
    // The step makes every time unique.
    loop.clock.manual?.advance(by: .microseconds(1))
    return now
  }
  var isWaiting: Bool { loop.isWaiting }
  var currentMode: String? { loop.currentMode?.name }
  func nextFireTime(in mode: String) -> Double? { loop.nextTimerFireTime(in: FrameLoop.Mode(mode)).map(relative) }

  private func absolute(_ milliseconds: Double) -> MonotonicTime { start + .seconds(milliseconds / 1_000) }
  private func relative(_ time: MonotonicTime) -> Double { Double((time - start).count) / 1e6 }
}

extension FrameLoop.Observer: ItemUnderTest {}
extension FrameLoop.Source: SourceUnderTest {}

private final class TimerOnScale: TimerUnderTest {
  let timer: FrameLoop.Timer
  private let start: MonotonicTime

  init(_ timer: FrameLoop.Timer, start: MonotonicTime) {
    self.timer = timer
    self.start = start
  }

  var isValid: Bool { timer.isValid }
  func invalidate() { timer.invalidate() }
  var nextFireTime: Double {
    get { Double((timer.nextFireTime - start).count) / 1e6 }
    set { timer.nextFireTime = start + .seconds(newValue / 1_000) }
  }
}

private final class EventSource: DescriptorUnderTest {
  let source: FrameLoop.DescriptorSource
  private let event: Event

  init(consumes: Bool, _ body: @escaping @Sendable () -> Void) {
    let event = Event()
    self.event = event
    source = FrameLoop.DescriptorSource(
      descriptor: event.number,
      .onLoop { _, _ in
        if consumes { event.consume() }
        body()
      })
  }

  var isValid: Bool { source.isValid }
  func invalidate() { source.invalidate() }
  func post() { event.post() }
}
