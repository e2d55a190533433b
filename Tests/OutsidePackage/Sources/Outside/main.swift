// The program of another package: a bouncing ball on a display without a screen, for a quarter of a second, then a
// picture of the last frame and what the meter says.
import Framepace

@MainActor
final class Bounce {
  private let ball = Layer()
  private let floor: Double
  private let start: MonotonicTime

  init(engine: Engine) {
    let root = engine.root
    floor = root.bounds.height - 40
    start = engine.loop.clock.now
    ball.bounds = Rect(x: 0, y: 0, width: 40, height: 40)
    ball.cornerRadius = 20
    ball.backgroundColor = Color(hex: 0xFFB84D)
    root.addSublayer(ball)

    engine.makeDisplayLink { [weak self] link in self?.move(to: link.targetTimestamp) }
  }

  private func move(to time: MonotonicTime) {
    let phase = (time - start).seconds.truncatingRemainder(dividingBy: 1)
    let height = 4 * phase * (1 - phase)
    Transaction.withoutActions { ball.position = Point(120, floor - 140 * height) }
  }
}

@MainActor
func main() throws {
  let root = Layer()
  root.backgroundColor = Color(hex: 0x0B1016)
  let display = try VirtualDisplay(width: 240, height: 240, refreshRate: .hertz60, reason: "no screen wanted")
  let engine = Engine(display: display, root: root)
  let meter = FPSMeter(refreshRate: .hertz60)
  let measuring = engine.output.observe { meter.record($0) }

  let bounce = Bounce(engine: engine)
  let end = FrameLoop.Timer(fireTime: engine.loop.clock.now + .milliseconds(250), .onMain { _ in engine.finish() })
  engine.loop.add(end, to: .common)
  engine.run()
  withExtendedLifetime(bounce) {}
  measuring.invalidate()

  let picture = try display.capture()
  let report = meter.report()
  guard report.presented > 5, picture.isOpaque else { fatalError("no frames were shown") }
  print("an outside package showed frames of \(picture.width)x\(picture.height) pixels on the \(display.name)")
  engine.invalidate()
}

try main()
