import Glibc
import LinuxSystem
import LoopTestSupport
import Testing

@testable import RunLoops

/// Lives on a thread of its own.
private actor Renderer {
  let thread: LoopThread
  private(set) var words: [String] = []
  private var isInside = false

  nonisolated var unownedExecutor: UnownedSerialExecutor { thread.unownedExecutor }

  init(_ thread: LoopThread) {
    self.thread = thread
  }

  var isAtHome: Bool { FrameLoop.current === thread.loop && thread.loop.thread.isCurrent }
  var threadName: String { SystemThread.currentName }

  func add(_ word: String) { words.append(word) }
  nonisolated func addFromItsThread(_ word: String) { assumeIsolated { $0.add(word) } }

  /// - Returns: true if another call of this actor was under way.
  func isEnteredTwice() -> Bool {
    defer { isInside = false }
    let isEnteredTwice = isInside
    isInside = true
    for _ in 0..<20 { sched_yield() }
    return isEnteredTwice
  }

  func isAtHomeAfterAwaiting() async -> [Bool] {
    var answers = [isAtHome]
    try? await Task.sleep(nanoseconds: 1_000)
    answers.append(isAtHome)
    answers.append(await Task.detached { [loop = thread.loop] in !loop.thread.isCurrent }.value)
    answers.append(isAtHome)
    await Task.yield()
    answers.append(isAtHome)
    return answers
  }

  /// Calls another actor while a job waits.
  func call(_ other: Renderer) async {
    let task = Task { await other.add("task") }
    other.addFromItsThread("assumed")
    await other.add("called")
    await task.value
  }

  /// Runs the loop within a job while another waits.
  func runNested(_ done: Box<Bool>) {
    let loop = thread.loop
    Task {
      add("task")
      done.value = true
    }
    spin { loop.jobs.count == 1 }
    loop.run(mode: .default, for: .milliseconds(1))
    add("nested run ended")
  }
}

/// Lives on a loop whose thread somebody else started.
private actor Lodger {
  let loop: FrameLoop
  init(_ loop: FrameLoop) { self.loop = loop }
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  var home: pthread_t { pthread_self() }
  var isAtHome: Bool { loop.thread.isCurrent }

  /// - Parameter inside: the number of lodgers that are asked now.
  func isAlone(_ inside: Box<Int>) -> Bool {
    inside.withValue { $0 += 1 }
    defer { inside.withValue { $0 -= 1 } }
    return (0..<300).allSatisfy { _ in
      sched_yield()
      return inside.value == 1
    }
  }
}

@Suite struct ExecutorTests {
  @Test func anActorLivesOnALoopsThread() async throws {
    let renderer = Renderer(try LoopThread(name: "render"))
    #expect(await renderer.isAtHome)
    #expect(await renderer.threadName == "render")
    #expect(await renderer.isAtHomeAfterAwaiting() == [true, true, true, true, true])
  }

  @Test func callsComeInOrder() async throws {
    let thread = try LoopThread(name: "order")
    let renderer = Renderer(thread)
    let go = try thread.loop.hold()
    var tasks: [Task<Void, Never>] = []
    for index in 0..<50 {
      let count = thread.loop.jobs.count
      tasks.append(Task.detached { await renderer.add("\(index)") })
      await suspend { thread.loop.jobs.count != count }
    }
    go.open()
    for task in tasks { await task.value }
    #expect(await renderer.words == (0..<50).map(String.init))
  }

  @Test func callbacksOfTheLoopAreIsolatedAndOthersAreNot() throws {
    let thread = try LoopThread(name: "isolated")
    let renderer = Renderer(thread)
    let done = Latch()
    thread.loop.add(
      FrameLoop.Timer(
        fireTime: .zero,
        .onLoop { _ in
          renderer.preconditionIsolated()
          renderer.assumeIsolated { $0.add("\($0.isAtHome)") }
          done.open()
        }), to: .default)
    done.wait()
    #expect(try thread.loop.performAndWait { renderer.assumeIsolated { $0.words } } == ["true"])
    let isIsolating = try thread.loop.performAndWait { [loop = thread.loop] in loop.isIsolatingCurrentContext() }
    #expect(isIsolating == true)
    #expect(thread.loop.isIsolatingCurrentContext() == false)
  }

  @Test func actorsOfALoopCallEachOtherWithoutATurnOfIt() async throws {
    let thread = try LoopThread(name: "shared")
    let (first, second) = (Renderer(thread), Renderer(thread))
    await first.call(second)
    #expect(await second.words == ["assumed", "called", "task"])
  }

