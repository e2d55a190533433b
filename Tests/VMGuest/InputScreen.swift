import CDRM
import CEvdev
import Framepace
import Glibc
import Input
import KMS
import SampleScenes
import Seats

/// A display, a touch screen of uinput, and an engine between the two.
@MainActor
private final class TouchStage {
  let display: KMSDisplay
  let engine: Engine
  let root = Layer()
  let screen: VirtualInput
  private var input: InputDevices?
  private var wanted: @MainActor () -> Bool = { false }

  var width: Int { display.geometry.pictureSize.width }
  var height: Int { display.geometry.pictureSize.height }

  init() throws {
    display = openDisplay()
    engine = Engine(display: display, root: root)
    screen = try VirtualInput(.touchScreen, name: "test screen")
    var isThere = false
    let input = try InputDevices(session: .direct(why: "a test")) { [engine] event in
      if case .added(let device) = event.action, device.name == "test screen" { isThere = true }
      engine.inputRouter.receive(event)
    }
    self.input = input
    input.add(to: engine.loop, mode: .common)
    run("the touch screen does not come") { isThere }
  }

  /// Runs the engine until a condition holds, which is looked at after each turn.
  func run(_ claim: String, until condition: @escaping @MainActor () -> Bool) {
    let timeout = FrameLoop.Timer(fireTime: engine.loop.clock.now + .seconds(20), .onMain { [engine] _ in engine.finish() })
    let turns = FrameLoop.Observer(
      [.beforeWaiting], order: ObserverOrder.turnEnd, .onMain { [engine] _, _ in if condition() { engine.finish() } })
    engine.loop.add(timeout, to: .common)
    engine.loop.add(turns, to: .common)
    engine.loop.wakeUp()
    engine.run()
    turns.invalidate()
    timeout.invalidate()
    Guest.expect(condition(), claim)
  }

  /// The device's value for the middle of a pixel.
  func value(_ pixel: Int, of length: Int) -> Int32 { Int32((Double(pixel) + 0.5) / Double(length) * 4096) }

  func down(x: Int, y: Int) {
    screen.write(
      (EV_ABS, ABS_MT_SLOT, 0), (EV_ABS, ABS_MT_TRACKING_ID, 1), (EV_ABS, ABS_MT_POSITION_X, value(x, of: width)),
      (EV_ABS, ABS_MT_POSITION_Y, value(y, of: height)), (EV_KEY, BTN_TOUCH, 1))
  }

  func up() { screen.write((EV_ABS, ABS_MT_SLOT, 0), (EV_ABS, ABS_MT_TRACKING_ID, -1), (EV_KEY, BTN_TOUCH, 0)) }

  func end() {
    input?.invalidate()
    engine.invalidate()
  }
}

/// Reads the framebuffer that a display scans out now.
@MainActor
private func withScannedOut<Result>(_ display: KMSDisplay, _ body: (UnsafeRawPointer, _ bytesPerRow: Int) -> Result)
  -> Result?
{
  let descriptor = display.card.interface.descriptor
  guard let crtc = drmModeGetCrtc(descriptor, display.crtc) else { return nil }
  defer { drmModeFreeCrtc(crtc) }
  guard let framebuffer = drmModeGetFB(descriptor, crtc.pointee.buffer_id) else { return nil }
  defer { drmModeFreeFB(framebuffer) }
  var offset: UInt64 = 0
  let size = Int(framebuffer.pointee.pitch) * Int(framebuffer.pointee.height)
  guard drmModeMapDumbBuffer(descriptor, framebuffer.pointee.handle, &offset) == 0,
    let map = mmap(nil, size, PROT_READ, MAP_SHARED, descriptor, Int(offset)), map != MAP_FAILED
  else { return nil }
  defer { munmap(map, size) }
  return body(map, Int(framebuffer.pointee.pitch))
}

