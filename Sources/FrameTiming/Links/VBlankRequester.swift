import LinuxSystem
import RunLoops

/// Asks a source for vblanks, and not in a loop.
///
/// A vblank that is no news is asked for again: the first time at once, since the source answered the request before with what
/// was on its way. If that brings nothing new either, the next request waits until half an interval after the last. (A source
/// that answers each request at once with the vblank before would otherwise keep the loop from ever sleeping.)
@MainActor
final class VBlankRequester {
  private let source: any VBlankSource
  private var pace = RequestPace()
  private var memberships: [(loop: FrameLoop, mode: FrameLoop.Mode)] = []
  /// For requests that wait. Made when the first one does.
  private var timer: FrameLoop.Timer?

  init(source: any VBlankSource) {
    self.source = source
  }

  /// Requests in a row that brought nothing new.
  var fruitlessRequests: Int { pace.inARow }

  func request(now: MonotonicTime) {
    pace.asked(at: now)
    source.requestVBlank()
  }

  /// What was asked for has come, and was no news.
  func requestAgain(now: MonotonicTime) {
    switch pace.askAgain(at: now, interval: source.refreshRate.interval) {
    case .now: source.requestVBlank()
    case .later(let time): wait(until: time)
    case .never: break
    }
  }

  /// What was asked for has come.
  func succeeded() {
    pace.succeeded()
    cancel()
  }

  /// It is not wanted any more.
  func cancel() {
    if pace.cancel() { timer?.nextFireTime = .distantFuture }
  }

  func add(to loop: FrameLoop, mode: FrameLoop.Mode) {
    source.add(to: loop, mode: mode)
    if !memberships.contains(where: { $0.loop === loop && $0.mode == mode }) { memberships.append((loop, mode)) }
    if let timer { loop.add(timer, to: mode) }
  }

  func remove(from loop: FrameLoop, mode: FrameLoop.Mode) {
    source.remove(from: loop, mode: mode)
    memberships.removeAll { $0.loop === loop && $0.mode == mode }
    if let timer { loop.remove(timer, from: mode) }
  }

  func invalidate() {
    source.invalidate()
    timer?.invalidate()
    timer = nil
    memberships = []
  }

  private func wait(until time: MonotonicTime) {
    let timer = self.timer ?? makeTimer()
    self.timer = timer
    timer.nextFireTime = time
  }

  private func makeTimer() -> FrameLoop.Timer {
    let timer = FrameLoop.Timer.parked { [weak self] in self?.fire() }
    for membership in memberships { membership.loop.add(timer, to: membership.mode) }
    return timer
  }

  private func fire() {
    guard let clock = memberships.first?.loop.clock, pace.waited(at: clock.now) else { return }
    source.requestVBlank()
  }
}

/// When a source may be asked again: a pure value.
struct RequestPace: Hashable, Sendable {
  enum Answer: Hashable, Sendable {
    case now
    case later(MonotonicTime)
    /// It is about to be asked already.
    case never
  }

  /// When the source was last asked.
  private var last = MonotonicTime.zero
  /// Requests since the last that was answered by something new.
  private(set) var inARow = 0
  private var isWaiting = false

  mutating func asked(at now: MonotonicTime) { last = now }

  /// The answer was no news.
  mutating func askAgain(at now: MonotonicTime, interval: Nanoseconds) -> Answer {
    if isWaiting { return .never }
    inARow += 1
    let earliest = inARow == 1 ? now : last + interval / 2
    if earliest <= now {
      last = now
      return .now
    }
    isWaiting = true
    return .later(earliest)
  }

  /// The time of a request that waited has come. False if it is not wanted any more.
  mutating func waited(at now: MonotonicTime) -> Bool {
    guard isWaiting else { return false }
    isWaiting = false
    last = now
    return true
  }

  /// The answer was news.
  mutating func succeeded() { inARow = 0 }

  /// Nothing is wanted any more.
  ///
  /// - Returns: whether a request waited.
  mutating func cancel() -> Bool {
    defer { isWaiting = false }
    return isWaiting
  }
}
