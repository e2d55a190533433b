import Compositing
import Framepace
import KMS
import RenderTree

/// A scene on the first card's screen, mirrored on those of the others: each has its own frames, and goes its own way when another
/// one is away. What each scans out is what a full render paints for it.
@MainActor
func mirror() throws {
  let session = DisplaySession.direct(why: "a test")
  let first = try Displays.kms(session: session)
  let others = Displays.others(beside: first, session: session)
  for error in others.refused { Guest.expect(false, "\(error)") }
  Guest.expect(others.displays.count == 1, "\(others.displays.count) screens beside \(first.name)")
  let stage = MirrorStage([first] + others.displays)
  stage.run("both", expecting: [true, true])
  for (index, display) in stage.displays.enumerated() {
    display.isPowered = false
    stage.run("without \(display.connectorName)", expecting: [index != 0, index != 1])
    display.isPowered = true
    stage.run("with it again", expecting: [true, true])
  }
  stage.compareAtRest()
  stage.engine.invalidate()
}

/// Something that turns, on several screens.
@MainActor
private final class MirrorStage {
  let displays: [KMSDisplay]
  let engine: Engine
  private let turning = Layer(frame: Rect(x: 100, y: 100, width: 60, height: 40))
  private var counts: [Int]

  init(_ displays: [KMSDisplay]) {
    self.displays = displays
    counts = displays.map { _ in 0 }
    let root = Layer()
    root.backgroundColor = Color(red: 0, green: 0, blue: 0.4)
    engine = Engine(display: displays[0], root: root)
    for display in displays.dropFirst() { engine.mirror(on: display) }
    for (index, output) in engine.outputs.enumerated() {
      output.observe { [unowned self] event in
        if case .presented = event { counts[index] += 1 }
        if case .refused(let error) = event { Guest.expect(false, "\(error)") }
      }.keep()
    }
    turning.backgroundColor = .white
    turning.cornerRadius = 9
    root.addSublayer(turning)
    var animation = BasicAnimation(.rotation, from: 0, to: 6, duration: .seconds(1))
    animation.repeatCount = .infinity
    turning.add(animation)
  }

  /// Counts frames for two seconds, after half a second in which things settle.
  func run(_ name: String, expecting isSeen: [Bool]) {
    engine.run(for: .milliseconds(500))
    counts = counts.map { _ in 0 }
    engine.run(for: .seconds(2))
    Guest.say("\(name): " + zip(displays, counts).map { "\($1) frames on \($0.name)" }.joined(separator: ", "))
    for ((display, count), isSeen) in zip(zip(displays, counts), isSeen) {
      let hertz = display.ticker.refreshRate.hertz
      // All of them, but for what an emulated processor misses.
      let isRight = isSeen ? Double(count) > 1.8 * hertz && Double(count) < 2.05 * hertz : count == 0
      Guest.expect(isRight, "\(name): \(count) frames on \(display.name) in 2 s")
    }
  }

  /// Stops the scene and looks at what is scanned out.
  func compareAtRest() {
    Transaction.withoutActions {
      turning.removeAllAnimations()
      turning.transform = .rotation(0.3)
    }
    engine.run(for: .milliseconds(500))
    var tree = engine.context.renderTree(at: engine.loop.clock.now)
    let picture = engine.root.bounds.size
    for (index, display) in displays.enumerated() {
      let (width, height) = (display.presenter.width, display.presenter.height)
      if index > 0 { tree.viewport = letterbox(picture, onWidth: width, height: height) }
      guard let full = try? Bitmap(width: width, height: height) else { return Guest.expect(false, "no memory") }
      let all = DamageRegion(IntRect(x: 0, y: 0, width: width, height: height))
      Compositor().render(tree, damage: all, into: full)
      compareScannedOut(display, with: full)
    }
  }

  /// The largest size that fits, centred, with edges between pixels.
  private func letterbox(_ picture: Size, onWidth width: Int, height: Int) -> Viewport {
    let scale = min(Double(width) / picture.width, Double(height) / picture.height)
    let (left, right) = edges(picture.width * scale, in: width)
    let (top, bottom) = edges(picture.height * scale, in: height)
    let transform = Affine.scale(
      x: Double(right - left) / picture.width, y: Double(bottom - top) / picture.height)
    return Viewport(
      transform: transform.concatenating(.translation(x: Double(left), y: Double(top))),
      clip: IntRect(x: left, y: top, width: right - left, height: bottom - top))
  }

  private func edges(_ side: Double, in whole: Int) -> (Int, Int) {
    let start = (Double(whole) - side) / 2
    return (Int((start + 0.5).rounded(.down)), Int((start + side + 0.5).rounded(.down)))
  }
}
