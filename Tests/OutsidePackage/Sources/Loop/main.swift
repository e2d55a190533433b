// A program that wants the run loop alone: no display, no pictures, and no library for them.
import RunLoops

let loop = FrameLoop.main
var ticks = 0
let timer = FrameLoop.Timer(
  fireTime: loop.clock.now, interval: .milliseconds(5),
  .onMain { timer in
    ticks += 1
    if ticks == 3 { loop.stop() }
  })
loop.add(timer, to: .common)
loop.run()
print("an outside package ran the loop by itself: \(ticks) ticks in steps of \(timer.interval)")
