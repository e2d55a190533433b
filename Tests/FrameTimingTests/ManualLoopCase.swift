import LinuxSystem
import RunLoops
import XCTest

@testable import FrameTiming

/// A test on the process's main thread, with a loop on manual time. (XCTest calls synchronous tests there.)
@preconcurrency @MainActor class ManualLoopCase: XCTestCase {
  @MainActor
  final class Stage {
    let time = ManualClock(start: MonotonicTime(nanoseconds: 1_000_000_000))
    let loop: FrameLoop
    var clock: SystemClock { loop.clock }

    init() {
      loop = FrameLoop(clock: .manual(time))
    }

    /// Runs the loop for `duration` of its time.
    func run(_ duration: Nanoseconds, mode: FrameLoop.Mode = .default) {
      let limit = time.now + duration
      loop.run(mode: mode, until: limit)
      // A mode with nothing in it ends at once.
      time.advance(to: limit)
    }

    /// A ticker of a clock at 100 Hz.
    func clockTicker() -> DisplayTicker {
      DisplayTicker(source: FallbackClock(refreshRate: .hundred, reason: "a test", clock: clock))
    }

    /// A source at 100 Hz that the test drives, and its ticker.
    func countingTicker() -> (CountingSource, DisplayTicker) {
      let source = CountingSource(refreshRate: .hundred)
      return (source, DisplayTicker(source: source))
    }

    /// Adds a link in the default mode, and keeps its ticks.
    @discardableResult
    func link(
      to ticker: DisplayTicker, _ body: @escaping @MainActor (DisplayLink) -> Void = { _ in }
    ) -> (link: DisplayLink, log: TickLog) {
      let log = TickLog()
      let link = DisplayLink(ticker: ticker) { link in
        if let tick = link.tick { log.ticks.append(tick) }
        body(link)
      }
      link.add(to: loop, mode: .default)
      return (link, log)
    }

    /// Lets time pass until a vblank, and delivers it.
    func send(_ source: CountingSource, at timestamp: MonotonicTime, _ sequence: UInt64) {
      time.advance(to: timestamp)
      source.send(VBlank(timestamp: timestamp, sequence: sequence), on: loop)
    }
  }

  /// The ticks of a link.
  @MainActor
  final class TickLog {
    var ticks: [DisplayLink.Tick] = []
  }
}

/// A vblank source on an exact grid that a test drives by hand, and that counts what is asked of it.
@MainActor
final class CountingSource: VBlankSource {
  let name = "counting source"
  let refreshRate: RefreshRate
  var onVBlank: (@MainActor (VBlank) -> Void)?
  private(set) var requests = 0
  private(set) var isRequested = false
  let loopItem: any FrameLoop.Item = FrameLoop.Source(.onMain { _ in })
  /// The source's answer to the question for its newest vblank.
  var newest: VBlank?
  private(set) var questions = 0

  init(refreshRate: RefreshRate) {
    self.refreshRate = refreshRate
  }

  func requestVBlank() {
    requests += 1
    isRequested = true
  }

  func newestVBlank() -> VBlank? {
    questions += 1
    return newest
  }

  func invalidate() { onVBlank = nil }

  /// Delivers a vblank inside a run of `loop`, whether it was asked for or not.
  func send(_ vblank: VBlank, on loop: FrameLoop, mode: FrameLoop.Mode = .default) {
    isRequested = false
    let timer = FrameLoop.Timer(fireTime: loop.clock.now, .onMain { [self] _ in onVBlank?(vblank) })
    loop.add(timer, to: mode)
    loop.run(mode: mode, until: loop.clock.now + Nanoseconds(1))
  }
}

/// A vblank source at 100 Hz whose subclasses say when it answers a request, and with what.
@MainActor
class AnsweringSource: VBlankSource {
  let name: String
  let refreshRate = RefreshRate.hundred
  var onVBlank: (@MainActor (VBlank) -> Void)?
  private(set) var requests = 0
  let clock: SystemClock
  private lazy var alarm = FrameLoop.Alarm(.onMain { [weak self] in self?.answer() })

  init(name: String, clock: SystemClock) {
    (self.name, self.clock) = (name, clock)
  }

  /// The time of the answer to a request that is made now.
  func answerTime() -> MonotonicTime? { nil }
  func answer() {}

  final func requestVBlank() {
    requests += 1
    if let time = answerTime() { alarm.fireTime = time }
  }

  final var loopItem: any FrameLoop.Item { alarm }
  final func invalidate() { alarm.invalidate() }
}

extension RefreshRate {
  /// 100 Hz: an interval is 10 ms.
  static let hundred = hertz(100)
  /// The rate of a real display that says 60.
  static let hertz5995 = hertz(5995, over: 100)

  static func hertz(_ numerator: Int64, over denominator: Int64 = 1) -> RefreshRate {
    guard let rate = RefreshRate(numerator: numerator, denominator: denominator) else {
      fatalError("\(numerator)/\(denominator) Hz is out of range")
    }
    return rate
  }
}

extension DisplayTicker {
  /// Late start, with nothing left to learn: frames of 2 ms, handed over 2 ms before their vblanks.
  func learnShortFrames() {
    policy = .lateStart
    FramePacer.forShortFrames { observe($0) }
  }
}

extension FramePacer {
  /// The same for a pacer by itself.
  mutating func learnShortFrames() {
    policy = .lateStart
    Self.forShortFrames { observe($0, interval: RefreshRate.hundred.interval) }
  }

  fileprivate static func forShortFrames(_ body: (FrameRecord) -> Void) {
    var frame = FrameRecord()
    frame.delivered = .zero + .seconds(0.1)
    frame.start = frame.delivered
    frame.submitted = frame.delivered + .milliseconds(2)
    frame.target = frame.submitted + .milliseconds(2)
    frame.presented = frame.target
    for _ in 0..<64 { body(frame) }
  }
}
