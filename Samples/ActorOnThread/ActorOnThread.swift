// An actor on a loop's thread. Its methods, its timers' callbacks and the ticks that it awaits all run there, so it may own
// things that belong to one thread, such as a GPU context or a device.
import LinuxSystem
import RunLoops

actor Renderer {
  private let thread: LoopThread
  private(set) var frames = 0
  private(set) var blinks = 0

  nonisolated var unownedExecutor: UnownedSerialExecutor { thread.unownedExecutor }

  init() throws {
    thread = try LoopThread(name: "render")
  }

  /// Draws at each tick. A tick that comes during a drawing is skipped and counted.
  func render(frames count: Int) async -> UInt64 {
    var missed: UInt64 = 0
    for await tick in thread.loop.ticks(every: .milliseconds(4)) {
      missed += tick.missed
      draw()
      if frames == count { break }
    }
    return missed
  }

  func startBlinking() {
    let timer = FrameLoop.Timer(
      fireTime: thread.loop.clock.now, interval: .milliseconds(3),
      .onLoop { [weak self] timer in
        guard let self else { return timer.invalidate() }
        // The timer's callback runs on the actor's thread, so it needs no await.
        assumeIsolated { $0.blinks += 1 }
      })
    thread.loop.add(timer, to: .common)
  }

  private func draw() {
    frames += 1
    guard FrameLoop.current === thread.loop else { fatalError("drawn on another thread") }
    // The second frame takes 20 ms.
    let end = thread.loop.clock.now + .milliseconds(frames == 2 ? 20 : 0)
    while thread.loop.clock.now < end {}
  }
}

@main
struct Program {
  @MainActor
  static func main() throws {
    let renderer = try Renderer()
    Task {
      await renderer.startBlinking()
      let missed = await renderer.render(frames: 10)
      print("\(await renderer.frames) frames on the render thread; \(missed) ticks were missed, and none is owed")
      guard missed >= 3, await renderer.blinks > 0 else { fatalError("ticks are wrong") }
      FrameLoop.main.stop()
    }
    FrameLoop.main.run()
  }
}
