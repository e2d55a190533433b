import LinuxSystem
import TestLength
import Testing

@testable import Wayland

@Suite struct FramePermissionTests {
  private let interval = Nanoseconds.milliseconds(16)

  private func time(_ milliseconds: Int64) -> MonotonicTime { .zero + .milliseconds(milliseconds) }

  /// A permission whose window has its size, and shows its first frame from 0 on.
  private func shown() -> FramePermission {
    var permission = FramePermission()
    #expect(permission.isHidden && !permission.mayDraw)
    let change = permission.handle(.configured, at: .zero, interval: interval)
    #expect(change == .shown)
    return permission
  }

  @Test func aFrameWaitsForItsCallback() {
    var permission = shown()
    #expect(permission.mayDraw && permission.deadline(interval: interval) == nil)
    let committed = permission.handle(.committed, at: time(1), interval: interval)
    #expect(committed == nil && !permission.mayDraw && !permission.isHidden)
    #expect(permission.deadline(interval: interval) == time(101))
    let called = permission.handle(.callback, at: time(9), interval: interval)
    #expect(called == nil && permission.mayDraw && permission.deadline(interval: interval) == nil)
  }

  @Test func aWithheldCallbackHidesTheWindowUntilItComes() {
    var permission = shown()
    _ = permission.handle(.committed, at: time(1), interval: interval)
    let early = permission.handle(.alarm, at: time(100), interval: interval)
    #expect(early == nil && !permission.isHidden)
    let late = permission.handle(.alarm, at: time(101), interval: interval)
    #expect(late == .hidden && permission.isHidden && permission.deadline(interval: interval) == nil)
    let back = permission.handle(.callback, at: time(90_000), interval: interval)
    #expect(back == .shown && permission.mayDraw)
  }

  @Test func slowDisplaysHaveMoreTime() {
    #expect(FramePermission.limit(interval: .milliseconds(100)) == .milliseconds(300))
    #expect(FramePermission.limit(interval: .milliseconds(4)) == .milliseconds(100))
  }

  @Test func aSuspendedWindowIsHiddenAndDrawsAtOnceAfterwards() {
    var permission = shown()
    _ = permission.handle(.committed, at: time(1), interval: interval)
    let suspended = permission.handle(.suspended(true), at: time(2), interval: interval)
    #expect(suspended == .hidden && permission.deadline(interval: interval) == nil)
    // GNOME sends callbacks now and then.
    let called = permission.handle(.callback, at: time(1000), interval: interval)
    #expect(called == nil && permission.isHidden && !permission.mayDraw)
    let resumed = permission.handle(.suspended(false), at: time(2000), interval: interval)
    #expect(resumed == .shown && permission.mayDraw)
  }

  /// Whatever comes in whatever order: a hidden window may not draw, one that may has no callback to wait for, every change is told of,
  /// and a window that is not hidden for good is shown after a callback.
  @Test func anyOrderOfEvents() {
    for run in 0..<(isLongRun ? 100_000 : 2_000) {
      let seed = UInt64(runSeed) &* 100_000 &+ UInt64(run)
      var random = SplitMix64(seed: seed)
      var permission = FramePermission()
      var (now, isHidden, isConfigured, isSuspended) = (MonotonicTime.zero, true, false, false)
      for _ in 0..<40 {
        now += .milliseconds(Int64.random(in: 0...80, using: &random))
        let event: FramePermission.Event =
          switch Int.random(in: 0..<8, using: &random) {
          case 0: .configured
          case 1: .suspended(Bool.random(using: &random))
          case 2, 3: .callback
          case 4, 5: .alarm
          default: .committed
          }
        if case .committed = event, !permission.mayDraw { continue }
        if case .configured = event { isConfigured = true }
        if case .suspended(let isNow) = event { isSuspended = isNow }
        let deadline = permission.deadline(interval: interval)
        let change = permission.handle(event, at: now, interval: interval)
        #expect((change == nil) == (permission.isHidden == isHidden), "seed \(seed): \(event)")
        isHidden = permission.isHidden
        #expect(!(isHidden && permission.mayDraw), "seed \(seed): \(event)")
        #expect(!(permission.mayDraw && permission.deadline(interval: interval) != nil), "seed \(seed): \(event)")
        if case .alarm = event, let deadline { #expect(isHidden == (now >= deadline), "seed \(seed)") }
        if case .callback = event { #expect(isHidden == (!isConfigured || isSuspended), "seed \(seed)") }
      }
      _ = permission.handle(.ended, at: now, interval: interval)
      for event in [FramePermission.Event.callback, .configured, .suspended(false)] {
        let change = permission.handle(event, at: now, interval: interval)
        #expect(change == nil && permission.isHidden, "seed \(seed)")
      }
    }
  }
}
