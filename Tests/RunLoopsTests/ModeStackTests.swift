import LinuxSystem
import LoopTestSupport
import RunLoops
import Testing

@Suite struct ModeStackTests {
  let scenario = Scenario()

  /// Runs the top mode again and again until a time has passed.
  private func run(_ modes: FrameLoop.ModeStack, until milliseconds: Int64) {
    var result = FrameLoop.RunResult.stopped
    while result == .stopped {
      scenario.words.add("\(modes.top):")
      result = scenario.loop.run(mode: modes.top, until: .milliseconds(milliseconds))
    }
  }

  /// Safe to share: callbacks and test are on one thread.
  private final class Shared: @unchecked Sendable {
    let modes: FrameLoop.ModeStack
    var entries: [FrameLoop.ModeStack.Entry] = []
    init(_ modes: FrameLoop.ModeStack) { self.modes = modes }
  }

  @Test func pushingEndsTheRunAndTheNextOneServesTheNewTop() {
    let shared = Shared(FrameLoop.ModeStack(of: scenario.loop))
    scenario.timer("a", at: 1, every: 2)
    scenario.timer("push", at: 2) { _ in shared.entries.append(shared.modes.push(.tracking)) }
    scenario.timer("b", at: 4, every: 2, mode: .tracking) { timer in
      if timer.nextFireTime == .milliseconds(6) { shared.entries.removeLast().pop() }
    }
    run(shared.modes, until: 8)
    #expect(scenario.words.description == "default: a push tracking: b b default: a a")
    #expect(shared.modes.top == .default)
  }

  @Test func anEntryBelowTheTopIsPoppedWithoutEndingTheRun() {
    let shared = Shared(FrameLoop.ModeStack(of: scenario.loop, base: "base"))
    let low = shared.modes.push("low")
    let high = shared.modes.push("high")
    shared.entries = [low]
    scenario.timer("pop", at: 1, mode: "high") { _ in shared.entries[0].pop() }
    scenario.timer("end", at: 2, mode: "high")
    scenario.timer("base", at: 0, mode: "base")
    run(shared.modes, until: 3)
    high.pop()
    high.pop()
    run(shared.modes, until: 4)
    #expect(scenario.words.description == "high: pop end base: base")
  }
}
