// Memory that lives for one turn of a loop, as Apple's autorelease pools do: taken without asking the system, given back by the
// loop when it is about to wait. A nested run gives back what was taken in it, and nothing of the turn around it.
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
      onMain: { timer in
        ticks += 1
        // What the last turn took is gone.
        precondition(memory.arena.used == 0)
        // Squares for this turn only: no array is allocated for them, and nobody frees them.
        let squares = memory.arena.take(Int.self, count: 1000)
        for index in squares.indices { squares[index] = index * index }
        print("tick \(ticks): \(memory.arena.used) bytes taken, the last square is \(squares[999])")
        if ticks == 3 { timer.invalidate() }
      })
    loop.add(timer, to: .common)

    // A block runs once, in whichever of its modes the loop runs in first.
    loop.perform(in: [.default], onMain: { print("a block, before the first tick") })
    while timer.isValid { loop.run(mode: .default, until: loop.clock.now + .milliseconds(20)) }
    print("at most \(memory.arena.highWaterMark) bytes at a time, \(memory.arena.used) now")
  }
}
