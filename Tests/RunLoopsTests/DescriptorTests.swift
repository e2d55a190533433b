import Glibc
import LinuxSystem
import LoopTestSupport
import Testing

@testable import RunLoops

@Suite struct DescriptorTests {
  @Test func aPassServesOneDescriptorAndTheyTakeTurns() {
    let scenario = Scenario(observing: [.beforeTimers])
    let events = [Event(), Event(), Event()]
    for (index, event) in events.enumerated() {
      event.post()
      scenario.descriptor("\(index)", event.number) { [words = scenario.words, unowned loop = scenario.loop] _, found in
        if words.all.count == 8 { loop.stop() }
        #expect(found == .readable)
      }
    }
    scenario.run(until: 1)
    #expect(scenario.words.description == "timers 0 timers 1 timers 2 timers 0 →stopped")
  }

  @Test func aLoopThatHasNoTimeToSleepServesTimersAndDescriptors() {
    let scenario = Scenario()
    scenario.source("source") { [words = scenario.words, unowned loop = scenario.loop] source in
      if words.all.count < 5 { source.signal() } else { loop.stop() }
    }.signal()
    let event = Event()
    event.post()
    scenario.descriptor("descriptor", event.number) { _, _ in event.consume() }
    scenario.timer("timer", at: 0)
    scenario.run(until: 1)
    #expect(scenario.words.description == "source timer source descriptor source →stopped")
  }

  /// A timer that is always due and a descriptor that is always ready, from the first pass to the last.
  @Test func manualTimeServesTimersAndPortsInTurn() {
    let scenario = Scenario()
    let event = Event()
    event.post()
    scenario.descriptor("port", event.number)
    scenario.timer("timer", at: 0, every: 1) { [unowned loop = scenario.loop, words = scenario.words] timer in
      timer.nextFireTime = .zero
      if words.count("timer") == 4 { loop.stop() }
    }
    scenario.run(until: 10)
    #expect(scenario.words.description == "timer port timer port timer port timer →stopped")
  }

  @Test func severalSourcesShareADescriptor() throws {
    let scenario = Scenario()
    let words = scenario.words
    var ends: [Int32] = [0, 0]
    #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
    let number = ends[0]
    defer { close(number) }
    let reader = scenario.descriptor("read", number) { _, events in words.add("\(events.contains(.hangUp))") }
    scenario.descriptor("write", number, for: .writable) { source, events in
      words.add("\(events.contains(.readable))")
      source.invalidate()
    }
    scenario.run(until: 0)
    #expect(words.description == "write false →timedOut")
    close(ends[1])
    scenario.run(until: 0)
    scenario.loop.remove(reader, from: .default)
    scenario.run(until: 0)
    #expect(words.description == "write false →timedOut read true →timedOut →finished")
  }

  @Test func whatTheKernelRefusesIsInvalid() throws {
    let scenario = Scenario()
    let file = try OwnedDescriptor.open("/proc/self/exe", flags: O_RDONLY)
    for (number, error) in [(file.number, EPERM), (-1, EBADF), (1_000_000, EBADF)] {
      let source = FrameLoop.DescriptorSource(descriptor: number, .onLoop { _, _ in })
      scenario.loop.add(source, to: .default)
      #expect(!source.isValid && !scenario.loop.contains(source, in: .default))
      #expect(source.error == SystemError(call: "epoll_ctl", subject: "descriptor \(number)", errno: error))
    }
    scenario.run(until: 1)
    #expect(scenario.words.description == "→finished")
  }

  @Test func aNumberThatWasClosedAndOpenedAnewIsWatchedAnew() {
    let scenario = Scenario()
    var pipe: [Int32] = [0, 0]
    #expect(Glibc.pipe(&pipe) == 0)
    let number = pipe[0]
    let old = scenario.descriptor("old", number)
    let event = Event()
    event.post()
    // The number means something else now; the kernel has forgotten the pipe.
    #expect(dup2(event.number, number) == number)
    let new = scenario.descriptor("new", number)
    old.invalidate()
    scenario.run(until: 0)
    #expect(new.isValid && scenario.words.description == "new →timedOut")
    new.invalidate()
    close(number)
    close(pipe[1])
  }

  @Test func aSourceThatItsNeighbourInvalidatedIsNotCalled() {
    let scenario = Scenario()
    let event = Event()
    event.post()
    let second = Box<FrameLoop.DescriptorSource?>(nil)
    scenario.descriptor("first", event.number) { _, _ in second.value?.invalidate() }
    second.value = scenario.descriptor("second", event.number)
    scenario.run(until: 0)
    #expect(scenario.words.description == "first →timedOut")
  }
}
