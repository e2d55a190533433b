import Geometry
import Interaction
import LinuxSystem
import Testing

@Suite struct InputScreenTests {
  /// Each pixel of a picture, turned onto the panel as pictures are, is found by a touch of the panel's pixel.
  @Test(arguments: 0...3) func aTouchFindsThePixelOfATurnedPicture(turns: Int) {
    let (width, height) = (6, 4)
    let screen = InputScreen(frame: Rect(x: 30, y: 0, width: Double(width), height: Double(height)), quarterTurns: turns)
    let panel = turns % 2 == 0 ? (width, height) : (height, width)
    for y in 0..<height {
      for x in 0..<width {
        // Clockwise: the uppermost row of the picture becomes the rightmost column of the panel.
        let (column, row) =
          switch turns {
          case 1: (height - 1 - y, x)
          case 2: (width - 1 - x, height - 1 - y)
          case 3: (y, width - 1 - x)
          default: (x, y)
          }
        let part = Point((Double(column) + 0.5) / Double(panel.0), (Double(row) + 0.5) / Double(panel.1))
        let point = screen.rootPoint(touchedAt: part)
        #expect(Int(point.x.rounded(.down)) == x && Int(point.y.rounded(.down)) == y)
      }
    }
  }

  @Test(arguments: 0..<100 as Range<UInt64>) func aPartLiesOverItsPoint(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    func number(_ range: ClosedRange<Double>) -> Double { .random(in: range, using: &random) }
    let screen = InputScreen(
      frame: Rect(x: number(-100...100), y: 0, width: number(10...2000), height: number(10...2000)),
      quarterTurns: .random(in: 0...3, using: &random),
      touchQuarterTurns: Bool.random(using: &random) ? .random(in: 0...3, using: &random) : nil,
      pictureToRoot: Affine(a: number(0.5...2), b: 0, c: 0, d: number(0.5...2), tx: number(-50...50), ty: 7))
    let part = Point(number(-0.1...1.1), number(-0.1...1.1))
    let way = screen.part(over: screen.rootPoint(touchedAt: part)) - part
    #expect(abs(way.x) < 1e-9 && abs(way.y) < 1e-9, "seed \(seed)")
  }

  @Test func aTouchPanelMayBeMountedAnotherWay() {
    let screen = InputScreen(
      frame: Rect(x: 0, y: 0, width: 100, height: 50), quarterTurns: 1, touchQuarterTurns: 0,
      pictureToRoot: Affine(a: 2, b: 0, c: 0, d: 2, tx: -10, ty: 0))
    #expect(screen.rootPoint(touchedAt: Point(0.25, 0.5)) == Point(40, 50))
  }
}
