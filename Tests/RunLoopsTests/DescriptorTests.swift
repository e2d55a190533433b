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
      scenario.loop.add(
        FrameLoop.DescriptorSource(
          descriptor: event.number,
          .onLoop {
            [words = scenario.words, unowned loop = scenario.loop] _, found in
            words.add("\(index)")
            if words.all.count == 8 { loop.stop() }
            #expect(found == .readable)
          }), to: .default)
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
    scenario.loop.add(
      FrameLoop.DescriptorSource(
        descriptor: event.number,
        .onLoop { [words = scenario.words] _, _ in
          words.add("descriptor")
          event.consume()
        }), to: .default)
    scenario.timer("timer", at: 0)
    scenario.run(until: 1)
    #expect(scenario.words.description == "source timer source descriptor source →stopped")
  }

  @Test func aHandledDescriptorIsASource() {
    let scenario = Scenario()
    let event = Event()
    event.post()
    scenario.loop.add(
      FrameLoop.DescriptorSource(descriptor: event.number, .onLoop { _, _ in event.consume() }), to: .default)
    scenario.run(until: 1, returnAfterSourceHandled: true)
    scenario.run(until: 1, returnAfterSourceHandled: true)
    #expect(scenario.words.description == "→handledSource →timedOut")
  }

  @Test func severalSourcesShareADescriptor() throws {
    let scenario = Scenario()
    let words = scenario.words
    var ends: [Int32] = [0, 0]
    #expect(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
    let number = ends[0]
    defer { close(number) }
    let reader = FrameLoop.DescriptorSource(
      descriptor: number,
      .onLoop { source, events in
        words.add("read:\(events.contains(.hangUp))")
      })
    let writer = FrameLoop.DescriptorSource(
      descriptor: number, events: .writable,
      .onLoop { source, events in
        words.add("write:\(events.contains(.readable))")
        source.invalidate()
      })
    scenario.loop.add(reader, to: .default)
    scenario.loop.add(writer, to: .default)
    scenario.run(until: 0)
    #expect(words.description == "write:false →timedOut")
    close(ends[1])
    scenario.run(until: 0)
    scenario.loop.remove(reader, from: .default)
    scenario.run(until: 0)
    #expect(words.description == "write:false →timedOut read:true →timedOut →finished")
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
    let words = scenario.words
    var pipe: [Int32] = [0, 0]
    #expect(Glibc.pipe(&pipe) == 0)
    let number = pipe[0]
    let old = FrameLoop.DescriptorSource(descriptor: number, .onLoop { _, _ in words.add("old") })
    scenario.loop.add(old, to: .default)
    let event = Event()
    event.post()
    // The number means something else now; the kernel has forgotten the pipe.
    #expect(dup2(event.number, number) == number)
    let new = FrameLoop.DescriptorSource(descriptor: number, .onLoop { _, _ in words.add("new") })
    scenario.loop.add(new, to: .default)
    old.invalidate()
    scenario.run(until: 0)
    #expect(new.isValid && words.description == "new →timedOut")
    new.invalidate()
    close(number)
    close(pipe[1])
  }

  @Test func aSourceThatItsNeighbourInvalidatedIsNotCalled() {
    let scenario = Scenario()
    let event = Event()
    event.post()
    let second = FrameLoop.DescriptorSource(
      descriptor: event.number,
      .onLoop { [words = scenario.words] _, _ in words.add("second")
      })
    let first = FrameLoop.DescriptorSource(
      descriptor: event.number,
      .onLoop { [words = scenario.words] _, _ in
        words.add("first")
        second.invalidate()
      })
    scenario.loop.add(first, to: .default)
    scenario.loop.add(second, to: .default)
    scenario.run(until: 0)
    #expect(scenario.words.description == "first →timedOut")
  }
}
