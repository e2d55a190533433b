import LinuxSystem
import LoopTestSupport
import RunLoops
import Testing

@Suite struct AlarmTests {
  let scenario = Scenario()

  private func alarm(tolerance: Nanoseconds = .zero, _ body: @escaping @Sendable () -> Void = {}) -> FrameLoop.Alarm {
    let alarm = FrameLoop.Alarm(
      tolerance: tolerance,
      .onLoop { [words = scenario.words, clock = scenario.clock, unowned loop = scenario.loop] in
        words.add("at \(clock.now.nanoseconds / 1_000_000)")
        body()
        // Time stands still while an alarm is always due.
        if words.all.count >= 12 { loop.stop() }
      })
    scenario.loop.add(alarm, to: .default)
    return alarm
  }

  @Test func firesOncePerTimeThatIsSetAndCanBeMovedOrPutToRest() {
    let alarm = alarm()
    #expect(alarm.fireTime == nil)
    scenario.run(until: 10)
    alarm.fireTime = .milliseconds(20)
    scenario.run(until: 30)
    alarm.fireTime = .milliseconds(35)
    alarm.fireTime = .milliseconds(40)
    scenario.run(until: 50)
    alarm.fireTime = .milliseconds(60)
    alarm.fireTime = nil
    scenario.run(until: 70)
    #expect(scenario.words.description == "→timedOut at 20 →timedOut at 40 →timedOut →timedOut")
    #expect(alarm.isValid)
  }

  @Test func aTimeThatHasPassedFiresAtOnce() {
    let alarm = alarm()
    scenario.clock.advance(to: .milliseconds(5))
    alarm.fireTime = .milliseconds(1)
    #expect(alarm.fireTime == .milliseconds(5))
    scenario.run(until: 9)
    #expect(scenario.words.description == "at 5 →timedOut")
  }

  @Test func restsInItsHandlerWhichMaySetItAgain() {
    let times = Box<[MonotonicTime?]>([])
    let reference = Box<FrameLoop.Alarm?>(nil)
    let alarm = alarm {
      times.value.append(reference.value?.fireTime)
      if times.value.count < 3 { reference.value?.fireTime = .milliseconds(Int64(times.value.count) * 10) }
    }
    reference.value = alarm
    alarm.fireTime = .milliseconds(3)
    scenario.run(until: 50)
    #expect(scenario.words.description == "at 3 at 10 at 20 →timedOut")
    #expect(times.value == [nil, nil, nil])
    reference.value = nil
  }

  @Test func toleranceLetsItWaitForAnotherTimer() {
    let alarm = alarm(tolerance: .milliseconds(6))
    alarm.fireTime = .milliseconds(10)
    scenario.timer("timer", at: 15)
    scenario.run(until: 30)
    #expect(scenario.words.description == "at 15 timer →timedOut")
  }

  @Test func keepsARunAliveUntilItIsInvalidated() {
    let alarm = alarm()
    scenario.timer("end", at: 5) { _ in alarm.invalidate() }
    scenario.run(until: 10)
    #expect(scenario.words.description == "end →finished")
    scenario.loop.add(alarm, to: .default)
    #expect(!scenario.loop.contains(alarm, in: .default))
  }
}
