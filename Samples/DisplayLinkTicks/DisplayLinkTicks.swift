// A display link is called once for every refresh of the display, with the time at which the next frame will be presented.
// The number of its calls gives the tick rate, and gaps between its stamps show missed intervals.
import Framepace

@main
struct Program {
  @MainActor
  static func main() throws {
    guard let rate = RefreshRate(numerator: 60_000, denominator: 1001) else { fatalError("59.94 Hz is a rate") }
    let display = try VirtualDisplay(width: 64, height: 64, refreshRate: rate, reason: "a sample without a screen")
    let loop = FrameLoop.main
    display.add(to: loop, mode: .common)

    var stamps: [MonotonicTime] = []
    var missed: UInt64 = 0
    let link = DisplayLink(ticker: display.ticker) { link in
      stamps.append(link.timestamp)
      missed += link.tick?.missed ?? 0
      if stamps.count == 30 { loop.stop() }
    }
    link.add(to: loop, mode: .common)
    loop.run()
    // A paused link requests no vblanks, so the process sleeps.
    link.isPaused = true

    guard let first = stamps.first, let last = stamps.last, last > first else { fatalError("no ticks") }
    let intervals = Double(stamps.count - 1) + Double(missed)
    print("\(display.ticker.name)")
    print("\(stamps.count) ticks, \(missed) missed, \(intervals / (last - first).seconds) intervals a second")
    // The stamps are on the display's grid, however late a callback ran.
    let spacing = (last - first).seconds / intervals
    guard abs(spacing - 1001.0 / 60_000) < 1e-6 else { fatalError("stamps off the grid") }
    link.invalidate()
    display.invalidate()
  }
}
