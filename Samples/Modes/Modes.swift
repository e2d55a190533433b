// One loop with two modes. A timer in the default mode stops while the loop runs in tracking mode; a timer in the common
// modes continues. So a list can scroll smoothly while other work waits.
import RunLoops
import LinuxSystem

@main
struct Program {
  @MainActor
  static func main() {
    let loop = FrameLoop.main
    let now = loop.clock.now
    var ticksOfDefault = 0
    var ticksOfCommon = 0

    let defaultTimer = FrameLoop.Timer(fireTime: now, interval: .milliseconds(10), .onMain { _ in ticksOfDefault += 1 })
    let commonTimer = FrameLoop.Timer(fireTime: now, interval: .milliseconds(10), .onMain { _ in ticksOfCommon += 1 })
    loop.add(defaultTimer, to: .default)
    // `.common` is a set of modes: the default mode and all that join it.
    loop.addCommonMode(.tracking)
    loop.add(commonTimer, to: .common)

    // A loop changes its mode by ending one run and starting another. A stack of modes says which one is next: here a finger
    // goes down after 105 ms, and is lifted 100 ms later.
    let modes = FrameLoop.ModeStack(of: loop)
    var tracking: FrameLoop.ModeStack.Entry?
    let touch = FrameLoop.Alarm(
      .onMain {
        if let tracking { tracking.pop() } else { tracking = modes.push(.tracking) }
      })
    loop.add(touch, to: .common)

    touch.fireTime = now + .milliseconds(105)
    guard loop.run(mode: modes.top) == .stopped, modes.top == .tracking else { fatalError("the push must end the run") }
    let afterDefault = (ticksOfDefault, ticksOfCommon)
    print("default mode:  default timer \(afterDefault.0), common timer \(afterDefault.1)")

    touch.fireTime = now + .milliseconds(205)
    guard loop.run(mode: modes.top) == .stopped, modes.top == .default else { fatalError("the pop must end the run") }
    print("tracking mode: default timer \(ticksOfDefault - afterDefault.0), common timer \(ticksOfCommon - afterDefault.1)")
    guard ticksOfDefault == afterDefault.0, ticksOfCommon > afterDefault.1 else { fatalError("modes are mixed up") }

    // A mode with nothing to wait for ends at once. An observer does not keep a loop alive.
    loop.add(FrameLoop.Observer(.all, .onMain { _, _ in }), to: "empty")
    let result = loop.run(mode: "empty")
    print("empty mode:    \(result)")
    guard result == .finished else { fatalError("an empty mode must end at once") }
  }
}