/// A finger drags a list of bands, each of its own colour: every frame that is scanned out shows the content under the finger, as it was at one
/// of its last places, at the median not longer ago than two intervals and the longest work of a frame.
@MainActor
func inputScroll() throws {
  let stage = try TouchStage()
  let (band, count) = (8, 4000)
  let list = ScrollLayer(frame: stage.root.bounds)
  list.masksToBounds = true
  for index in 0..<count {
    let layer = Layer(frame: Rect(x: 0, y: Double(index * band), width: stage.root.bounds.width, height: Double(band)))
    layer.backgroundColor = Color(hex: UInt32(index + 1) << 8 | 0x55)
    list.addSublayer(layer)
  }
  stage.root.addSublayer(list)
  let controller = ScrollController(list, content: Size(stage.root.bounds.width, Double(count * band)), axes: .vertical)
  controller.showsIndicators = false
  controller.scroll(to: Point(0, 8000))

  /// The row of the content in the first row of the screen.
  let middle = stage.width / 2
  func shownRow() -> Int? {
    withScannedOut(stage.display) { pixels, bytesPerRow in
      func index(_ y: Int) -> Int {
        Int(pixels.load(fromByteOffset: y * bytesPerRow + 4 * middle, as: UInt32.self) & 0xFF_FFFF) >> 8 - 1
      }
      let first = index(0)
      let rest = (1...band).first { index($0) != first } ?? band
      return first * band + band - rest
    } ?? nil
  }
  var frames: [FrameRecord] = []
  var rows: [Int] = []
  stage.engine.output.observe { event in
    guard case .presented(let frame) = event, frame.input != nil, let row = shownRow() else { return }
    frames.append(frame)
    rows.append(row)
  }.keep()
  stage.run("the list is not shown") { shownRow() == 8000 }

  let start = stage.height - 20
  stage.down(x: middle, y: start)
  var places: [(time: MonotonicTime, y: Int)] = []
  let steps = start - 40
  let timer = FrameLoop.Timer(
    fireTime: stage.engine.loop.clock.now + .milliseconds(20), interval: .milliseconds(2),
    .onMain { _ in
      guard places.count < steps else { return }
      let y = start - places.count - 1
      places.append((stage.engine.loop.clock.now, y))
      stage.screen.write((EV_ABS, ABS_MT_SLOT, 0), (EV_ABS, ABS_MT_POSITION_Y, stage.value(y, of: stage.height)))
    })
  stage.engine.loop.add(timer, to: .common)
  stage.run("the finger does not arrive") {
    guard places.count == steps, let row = rows.last else { return false }
    return abs(row - (8000 + steps - 10)) <= 1
  }
  timer.invalidate()

  // A pan begins behind a slop of ten points, and the content follows from there.
  var (greatest, lags) = (0, [Nanoseconds]())
  for (frame, row) in zip(frames, rows) where row > 8000 {
    let way = row - 8000 + 10
    let place = places.min { abs(start - $0.y - way) < abs(start - $1.y - way) }
    guard let place else { continue }
    greatest = max(greatest, abs(start - place.y - way))
    lags.append(frame.presented - place.time)
  }
  lags.sort()
  Guest.expect(lags.count > 20, "\(lags.count) frames are too few to tell anything")
  Guest.expect(greatest <= 1, "content is \(greatest) pixels beside any place of the finger")
  let interval = stage.display.ticker.refreshRate.interval
  let work = frames.map(\.work).max() ?? .zero
  let median = lags.isEmpty ? .zero : lags[lags.count / 2]
  // It waits for a vblank, is worked on, and is seen at the next one.
  Guest.expect(median <= interval * 2 + work, "the content is \(median) behind the finger")
  Guest.say(
    "\(lags.count) frames, at most \(greatest) pixels beside the finger, the median \(median) behind it, at most \(lags.last ?? .zero)"
  )

  stage.up()
  stage.end()
}

