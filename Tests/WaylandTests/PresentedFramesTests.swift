import LinuxSystem
import TestLength
import Testing

@testable import Wayland

@Suite struct PresentedFramesTests {
  private func time(_ milliseconds: Int64) -> MonotonicTime { .zero + .milliseconds(milliseconds) }

  @Test func framesAreToldOfInTheirOrder() {
    var frames = PresentedFrames(canTell: true)
    let first = frames.commit(expected: time(16))
    let second = frames.commit(expected: time(32))
    _ = frames.answer(second, .seen(time(33)), at: time(33))
    // Its feedback may still come.
    var told = frames.next(at: time(1000))
    #expect(told == nil)
    _ = frames.answer(first, .dropped, at: time(33))
    told = frames.next(at: time(1000))
    #expect(told == .dropped)
    told = frames.next(at: time(1000))
    #expect(told == .seen(time(33)))
    told = frames.next(at: time(1000))
    #expect(told == nil && frames.count == 0 && !frames.isSilent)
  }

  @Test func feedbackThatNeverComesHoldsNobodyUp() {
    var frames = PresentedFrames(canTell: true)
    _ = frames.commit(expected: time(16))
    _ = frames.commit(expected: time(32))
    let third = frames.commit(expected: time(48))
    _ = frames.answer(third, .seen(time(47)), at: time(47))
    let first = frames.next(at: time(1000))
    #expect(first == .assumed(time(16)))
    // One after it has an answer, and this one may get its own.
    let second = frames.next(at: time(1000))
    #expect(second == nil)
  }

  /// An answer is overdue when it takes longer than others did; while the compositor has not taken the frame, or nothing is known of
  /// others, after two and a half intervals.
  @Test func anAnswerIsOverdue() {
    var frames = PresentedFrames(canTell: true)
    let interval = Nanoseconds.milliseconds(16)
    #expect(frames.deadline(isTaken: true, interval: interval) == nil)
    let first = frames.commit(expected: time(16))
    #expect(frames.deadline(isTaken: true, interval: interval) == time(56))
    _ = frames.answer(first, .seen(time(16)), at: time(18))
    #expect(frames.deadline(isTaken: true, interval: interval) == nil)
    _ = frames.next(at: time(1000))
    _ = frames.commit(expected: time(32))
    #expect(frames.deadline(isTaken: false, interval: interval) == time(72))
    #expect(frames.deadline(isTaken: true, interval: interval) == time(38))
    _ = frames.commit(expected: time(48))
    #expect(frames.deadline(isTaken: false, interval: interval) == time(38))
    frames.giveUp()
    let told = frames.next(at: time(1000))
    #expect(told == .assumed(time(32)))
    #expect(frames.deadline(isTaken: false, interval: interval) == time(88))
  }

  @Test func aCompositorWithoutAnswersIsSilentAfterThreeCallbacks() {
    var frames = PresentedFrames(canTell: true)
    var open = 0
    for number in 1...3 {
      #expect(frames.wantsFeedback)
      open += 1
      _ = frames.commit(expected: time(Int64(number) * 16))
      let isSilent = frames.callback()
      #expect(isSilent == (number == PresentedFrames.patience.atFirst))
    }
    // Those before the newest were seen.
    for number in 1...2 {
      let told = frames.next(at: time(1000))
      #expect(told == .assumed(time(Int64(number) * 16)))
    }
    var told = frames.next(at: time(1000))
    #expect(told == nil && frames.isSilent && !frames.wantsFeedback)
    let isSeen = frames.vblank(at: time(1000), interval: .milliseconds(16))
    #expect(isSeen && frames.count == 0)
    // A late answer to any of them proves that it speaks.
    let isHeard = frames.answer(2, .seen(time(99)), at: time(99))
    #expect(isHeard && !frames.isSilent && frames.wantsFeedback)
    told = frames.next(at: time(1000))
    #expect(told == nil)
  }

  @Test func aSilentCompositorShowsOneFrameAtAVBlank() {
    var frames = PresentedFrames(canTell: false)
    _ = frames.commit(expected: time(16))
    _ = frames.commit(expected: time(32))
    // The first one is not over because the second is there.
    var told = frames.next(at: time(15))
    #expect(told == nil)
    told = frames.next(at: time(16))
    #expect(told == .assumed(time(16)))
    var isSeen = frames.vblank(at: time(16), interval: .milliseconds(16))
    #expect(!isSeen && frames.count == 1)
    isSeen = frames.vblank(at: time(32), interval: .milliseconds(16))
    #expect(isSeen && frames.count == 0)
  }

  @Test func aCompositorThatOnlyDropsFramesIsSilentToo() {
    var frames = PresentedFrames(canTell: true)
    for _ in 0..<2 {
      let serial = frames.commit(expected: time(16))
      _ = frames.answer(serial, .dropped, at: time(17))
      let told = frames.next(at: time(1000))
      #expect(told == .dropped)
      _ = frames.callback()
    }
    _ = frames.commit(expected: time(16))
    let isSilent = frames.callback()
    #expect(isSilent)
  }

  @Test func withoutTheProtocolNothingIsAsked() {
    var frames = PresentedFrames(canTell: false)
    #expect(frames.isSilent && !frames.wantsFeedback)
    _ = frames.commit(expected: time(16))
    let isSeen = frames.vblank(at: time(1000), interval: .milliseconds(16))
    let isSeenAgain = frames.vblank(at: time(1000), interval: .milliseconds(16))
    #expect(isSeen && !isSeenAgain)
  }

  /// Whatever a compositor answers, and in whatever order: each frame is told of once, in order, and no more than a few wait.
  @Test func anyOrderOfAnswers() {
    for run in 0..<(isLongRun ? 100_000 : 2_000) {
      let seed = UInt64(runSeed) &* 100_000 &+ UInt64(run)
      var random = SplitMix64(seed: seed)
      let missing: Double = [0.0, 0.1, 0.5, 1.0].randomElement(using: &random) ?? 0
      var frames = PresentedFrames(canTell: true)
      var (committed, told, now) = (0, 0, MonotonicTime.zero)
      var open: [UInt64] = []
      for _ in 0..<200 {
        now += .milliseconds(Int64.random(in: 1...10, using: &random))
        switch Int.random(in: 0..<4, using: &random) {
        case 0:
          let asks = frames.wantsFeedback
          let serial = frames.commit(expected: now + .milliseconds(16))
          committed += 1
          if asks, !random.chance(missing) { open.append(serial) }
          _ = frames.callback()
          while frames.next(at: now) != nil { told += 1 }
        case 1 where frames.isSilent:
          while frames.next(at: now) != nil { told += 1 }
          if frames.vblank(at: now, interval: .milliseconds(16)) { told += 1 }
        default:
          guard let place = open.indices.randomElement(using: &random) else { continue }
          _ = frames.answer(open.remove(at: place), random.chance(0.2) ? .dropped : .seen(now), at: now)
          while frames.next(at: now) != nil { told += 1 }
        }
        #expect(told + frames.count == committed, "seed \(seed)")
        #expect(frames.count <= 4, "seed \(seed)")
      }
      // Nothing stays if the compositor says no more: three callbacks, and a vblank of the clock.
      now += .milliseconds(100)
      for _ in 0..<PresentedFrames.patience.later { _ = frames.callback() }
      while frames.next(at: now) != nil { told += 1 }
      if frames.vblank(at: now, interval: .milliseconds(16)) { told += 1 }
      #expect(told == committed && frames.count == 0, "seed \(seed), \(missing) missing")
    }
  }
}
