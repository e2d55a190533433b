import Framepace
import FramepaceTesting
import XCTest

/// Input that changes nothing costs the turn that delivers it, and no frame.
@preconcurrency @MainActor final class IdlePointerTests: XCTestCase {
  /// A layer that counts what is asked of it.
  private final class Card: Layer {
    var calls = 0
    override func layoutSublayers() { calls += 1 }
    override func draw(in context: DrawingContext) { calls += 1 }
  }

  /// Takes all that people do, and does nothing about it.
  private final class Deaf: Responder {
    var moves = 0
    override func hovered(at point: Point) { moves += 1 }
    override func touchBegan(_ touch: Touch) {}
    override func touchMoved(_ touch: Touch) { moves += 1 }
    override func touchEnded(_ touch: Touch) {}
  }

  private static let mouse = InputDevice(id: InputDevice.ID(rawValue: 1), name: "mouse", abilities: .pointer)
  private static let panel = InputDevice(id: InputDevice.ID(rawValue: 2), name: "panel", abilities: .touch)

  /// A pointer that moves over layers, and a finger that is dragged over them with a recognizer that looks: neither layout nor drawing, no frame,
  /// and the display is asked for no vblank.
  func testMovementsThatChangeNothingMakeNoFrame() throws {
    let stage = try ManualStage(width: 100, height: 100, rate: .hertz60)
    defer { stage.engine.invalidate() }
    let (card, deaf) = (Card(), Deaf())
    card.frame = Rect(x: 10, y: 10, width: 80, height: 80)
    card.responder = deaf
    var pans = 0
    let pan = PanGestureRecognizer(PanMachine()) { _ in pans += 1 }
    pan.cancelsTouches = false
    card.addGestureRecognizer(pan)
    stage.root.addSublayer(card)
    card.setNeedsDisplay()
    stage.run(for: .seconds(1))
    XCTAssertGreaterThan(stage.frames.count, 0)
    var events = 0
    stage.engine.output.observe { _ in events += 1 }.keep()
    let before = (frames: stage.frames.count, calls: card.calls)

    func send(_ device: InputDevice, _ action: InputEvent.Action) {
      stage.engine.inputRouter.receive(InputEvent(time: stage.clock.now, device: device.id, action: action))
      stage.turn()
      stage.run(for: .milliseconds(3))
    }
    for device in [Self.mouse, Self.panel] { send(device, .added(device)) }
    for step in 0..<500 { send(Self.mouse, .position(Point(Double(step % 100) / 100, 0.5))) }
    send(Self.panel, .touch(finger: 0, .down(Point(0.2, 0.2))))
    for step in 0..<500 { send(Self.panel, .touch(finger: 0, .moved(Point(0.2 + Double(step) / 1000, 0.3)))) }
    send(Self.panel, .touch(finger: 0, .up))
    XCTAssertGreaterThan(deaf.moves, 800)
    XCTAssertGreaterThan(pans, 400)
    XCTAssertEqual(stage.frames.count, before.frames)
    XCTAssertEqual(card.calls, before.calls)
    XCTAssertEqual(events, 0, "ticks, frames or rests")

    // The same stage shows what does change.
    send(Self.panel, .touch(finger: 0, .down(Point(0.2, 0.2))))
    Transaction.withoutActions { card.position.x += 1 }
    stage.run(for: .seconds(1))
    XCTAssertEqual(stage.frames.count, before.frames + 1)
  }
}
