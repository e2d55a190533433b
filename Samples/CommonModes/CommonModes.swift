// `.common` is not a mode but a set of modes. An item that is added to it is in each of them, also in modes that join later.
// A block for it runs in the first of them in which the loop runs.
import LinuxSystem
import RunLoops

@main
struct Program {
  @MainActor
  static func main() {
    let loop = FrameLoop.main
    let tracking = FrameLoop.Mode.tracking
    let modal: FrameLoop.Mode = "modal"

    var ticks = 0
    let timer = FrameLoop.Timer(fireTime: loop.clock.now, interval: .milliseconds(2), .onMain { _ in ticks += 1 })
    loop.add(timer, to: .common)
    func isIn(_ mode: FrameLoop.Mode) -> Bool { loop.contains(timer, in: mode) }
    print("common at first: default \(isIn(.default)), tracking \(isIn(tracking)), modal \(isIn(modal))")
    guard isIn(.default), !isIn(tracking), !isIn(modal) else { fatalError("only the default mode is common at first") }

    // A mode that joins gets the common items, and those that are added later.
    loop.addCommonMode(tracking)
    loop.run(mode: tracking, for: .milliseconds(20))
    print("while tracking, the timer ticked: \(ticks > 0)")
    guard isIn(tracking), ticks > 0 else { fatalError("tracking was made common, and the timer is not in it") }

    // A mode that did not join has none of the common items.
    let before = ticks
    let end = FrameLoop.Timer(fireTime: loop.clock.now + .milliseconds(20), .onMain { _ in })
    loop.add(end, to: modal)
    var asked = 0
    loop.perform(onMain: { asked += 1 })
    loop.run(mode: modal)
    print("in a modal loop it ticked \(ticks - before) times, and \(asked) common blocks ran")
    guard ticks == before, asked == 0 else { fatalError("a mode that is not common got common items") }

    // The block was kept. Removing an item from one of the common modes leaves it in the others.
    loop.remove(timer, from: tracking)
    loop.run(mode: tracking, until: loop.clock.now)
    print(
      "the block ran in tracking: \(asked == 1); the timer is still common: \(isIn(.common)), and in default: \(isIn(.default))"
    )
    guard asked == 1, isIn(.common), isIn(.default), !isIn(tracking) else { fatalError("removed from too much") }
  }
}
