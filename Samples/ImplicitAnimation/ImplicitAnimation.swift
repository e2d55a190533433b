// A change of a layer that is on screen animates by itself: the model has the new value at once, the screen comes after it in a
// quarter of a second, or as the transaction says. The layer's first values, and changes without actions, are shown at once.
import Framepace

@main
struct Program {
  @MainActor
  static func main() throws {
    let root = Layer()
    let card = Layer(frame: Rect(x: 0, y: 0, width: 40, height: 40))
    card.backgroundColor = .white
    root.addSublayer(card)
    let display = try VirtualDisplay(width: 320, height: 72, refreshRate: .hertz60, reason: "a sample without a screen")
    let engine = Engine(display: display, root: root)

    func text(_ value: Double) -> Int { Int(value.rounded()) }
    func print(_ moment: String) {
      Swift.print("\(moment): model \(text(card.position.x)), on screen \(text(card.presentation.position.x))")
    }
    let steps: [(Nanoseconds, @MainActor () -> Void)] = [
      (
        .milliseconds(50),
        {
          Transaction.setCompletion { print("completed") }
          card.position.x = 220
          print("changed")
        }
      ),
      (.milliseconds(175), { print("half way in time") }),
      (
        .milliseconds(400),
        {
          Transaction.withoutActions { card.position.x = 20 }
          print("changed without actions")
        }
      ),
      (
        .milliseconds(450),
        {
          Transaction.animationDuration = .milliseconds(100)
          card.position.x = 220
        }
      ),
      (
        .milliseconds(600),
        {
          print("a faster transaction, over")
          engine.finish()
        }
      ),
    ]
    let start = engine.loop.clock.now
    for (time, step) in steps {
      engine.loop.add(FrameLoop.Timer(fireTime: start + time, .onMain { _ in step() }), to: .common)
    }
    engine.run()
    engine.invalidate()
  }
}
