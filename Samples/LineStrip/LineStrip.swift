// A chart of 100,000 samples that scrolls. The library has no kind of layer for it: a layer returns a value that draws, and a worker
// thread draws it. `LineStrip` is such a value, in Samples/SampleScenes. With a path as its argument the program writes the last
// picture to it.
import Framepace
import Glibc
import SampleScenes

final class Chart: Layer {
  private var samples: [Float]
  private let color = Color(hex: 0x4CC2FF)

  init(_ samples: [Float], frame: Rect) {
    self.samples = samples
    super.init()
    self.frame = frame
    setNeedsDisplay()
  }

  var strip: LineStrip {
    LineStrip(samples, in: bounds, zoom: bounds.width / Double(samples.count), bottom: -1, color: color)
  }

  override func makeDrawing() -> (any Drawing)? { strip }

  /// Moves the window on by these samples.
  func append(_ new: [Float]) {
    samples.removeFirst(min(new.count, samples.count))
    samples += new
    setNeedsDisplay()
  }
}

/// A carrier that swells and ebbs, noise, and now and then a spike of a single sample.
func signal(_ index: Int) -> Float {
  let time = Double(index) / 100_000
  var hash = UInt64(truncatingIfNeeded: index) &* 0x9E37_79B9_7F4A_7C15
  hash = (hash ^ hash >> 29) &* 0xBF58_476D_1CE4_E5B9
  let noise = 0.12 * (Double(hash >> 40) / Double(1 << 24) - 0.5) * (1 + sin(time * 8))
  let spike = index % 23_456 == 9_000 ? 0.5 : 0
  return Float(0.45 * sin(time * 14) + 0.2 * sin(time * 3) * sin(time * 300) + noise + spike)
}

@main
struct Program {
  @MainActor
  static func main() throws {
    let (width, height, scale, window) = (1_000, 300, 2.0, 100_000)
    let root = Layer()
    root.backgroundColor = Color(hex: 0x0B1016)
    let frame = Rect(x: 0, y: 0, width: Double(width) / scale, height: Double(height) / scale)
    let chart = Chart((0..<window).map(signal), frame: frame)
    root.addSublayer(chart)

    let renderer = try OfflineRenderer(root: root, width: width, height: height, scale: scale, frames: 30)
    // Five columns of pixels a frame: a column keeps its samples while it moves, so that the line does not flicker.
    let step = 5 * window / width
    var end = window
    let link = renderer.engine.makeDisplayLink { _ in
      chart.append((end..<end + step).map(signal))
      end += step
    }
    var image: Image?
    while let frame = try renderer.nextFrame() { image = frame.image }
    link.invalidate()
    guard let image, chart.contents != nil else { fatalError("the chart was never drawn") }
    if let path = CommandLine.arguments.dropFirst().first { try PNG.write(image, to: path) }

    let bitmap = try Bitmap(width: width, height: height)
    let context = DrawingContext(bitmap: bitmap, scale: scale)
    let times = (0..<11).map { _ in
      ContinuousClock().measure {
        chart.strip.draw(in: context)
        context.flush()
      }
    }
    print("\(renderer.frames) frames of \(width)x\(height) pixels, each of \(window) samples, the last of \(end)")
    print("one drawing takes a thread \(times.sorted()[5])")
    renderer.invalidate()
  }
}
