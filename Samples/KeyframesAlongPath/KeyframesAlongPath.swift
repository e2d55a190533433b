// A layer flies along a path and turns with it. Paced key frames keep one speed everywhere, others give each curve an equal share
// of the time. The layer's clock stands and is moved by hand, so that the places do not depend on frames.
import Framepace

@main
struct Program {
  @MainActor
  static func main() throws {
    var path = Path()
    path.move(to: Point(0, 0))
    path.line(to: Point(40, 0))
    path.cubicCurve(to: Point(240, 120), control1: Point(160, 0), control2: Point(240, 60))

    for mode in [CalculationMode.linear, .paced] {
      let root = Layer()
      let glider = Layer(frame: Rect(x: 0, y: 0, width: 12, height: 4))
      root.addSublayer(glider)
      let display = try VirtualDisplay(width: 320, height: 160, refreshRate: .hertz60, reason: "a sample without a screen")
      let engine = Engine(display: display, root: root)
      glider.speed = 0
      var flight = KeyframeAnimation(.position, path: path, calculationMode: mode, rotationMode: .auto)
      flight.beginTime = .zero
      flight.duration = .seconds(1)
      glider.add(flight)
      for step in 0...4 as ClosedRange<Int64> {
        glider.timeOffset = .milliseconds(250 * step)
        let shown = glider.presentation
        let degrees = (shown.rotation * 180 / .pi).rounded()
        print("\(mode) at \(250 * step) ms: \(Int(shown.position.x)), \(Int(shown.position.y)), turned \(Int(degrees))°")
      }
      engine.invalidate()
    }
  }
}