  @Test func assumingIsolationElsewhereEndsTheProcess() async {
    await #expect(processExitsWith: .failure) {
      Renderer(try LoopThread(name: "isolated")).preconditionIsolated()
    }
  }

  /// A task that never lets go of the actor starves neither the loop's other work nor its end.
  @Test func tasksTakeTurnsWithTheRestOfTheLoop() async throws {
    let thread = try LoopThread(name: "busy")
    let renderer = Renderer(thread)
    let task = Task { while !Task.isCancelled { await renderer.add("again") } }
    for _ in 0..<100 { try await thread.loop.performAndWait {} }
    let fired = Latch()
    try thread.loop.perform(after: .milliseconds(1)) { fired.open() }
    fired.wait()
    task.cancel()
    await task.value
  }

  @Test func aRunWithinAJobRunsNone() async throws {
    let renderer = Renderer(try LoopThread(name: "nested"))
    let done = Box(false)
    await renderer.runNested(done)
    // Without a call of the actor, which would wake the loop for the task.
    await suspend { done.value }
    #expect(await renderer.words == ["nested run ended", "task"])
  }

  @Test func jobsWakeALoopAndAreServedInCommonModesOnly() async throws {
    let loop = Box<FrameLoop?>(nil)
    let words = Words()
    let (served, left, end) = (Latch(), Latch(), Latch())
    let thread = startThread {
      let own = FrameLoop(clock: .manual(ManualClock()))
      let idle = FrameLoop.Source(.onLoop { _ in })
      own.add(idle, to: .default)
      own.add(idle, to: "private")
      loop.value = own
      own.run(mode: .default, returnAfterSourceHandled: true)
      words.add("served")
      served.open()
      left.wait()
      words.add("\(own.run(mode: "private", until: own.clock.now + .seconds(1)))")
      words.add("waiting:\(own.jobs.count)")
      // A job keeps a run alive, and nothing else does now.
      idle.invalidate()
      words.add("\(own.run(mode: .default, returnAfterSourceHandled: true))")
      words.add("\(own.run(mode: .default, until: own.clock.now + .seconds(1)))")
      end.wait()
    }
    spin { loop.value?.isWaiting == true }
    let lodger = Lodger(try #require(loop.value))
    #expect(await lodger.isAtHome)
    served.wait()
    let task = Task { await lodger.isAtHome }
    await suspend { lodger.loop.jobs.count > 0 }
    left.open()
    #expect(await task.value)
    end.open()
    thread.join()
    #expect(words.description == "served timedOut waiting:1 handledSource finished")
  }

  // MARK: The end of the thread

  @Test func whatWaitsAtTheEndIsDone() async throws {
    let thread = try LoopThread(name: "ends")
    let renderer = Renderer(thread)
    let go = try thread.loop.hold()
    let tasks = (0..<10).map { _ in Task { await renderer.isAtHomeAfterAwaiting() } }
    await suspend { thread.loop.jobs.count == 10 }
    thread.stop()
    go.open()
    for task in tasks { #expect(await task.value == [true, true, true, true, true]) }
  }

  @Test func anActorOutlivesItsThread() async throws {
    let thread = try LoopThread(name: "outlived")
    let renderer = Renderer(thread)
    for round in 0..<50 {
      if round == 1 { thread.stop() }
      let answers = await withTaskGroup(of: Bool.self) { group in
        for _ in 0..<8 { group.addTask { await renderer.isEnteredTwice() } }
        return await group.reduce(into: [Bool]()) { $0.append($1) }
      }
      #expect(answers == [Bool](repeating: false, count: 8))
      #expect(await renderer.isAtHome)
      #expect(await renderer.threadName == "outlived")
    }
  }

  @Test func aThreadOfSomebodyElsesIsAnExecutorToo() async throws {
    // The thread does the waiting job as it ends, or another one does it afterwards.
    let (thread, loop, end) = startIdleThread()
    let lodger = Lodger(loop)
    let task = Task { await lodger.isAtHome }
    await suspend { lodger.loop.jobs.count > 0 }
    end.open()
    #expect(await task.value)
    thread.join()
    #expect(await lodger.isAtHome)
  }

  /// Loops of one thread share what it knows of itself: after its end too, one thread at a time runs their jobs.
  @Test func endedLoopsOfAThreadTakeTurns() async throws {
    let loops = Box<[FrameLoop]>([])
    let go = Latch()
    let thread = startThread {
      loops.value = [.current, FrameLoop(clock: .manual(ManualClock())), FrameLoop(clock: .manual(ManualClock()))]
      go.wait()
    }
    spin { loops.value.count == 3 }
    let lodgers = loops.value.map(Lodger.init)
    let inside = Box(0)
    func ask() -> [Task<Bool, Never>] { lodgers.map { lodger in Task { await lodger.isAlone(inside) } } }
    let waiting = ask()
    await suspend { lodgers.allSatisfy { $0.loop.jobs.count > 0 } }
    go.open()
    for answer in waiting { #expect(await answer.value) }
    thread.join()
    for _ in 0..<2 {
      for answer in ask() { #expect(await answer.value) }
    }
  }

  @Test func actorAndThreadGoTogether() async throws {
    weak var loop: FrameLoop?
    weak var renderer: Renderer?
    do {
      let thread = try LoopThread(name: "gone")
      let made = Renderer(thread)
      loop = thread.loop
      renderer = made
      await made.add("word")
    }
    await suspend { loop == nil }
    #expect(renderer == nil)
  }
}
