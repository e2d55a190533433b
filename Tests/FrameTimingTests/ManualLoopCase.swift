import LinuxSystem
import RunLoops
import XCTest

@testable import FrameTiming

/// A test on the process's main thread, with a loop on manual time. (XCTest calls synchronous tests there.)
class ManualLoopCase: XCTestCase {
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
  }

  nonisolated func onMain(_ body: @MainActor (Stage) throws -> Void) rethrows {
    try MainActor.assumeIsolated { try body(Stage()) }
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
  private(set) var modes: [FrameLoop.Mode] = []
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

  func add(to loop: FrameLoop, mode: FrameLoop.Mode) {
    if !modes.contains(mode) { modes.append(mode) }
  }

  func remove(from loop: FrameLoop, mode: FrameLoop.Mode) { modes.removeAll { $0 == mode } }
  func invalidate() { onVBlank = nil }

  /// Delivers a vblank inside a run of `loop`, whether it was asked for or not.
  func send(_ vblank: VBlank, on loop: FrameLoop, mode: FrameLoop.Mode = .default) {
    isRequested = false
    let timer = FrameLoop.Timer(fireTime: loop.clock.now, .onMain { [self] _ in onVBlank?(vblank) })
    loop.add(timer, to: mode)
    loop.run(mode: mode, until: loop.clock.now + Nanoseconds(1))
  }
}

extension RefreshRate {
  /// 100 Hz: an interval is 10 ms.
  static let hundred: RefreshRate = {
    guard let rate = RefreshRate(numerator: 100, denominator: 1) else { fatalError("100 Hz is in range") }
    return rate
  }()
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
