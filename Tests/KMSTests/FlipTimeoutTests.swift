import LinuxSystem
import Testing

@testable import KMS

@Suite struct FlipTimeoutTests {
  private static let start = MonotonicTime(nanoseconds: 1_000_000_000)

  @Test func anEventThatDoesNotComeIsMissed() {
    var timeout = FlipTimeout()
    let (first, second) = (Self.start + .seconds(1), Self.start + .milliseconds(1_010))
    #expect(timeout.begin(at: Self.start) == first)
    // Those of other displays, perhaps.
    #expect(timeout.look(at: first, hasUnread: true) == .look(at: second))
    #expect(timeout.look(at: second, hasUnread: false) == .giveUp)
    #expect(timeout.lostInARow == 1)
    // The next frame is a mode-set: that its event comes says nothing of flips.
    #expect(timeout.begin(at: second) != nil)
    timeout.end(isFlipSeen: false)
    #expect(timeout.lostInARow == 1)
    #expect(timeout.begin(at: second) == nil)
    timeout.end(isFlipSeen: true)
    #expect(timeout.lostInARow == 0)
  }

  /// The program slept for longer than any event may take: what came meanwhile is read first.
  @Test func aPauseOfTheWholeProgramLosesNothing() {
    var timeout = FlipTimeout()
    _ = timeout.begin(at: Self.start)
    let late = Self.start + .seconds(60)
    #expect(timeout.look(at: late, hasUnread: true) == .look(at: late + FlipTimeout.grace))
    timeout.end(isFlipSeen: true)
    #expect(timeout.look(at: late + FlipTimeout.grace, hasUnread: false) == .rest)
    #expect(timeout.lostInARow == 0)
  }

  /// Random frames, events that come or not, and a timer that is late: no event that comes within a second is missed,
  /// each that does not is within a second and the timer's lateness, and the timer is set once at most and never for nothing.
  @Test func randomFrames() {
    let seed = UInt64.random(in: 0...999_999)
    print("FlipTimeout seed \(seed)")
    var random = SplitMix64(seed: seed)
    var timeout = FlipTimeout()
    var now = Self.start
    var timer: MonotonicTime?
    var pendingSince: MonotonicTime?
    /// When the pending frame's event comes; nil for never.
    var event: MonotonicTime?
    var (given, missed, lost) = (0, 0, 0)
    let lateness = Nanoseconds.milliseconds(50)
    for _ in 0..<50_000 {
      // What happens next: the event, the timer, or after a while a frame.
      let idle = now + .milliseconds(Int64.random(in: 0...3_000, using: &random))
      let next = [event, timer.map { $0 + lateness }, pendingSince == nil ? idle : nil].compactMap(\.self).min()
      guard let next else { return #expect(Bool(false), "a frame pends and nobody looks") }
      now = max(now, next)
      if let time = event, time <= now {
        (event, pendingSince) = (nil, nil)
        timeout.end(isFlipSeen: true)
      } else if let time = timer, time + lateness <= now {
        timer = nil
        let isRead = random.chance(0.9)
        switch timeout.look(at: now, hasUnread: !isRead) {
        case .rest: #expect(pendingSince == nil)
        case .look(let time):
          #expect(pendingSince != nil && time > now)
          timer = time
        case .giveUp:
          #expect(isRead)
          guard let since = pendingSince else { return #expect(Bool(false), "nothing pends") }
          #expect(event == nil || event.map { $0 - since >= FlipTimeout.limit } == true)
          #expect(now - since >= FlipTimeout.limit)
          #expect(now - since <= FlipTimeout.limit + (FlipTimeout.grace + lateness) * 8)
          (event, pendingSince) = (nil, nil)
          missed += 1
        }
      } else {
        given += 1
        pendingSince = now
        let isLost = random.chance(0.02)
        lost += isLost ? 1 : 0
        event = isLost ? nil : now + .microseconds(Int64.random(in: 1...999_000, using: &random))
        if let time = timeout.begin(at: now) {
          #expect(timer == nil)
          timer = time
        } else {
          #expect(timer != nil)
        }
      }
    }
    #expect(missed == lost || missed == lost - 1)
    #expect(missed > 100 && given > 10_000)
  }
}