/// Layers that move from round to round, are turned, masked and lie over each other: what a finger hits is what the screen shows there.
@MainActor
func inputHits(_ touches: Int) throws {
  @MainActor
  final class Told: Responder {
    static var found: UInt32?
    let colour: UInt32
    init(_ colour: UInt32) { self.colour = colour }
    override func touchBegan(_ touch: Touch) { Self.found = colour }
  }
  let stage = try TouchStage()
  var random = SystemRandomNumberGenerator()
  func number(_ range: ClosedRange<Double>) -> Double { Double.random(in: range, using: &random) }
  var colours: Set<UInt32> = []
  func make(_ colour: UInt32, _ frame: Rect) -> Layer {
    let layer = Layer(frame: frame)
    layer.backgroundColor = Color(hex: colour)
    layer.responder = Told(colour)
    colours.insert(colour)
    return layer
  }
  let size = stage.root.bounds.size
  stage.root.backgroundColor = Color(hex: 0x10_10_10)
  stage.root.responder = Told(0x10_10_10)
  colours.insert(0x10_10_10)
  var layers: [Layer] = []
  for index in 0..<12 as Range<UInt32> {
    let layer = make(0x20_0000 + index * 0x10_0808, Rect(x: 0, y: 0, width: size.width / 4, height: size.height / 4))
    let inner = make(0x00_2010 + index * 0x08_1008, Rect(x: 20, y: 10, width: size.width / 5, height: size.height / 5))
    layer.addSublayer(inner)
    switch index % 3 {
    case 0: (layer.cornerRadius, layer.masksToBounds) = (30, true)
    case 1:
      let mask = Layer(frame: layer.bounds.insetBy(dx: 15, dy: 25))
      mask.backgroundColor = .black
      layer.mask = mask
    default: break
    }
    stage.root.addSublayer(layer)
    layers.append(layer)
  }
  var frames = 0
  stage.engine.output.observe { if case .presented = $0 { frames += 1 } }.keep()

  var (hits, wrong, mixed) = (0, 0, 0)
  for round in 0..<10 {
    Transaction.withoutActions {
      for layer in layers {
        layer.position = Point(number(0...size.width), number(0...size.height))
        layer.affineTransform = Affine.rotation(number(-3.1...3.1)).concatenating(.scale(number(0.5...1.5)))
      }
    }
    let before = frames
    stage.run("round \(round) is not shown") { frames > before && !stage.engine.output.wantsFrame }
    for _ in 0..<touches / 10 {
      let (x, y) = (
        Int.random(in: 1..<stage.width - 1, using: &random), Int.random(in: 1..<stage.height - 1, using: &random)
      )
      // Edges are smooth: a pixel whose neighbours differ may mix two layers.
      let shown = withScannedOut(stage.display) { pixels, bytesPerRow -> UInt32? in
        func pixel(_ x: Int, _ y: Int) -> UInt32 {
          pixels.load(fromByteOffset: y * bytesPerRow + 4 * x, as: UInt32.self) & 0xFF_FFFF
        }
        let own = pixel(x, y)
        let isEven = (-1...1).allSatisfy { row in (-1...1).allSatisfy { pixel(x + $0, y + row) == own } }
        return isEven && colours.contains(own) ? own : nil
      }
      guard case let expected?? = shown else {
        mixed += 1
        continue
      }
      Told.found = nil
      stage.down(x: x, y: y)
      stage.run("the touch at \(x) \(y) hits nothing") { Told.found != nil }
      if Told.found != expected {
        wrong += 1
        Guest.say("at \(x) \(y) \(Told.found ?? 0) is hit, not \(expected)")
      }
      hits += 1
      stage.up()
    }
  }
  Guest.expect(wrong == 0 && hits > touches / 2, "\(wrong) of \(hits) touches hit another layer than is seen")
  Guest.say("\(hits) touches hit what is seen, \(mixed) pixels at edges left out")
  stage.end()
}
