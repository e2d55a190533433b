import CEvdev
import Framepace
import Input
import KMS

/// A finger drags a list of bands, each of its own colour, by a pixel each two milliseconds. Every frame that is scanned out shows the content
/// where the last movement before the frame's beginning had the finger, and its record has the time of the first one that it shows. So what is
/// seen is an interval old, and the distance of two movements; with late start it is as old as a frame takes, with its reserve.
@MainActor
func inputScroll() throws {
  let list = try DraggedList()
  for policy in FramePolicy.allCases {
    list.stage.engine.output.policy = policy
    list.drag()
    list.check(policy)
  }
  list.stage.end()
}

@MainActor
private final class DraggedList {
  let stage: TouchStage
  private let controller: ScrollController
  private let (band, top, slop) = (8, 800, 10)
  private let step = Nanoseconds.milliseconds(2)
  private var frames: [(record: FrameRecord, row: Int)] = []
  private var places: [(time: MonotonicTime, y: Int)] = []

  private var start: Int { stage.height - 20 }
  private var steps: Int { start - 40 }

  init() throws {
    stage = try TouchStage()
    let bounds = stage.root.bounds
    // As many as are seen on the way: the diff looks at each of them.
    let count = (top + 2 * stage.height) / band
    let list = ScrollLayer(frame: bounds)
    list.masksToBounds = true
    for index in 0..<count {
      let layer = Layer(frame: Rect(x: 0, y: Double(index * band), width: bounds.width, height: Double(band)))
      layer.backgroundColor = Color(hex: UInt32(index + 1) << 8 | 0x55)
      list.addSublayer(layer)
    }
    stage.root.addSublayer(list)
    controller = ScrollController(list, content: Size(bounds.width, Double(count * band)), axes: .vertical)
    controller.showsIndicators = false
    stage.engine.output.observe { [weak self] event in
      guard let self, case .presented(let frame) = event, frame.input != nil, let row = shownRow() else { return }
      frames.append((frame, row))
    }.keep()
  }

  /// The row of the content in the first row of the screen.
  private func shownRow() -> Int? {
    let middle = stage.width / 2
    return withScannedOut(stage.display) { [band] pixels, bytesPerRow in
      func index(_ y: Int) -> Int {
        Int(pixels.load(fromByteOffset: y * bytesPerRow + 4 * middle, as: UInt32.self) & 0xFF_FFFF) >> 8 - 1
      }
      let first = index(0)
      let rest = (1...band).first { index($0) != first } ?? band
      return first * band + band - rest
    } ?? nil
  }

  /// Drags the content up by almost the height of the screen, and lifts the finger when all is seen.
  func drag() {
    controller.scroll(to: Point(0, Double(top)))
    stage.run("the list is not shown") { [self] in shownRow() == top }
    (frames, places) = ([], [])
    stage.down(x: stage.width / 2, y: start)
    let timer = FrameLoop.Timer(
      fireTime: stage.engine.loop.clock.now + .milliseconds(20), interval: step,
      .onMain { [weak self] _ in
        guard let self, places.count < steps else { return }
        let y = start - places.count - 1
        places.append((stage.engine.loop.clock.now, y))
        stage.screen.write((EV_ABS, ABS_MT_SLOT, 0), (EV_ABS, ABS_MT_POSITION_Y, stage.value(y, of: stage.height)))
      })
    stage.engine.loop.add(timer, to: .common)
    stage.run("the finger does not arrive") { [self] in
      guard places.count == steps, let row = frames.last?.row else { return false }
      return row == top + steps - slop
    }
    timer.invalidate()
    stage.up()
    stage.run("the content does not come to rest") { [self] in !controller.isDragging && controller.velocity == .zero }
  }

  /// Looks at each frame, and prints the figures.
  func check(_ policy: FramePolicy) {
    let interval = stage.display.ticker.refreshRate.interval
    var (lags, latencies, works) = ([Nanoseconds](), [Nanoseconds](), [Nanoseconds]())
    // Until it is known how long frames take, none is begun late.
    for index in frames.indices.dropFirst(30) where frames[index - 1].row > top {
      let ((frame, row), before) = (frames[index], frames[index - 1].row)
      // A pan begins behind a slop, and the content follows from there.
      let (last, first) = (row - top + slop - 1, before - top + slop)
      guard let input = frame.input, places.indices.contains(first), places.indices.contains(last) else {
        Guest.expect(false, "row \(row) was never under the finger")
        continue
      }
      let next = last + 1 < places.count ? places[last + 1].time : .distantFuture
      // The turn of a tick reads what came before it began.
      Guest.expect(
        places[last].time < frame.delivered && next > frame.delivered - .microseconds(500),
        "frame \(frame.frameNumber) does not show what the finger did last")
      let late = input - places[first].time
      Guest.expect(
        late >= .zero && late < .microseconds(500),
        "frame \(frame.frameNumber) has input of \(late) after the first that it shows")
      lags.append(frame.presented - places[last].time)
      latencies.append(frame.presented - input)
      works.append(frame.work)
    }
    Guest.expect(lags.count > 40, "\(lags.count) frames are too few to tell anything")
    if lags.isEmpty { return }
    let (lag, work) = (lags.sorted()[lags.count / 2], works.sorted()[works.count / 2])
    let latency = latencies.sorted()[latencies.count * 19 / 20]
    let shortest = policy == .lateStart ? work + .milliseconds(2) : interval
    Guest.expect(lag <= shortest + step, "the content is \(lag) behind the finger, and a frame takes \(work)")
    Guest.expect(latency <= shortest + interval, "a movement was seen after \(latency), and a frame takes \(work)")
    Guest.say(
      "\(policy.rawValue): \(lags.count) frames of \(work.text), the median \(lag.text) behind the finger, 95 % of the movements are seen within "
        + latency.text)
  }
}

extension Nanoseconds {
  fileprivate var text: String { "\(Double((milliseconds * 10).rounded()) / 10) ms" }
}
