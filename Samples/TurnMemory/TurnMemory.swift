// Memory that lives for one turn of a loop, like Apple's autorelease pools. Taking it asks the system for nothing, and the
// loop releases it before it waits. A nested run releases its own memory, and none of the turn around it.
import FrameArenas
import LinuxSystem
import RunLoops

@main
struct Program {
  @MainActor
  static func main() {
    let loop = FrameLoop.main
    let memory = FrameLoop.FrameMemory()
    memory.add(to: loop, mode: .common)

    var ticks = 0
    let timer = FrameLoop.Timer(
      fireTime: loop.clock.now, interval: .milliseconds(5),
      .onMain { timer in
        ticks += 1
        // The memory of the last turn is released.
        precondition(memory.arena.used == 0)
        // The squares are needed for this turn only: no array is allocated, and nothing has to free them.
        let squares = memory.arena.take(Int.self, count: 1000)
        for index in squares.indices { squares[index] = index * index }
        print("tick \(ticks): \(memory.arena.used) bytes taken, the last square is \(squares[999])")
        if ticks == 3 { timer.invalidate() }
      })
    loop.add(timer, to: .common)

    // A block runs once, in the first of its modes in which the loop runs.
    loop.perform(in: [.default], onMain: { print("a block, before the first tick") })
    while timer.isValid { loop.run(mode: .default, for: .milliseconds(20)) }
    print("at most \(memory.arena.highWaterMark) bytes at a time, \(memory.arena.used) now")
  }
}
