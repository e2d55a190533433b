import Geometry
import Input
import Layers
import LinuxSystem
import RunLoops

@testable import Interaction

/// A touch screen of 400 by 300 points, a mouse and a router, on manual time.
@MainActor
final class InputStage {
  let clock = ManualClock(start: .zero + .seconds(100))
  let loop: FrameLoop
  let root = Layer(frame: Rect(x: 0, y: 0, width: 400, height: 300))
  let router: InputRouter
  /// Everything that responders and recognizers told, in order.
  var log: [String] = []
  static let screen = InputDevice(id: InputDevice.ID(rawValue: 1), name: "screen", abilities: .touch)
  static let mouse = InputDevice(id: InputDevice.ID(rawValue: 2), name: "mouse", abilities: .pointer)

  init() {
    loop = FrameLoop(clock: .manual(clock))
    router = InputRouter(screens: [InputRouter.Screen(InputScreen(frame: root.frame), root: root)], loop: loop)
    router.receive(InputEvent(time: clock.now, device: Self.screen.id, action: .added(Self.screen)))
    router.receive(InputEvent(time: clock.now, device: Self.mouse.id, action: .added(Self.mouse)))
  }

  /// A layer in the root, or in another one, whose responder tells the touches.
  func add(_ name: String, _ frame: Rect, in superlayer: Layer? = nil, tells: Bool = true) -> Layer {
    let layer = Layer(frame: frame)
    layer.name = name
    if tells { layer.responder = Teller(name, self) }
    (superlayer ?? root).addSublayer(layer)
    return layer
  }

  /// Sends what a finger does, without a turn.
  func touch(_ finger: Int = 0, _ touch: InputEvent.Touch) {
    router.receive(InputEvent(time: clock.now, device: Self.screen.id, action: .touch(finger: finger, touch)))
  }

  func down(_ x: Double, _ y: Double, finger: Int = 0) { touch(finger, .down(Point(x / 400, y / 300))) }
  func move(_ x: Double, _ y: Double, finger: Int = 0) { touch(finger, .moved(Point(x / 400, y / 300))) }
  func up(finger: Int = 0) { touch(finger, .up) }

  /// Lets the loop handle all that came, as long as the clock says.
  func turn(for duration: Nanoseconds = .zero) {
    let end = clock.now + duration
    repeat { loop.run(mode: .default, until: end) } while clock.now < end
  }

  func taken() -> [String] {
    defer { log = [] }
    return log
  }
}

@MainActor
final class Teller: Responder {
  let name: String
  weak let stage: InputStage?
  init(_ name: String, _ stage: InputStage) { (self.name, self.stage) = (name, stage) }

  private func tell(_ word: String, _ touch: Touch) {
    guard let layer, let place = touch.location(in: layer) else { stage?.log.append("\(name) \(word)"); return }
    stage?.log.append("\(name) \(word) \(Int(place.x.rounded())) \(Int(place.y.rounded()))")
  }

  override func touchBegan(_ touch: Touch) { tell("began", touch) }
  override func touchMoved(_ touch: Touch) { tell("moved", touch) }
  override func touchEnded(_ touch: Touch) { tell("ended", touch) }
  override func touchCancelled(_ touch: Touch) { tell("cancelled", touch) }
  override func hovered(at point: Point) { stage?.log.append("\(name) hovered") }
  override func hoverEnded() { stage?.log.append("\(name) hover ended") }
}

/// Ends when its contact ends within 10 points, and fails otherwise.
struct Press: GestureMachine {
  var state = GestureState.possible
  var deadline: MonotonicTime?
  /// With one, a second press must follow within it.
  var waitsForSecond: Nanoseconds?
  private var start: Contact?
  private var count = 0

  init(waitsForSecond: Nanoseconds? = nil) { self.waitsForSecond = waitsForSecond }

  mutating func handle(_ contact: Contact) {
    guard !state.isFinal else { return }
    switch contact.phase {
    case .began:
      deadline = nil
      if start != nil { state = .failed }
      start = contact
    case .moved: if abs(contact.location.x - (start?.location.x ?? 0)) > 10 { state = .failed }
    case .cancelled: state = .failed
    case .ended:
      start = nil
      count += 1
      guard let waitsForSecond, count < 2 else { return state = .ended }
      deadline = contact.time + waitsForSecond
    }
  }

  mutating func pass(_ time: MonotonicTime) {
    if let deadline, time >= deadline, state == .possible { (state, self.deadline) = (.failed, nil) }
  }

  mutating func reset() { self = Press(waitsForSecond: waitsForSecond) }
}

/// Begins when its first contact has moved by more than so many points to the side.
struct Drag: GestureMachine {
  var slop = 10.0
  var state = GestureState.possible
  var deadline: MonotonicTime? { nil }
  private var start: Contact?
  private(set) var distance = 0.0

  init(slop: Double = 10) { self.slop = slop }

  mutating func handle(_ contact: Contact) {
    guard !state.isFinal else { return }
    switch contact.phase {
    case .began: start = start ?? contact
    case .moved:
      guard let start, start.id == contact.id else { return }
      distance = contact.location.x - start.location.x
      if state != .possible { state = .changed } else if abs(distance) > slop { state = .began }
    case .ended, .cancelled:
      guard start?.id == contact.id else { return }
      state = state == .possible ? .failed : contact.phase == .ended ? .ended : .cancelled
    }
  }

  mutating func pass(_ time: MonotonicTime) {}
  mutating func reset() { self = Drag(slop: slop) }
}
