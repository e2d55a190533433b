import LinuxSystem
import Testing

@testable import RunLoops

@Suite struct RunTests {
  @Test func aTimerMovesTheClock() {
    let scenario = Scenario(observing: .all)
    scenario.timer("tick", at: 10)
    scenario.run(until: 100)
    #expect(scenario.words.description == "entry timers sources sleep wake tick exit →finished")
    #expect(scenario.clock.now == .milliseconds(10))
  }
}
