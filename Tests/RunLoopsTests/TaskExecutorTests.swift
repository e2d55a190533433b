import LinuxSystem
import LoopTestSupport
import Testing

@testable import RunLoops

/// Tasks that prefer the thread of a loop.
@Suite struct TaskExecutorTests {
  /// An actor without an executor of its own.
  private actor Anywhere {
    var threadName: String { SystemThread.currentName }
  }

  private actor OnThread {
    let thread: LoopThread
    init(_ thread: LoopThread) { self.thread = thread }
    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.unownedExecutor }
    var threadName: String { SystemThread.currentName }
    nonisolated var threadNameFromThere: String { assumeIsolated { $0.threadName } }
    func add(_ word: String, to words: Words) { words.add(word) }
  }

  private static func threadName() async -> String { SystemThread.currentName }
  private static func add(_ word: String, to words: Words) async { words.add(word) }

  @Test func whatATaskDoesIsDoneOnTheThread() async throws {
    let thread = try LoopThread(name: "tasks")
    let other = OnThread(try LoopThread(name: "other"))
    let anywhere = Anywhere()
    let names = await Task(executorPreference: thread) {
      var names = [SystemThread.currentName]
      names.append(await Self.threadName())
      names.append(await anywhere.threadName)
      names.append(await other.threadName)
      names.append(SystemThread.currentName)
      try? await Task.sleep(nanoseconds: 1_000)
      names.append(SystemThread.currentName)
      async let child = Self.threadName()
      names.append(await child)
      return names
    }.value
    #expect(names == ["tasks", "tasks", "tasks", "other", "tasks", "tasks", "tasks"])
  }

  @Test func aPartOfATaskMayPreferTheThread() async throws {
    let thread = try LoopThread(name: "part")
    let inside = await withTaskExecutorPreference(thread) { await Self.threadName() }
    let outside = await Self.threadName()
    #expect(inside == "part" && outside != "part")
  }

  @Test func jobsOfTasksAndActorsTakeTurns() async throws {
    let thread = try LoopThread(name: "turns")
    let actor = OnThread(thread)
    let words = Words()
    let go = try thread.loop.hold()
    var tasks: [Task<Void, Never>] = []
    for index in 0..<10 {
      tasks.append(Task(executorPreference: thread) { words.add("task \(index)") })
      await suspend { thread.loop.jobs.count == 2 * index + 1 }
      tasks.append(Task.detached { await actor.add("actor \(index)", to: words) })
      await suspend { thread.loop.jobs.count == 2 * index + 2 }
    }
    go.open()
    for task in tasks { await task.value }
    #expect(words.all == (0..<10).flatMap { ["task \($0)", "actor \($0)"] })
  }

  @Test func onlyWhatWaitsTakesATurn() async throws {
    let thread = try LoopThread(name: "calls")
    let words = Words()
    await Task(executorPreference: thread) {
      let other = Task(executorPreference: thread) { words.add("other") }
      for _ in 0..<3 { await Self.add("called", to: words) }
      await other.value
    }.value
    #expect(words.description == "called called called other")
  }

  @Test func onTheThreadItsActorsAreIsolated() async throws {
    let thread = try LoopThread(name: "isolated")
    let actor = OnThread(thread)
    let name = await Task(executorPreference: thread) { actor.threadNameFromThere }.value
    #expect(name == "isolated")
  }

  @Test func aTaskThatPrefersAThreadThatEndsGoesOn() async throws {
    let thread = try LoopThread(name: "ends")
    let go = try thread.loop.hold()
    let tasks = (0..<10).map { _ in
      Task(executorPreference: thread) {
        let before = await Self.threadName()
        try? await Task.sleep(nanoseconds: 1_000)
        return [before, await Self.threadName()]
      }
    }
    await suspend { thread.loop.jobs.count == 10 }
    thread.stop()
    go.open()
    for task in tasks { #expect(await task.value == ["ends", "ends"]) }
    #expect(await Task(executorPreference: thread) { SystemThread.currentName }.value == "ends")
  }

  @Test func aThreadLivesAsLongAsTheTasksThatPreferIt() async throws {
    weak var loop: FrameLoop?
    let words = Words()
    let task: Task<Void, Never>
    do {
      let thread = try LoopThread(name: "kept")
      loop = thread.loop
      task = Task(executorPreference: thread) {
        while !Task.isCancelled { await Task.yield() }
        words.add(SystemThread.currentName)
      }
    }
    await Task.yield()
    #expect(loop?.runsHaveEnded == false)
    task.cancel()
    await task.value
    await suspend { loop == nil }
    #expect(words.description == "kept")
  }
}
