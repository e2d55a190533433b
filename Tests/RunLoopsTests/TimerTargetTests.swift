import LinuxSystem
import LoopTestSupport
import Testing

@testable import RunLoops

@Suite struct TimerTargetTests {
  private final class Owner: Sendable {
    let words: Words
    init(_ words: Words) { self.words = words }
    deinit { words.add("gone") }
  }

  /// Runs a timer of an owner who dies between its second call and its third.
  private func play(invalidatesWithTarget: Bool) -> (timer: FrameLoop.Timer, words: String) {
    let scenario = Scenario()
    let words = scenario.words
    let owner = Box<Owner?>(Owner(words))
    let timer = FrameLoop.Timer(
      fireTime: .milliseconds(10), interval: .milliseconds(10), target: owner.value ?? Owner(words),
      invalidatesWithTarget: invalidatesWithTarget
    ) { owner, timer in owner.words.add("tick@\(timer.nextFireTime.nanoseconds / 1_000_000)") }
    scenario.loop.add(timer, to: .default)
    scenario.timer("death", at: 25) { _ in owner.value = nil }
    scenario.timer("end", at: 45)
    scenario.run(until: 50)
    return (timer, words.description)
  }

  @Test func aTimerMayEndWithItsTarget() {
    let (timer, words) = play(invalidatesWithTarget: true)
    #expect(words == "tick@10 tick@20 death gone end →finished")
    #expect(!timer.isValid)
  }

  @Test func orGoOnWithoutCalls() {
    let (timer, words) = play(invalidatesWithTarget: false)
    #expect(words == "tick@10 tick@20 death gone end →timedOut")
    #expect(timer.isValid && timer.nextFireTime == .milliseconds(60))
  }

  @Test func aTargetLivesWhileItsTimerIsCalled() {
    let scenario = Scenario()
    let words = scenario.words
    let owner = Box<Owner?>(Owner(words))
    let timer = FrameLoop.Timer(fireTime: .zero, target: owner.value ?? Owner(words)) { target, timer in
      owner.value = nil
      target.words.add("still here")
    }
    scenario.loop.add(timer, to: .default)
    scenario.run(until: 1)
    #expect(words.description == "still here gone →finished")
  }
}
