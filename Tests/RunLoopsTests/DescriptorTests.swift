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
      scenario.descriptor("\(index)", event) { [words = scenario.words, unowned loop = scenario.loop] _, found in
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
    scenario.descriptor("descriptor", event) { _, _ in event.consume() }
    scenario.timer("timer", at: 0)
    scenario.run(until: 1)
    #expect(scenario.words.description == "source timer source descriptor source →stopped")
  }

  /// A timer that is always due and a descriptor that is always ready, from the first pass to the last.
  @Test func manualTimeServesTimersAndPortsInTurn() {
    let scenario = Scenario()
    let event = Event()
    event.post()
    scenario.descriptor("port", event)
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
    scenario.descriptor("first", event) { _, _ in second.value?.invalidate() }
    second.value = scenario.descriptor("second", event)
    scenario.run(until: 0)
    #expect(scenario.words.description == "first →timedOut")
  }

  /// A copy of a descriptor with a number that no other test's next descriptor gets.
  private func copy(_ event: Event) -> Int32 { fcntl(event.number, F_DUPFD_CLOEXEC, 900) }

  /// The kernel goes on reporting a descriptor that was closed while a copy of it is open, and nothing can remove it.
  @Test(arguments: [false, true]) func aClosedDescriptorWithACopyDoesNotKeepTheLoopAwake(isNumberReused: Bool) {
    let scenario = Scenario()
    let (passes, closed, event) = (Box(0), Event(), Event())
    let number = copy(closed)
    closed.post()
    let old = scenario.descriptor("old", number)
    scenario.descriptor("event", event) { _, _ in event.consume() }
    let reused = Event()
    if isNumberReused { #expect(dup2(reused.number, number) == number) } else { close(number) }
    old.invalidate()
    if isNumberReused { scenario.descriptor("new", number) { _, _ in reused.consume() } }
    scenario.loop.add(
      FrameLoop.Observer(
        .beforeTimers,
        .onLoop { [unowned loop = scenario.loop] _, _ in
          passes.value += 1
          if passes.value == 50 { loop.stop() }
        }), to: .default)
    scenario.run(until: 10)
    #expect(scenario.words.description == "→timedOut" && passes.value < 10)
    event.post()
    reused.post()
    scenario.run(until: 20)
    #expect(scenario.words.all.sorted() == ["event"] + (isNumberReused ? ["new"] : []) + ["→timedOut", "→timedOut"])
    if isNumberReused { close(number) }
  }

  /// After it has forgotten such a descriptor the loop still hears of timers, wake-ups and its other descriptors; a source
  /// whose descriptor is closed learns it.
  @Test func aLoopThatForgotADescriptorHearsOfAllOthers() throws {
    let thread = try LoopThread(name: "forgets")
    let loop = thread.loop
    let (closed, event, timer) = (Event(), Event(), Latch())
    let (read, passes) = (Latch(), Box(0))
    let numbers = [copy(closed), copy(closed)]
    let sources = numbers.map { FrameLoop.DescriptorSource(descriptor: $0, events: .writable, .onLoop { _, _ in }) }
    try loop.performAndWait {
      for source in sources { loop.add(source, to: .default) }
      for number in numbers { close(number) }
      sources[0].invalidate()
    }
    spin { !sources[1].isValid }
    #expect(sources[1].error?.errno == EBADF)
    loop.add(FrameLoop.Observer(.beforeTimers, .onLoop { _, _ in passes.value += 1 }), to: .default)
    spin { loop.isWaiting }
    loop.add(
      FrameLoop.DescriptorSource(
        descriptor: event.number,
        .onLoop { source, _ in
          source.invalidate()
          read.open()
        }), to: .default)
    event.post()
    read.wait()
    try loop.perform(after: .milliseconds(1)) { timer.open() }
    timer.wait()
    #expect(try loop.performAndWait { true })
    #expect(passes.value < 20)
    withExtendedLifetime((closed, event)) {}
  }

  /// A descriptor that was closed, and is a copy of the same file again: the kernel has kept its registration.
  @Test(arguments: [false, true]) func aNumberThatIsTheSameFileAgainIsWatched(isOldRemovedFirst: Bool) {
    let scenario = Scenario()
    let event = Event()
    let number = copy(event)
    defer { close(number) }
    let old = scenario.descriptor("old", number)
    close(number)
    if isOldRemovedFirst { old.invalidate() }
    #expect(dup2(event.number, number) == number)
    let new = scenario.descriptor("new", number) { _, _ in event.consume() }
    old.invalidate()
    event.post()
    scenario.run(until: 1)
    #expect(new.error == nil && scenario.words.description == "new →timedOut")
  }

  /// Two runs, one in the other, have found a descriptor ready when its source is removed: that is no closed descriptor, for which
  /// all others would be registered anew.
  @Test func aSourceThatANestedRunRemovesIsNoClosedDescriptor() {
    let scenario = Scenario()
    let (event, silent) = (Event(), Event())
    event.post()
    let source = scenario.descriptor("never", event)
    // Learns of a new registration that its descriptor is closed.
    let number = copy(silent)
    let witness = scenario.descriptor("never", number)
    close(number)
    for isNested in [false, true] {
      scenario.loop.add(
        FrameLoop.Observer(
          .afterWaiting, order: isNested ? 1 : 0, repeats: false,
          .onLoop { [unowned loop = scenario.loop, words = scenario.words] _, _ in
            if isNested { return source.invalidate() }
            words.add("\(loop.run(mode: .default, until: .milliseconds(1)))")
          }), to: .default)
    }
    scenario.run(until: 2)
    #expect(scenario.words.description == "timedOut →timedOut")
    #expect(witness.isValid)
  }

  private final class AtEnd: Sendable {
    private let loop: FrameLoop
    init(_ loop: FrameLoop) { self.loop = loop }
    deinit { loop.addCommonMode("new") }

    static func source(on loop: FrameLoop) -> FrameLoop.DescriptorSource {
      let atEnd = AtEnd(loop)
      return FrameLoop.DescriptorSource(descriptor: -1, .onLoop { _, _ in withExtendedLifetime(atEnd) {} })
    }
  }

  /// A source that the kernel refuses ends while it is added. What its callback captured is released outside all locks.
  @Test func aRefusedSourceMayUseTheLoopWhenItIsReleased() {
    let isDone = Box(false)
    let thread = startThread {
      let loop = FrameLoop(clock: .manual(ManualClock()))
      for mode: FrameLoop.Mode in [.default, .common] {
        let source = AtEnd.source(on: loop)
        loop.add(source, to: mode)
      }
      loop.add(FrameLoop.ItemGroup([AtEnd.source(on: loop)]), to: .common)
      isDone.value = true
    }
    spin { isDone.value }
    thread.join()
  }
}
