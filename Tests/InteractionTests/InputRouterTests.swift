import Geometry
import Input
import Layers
import LinuxSystem
import TestLength
import XCTest

@testable import Interaction

/// XCTests because a loop of the main thread must run there.
@preconcurrency @MainActor final class InputRouterTests: XCTestCase {
  func testATouchStaysWithItsLayer() {
    let stage = InputStage()
    _ = stage.add("left", Rect(x: 0, y: 0, width: 200, height: 300))
    _ = stage.add("right", Rect(x: 200, y: 0, width: 200, height: 300))
    stage.down(150, 10)
    stage.turn()
    stage.move(210, 10)
    stage.move(250, 20)
    stage.turn()
    stage.up()
    stage.turn()
    XCTAssertEqual(stage.taken(), ["left began 150 10", "left moved 250 20", "left ended 250 20"])
  }

  func testMovementsOfATurnAreOneEventWithItsHistory() {
    let stage = InputStage()
    final class Brush: Responder {
      var points: [[Double]] = []
      var previous: [Double] = []
      override func touchMoved(_ touch: Touch) {
        points.append(touch.history.map(\.contact.location.x))
        previous.append(touch.previousLocation.x)
      }
    }
    let brush = Brush()
    stage.root.responder = brush
    stage.down(100, 0)
    for x in 1...5 { stage.move(100 + Double(x) * 100 / 2, 0) }
    stage.turn()
    stage.move(0, 0)
    stage.turn()
    XCTAssertEqual(brush.points, [[150, 200, 250, 300, 350], [0]])
    XCTAssertEqual(brush.previous, [100, 350])
  }

  /// A finger that stops: its place is foretold from its last movement, until its silence tells that it rests.
  func testATouchThatRestsIsWhereItIs() throws {
    final class Holder: Responder {
      var touch: Touch?
      override func touchBegan(_ touch: Touch) { self.touch = touch }
    }
    let (stage, holder) = (InputStage(), Holder())
    stage.root.responder = holder
    stage.down(100, 0)
    stage.turn()
    for step in 1...5 {
      stage.clock.advance(by: .milliseconds(8))
      stage.move(100 + 8 * Double(step), 0)
      stage.turn()
    }
    let touch = try XCTUnwrap(holder.touch)
    func place(in milliseconds: Int64) -> Double {
      touch.location(predictedFor: stage.clock.now + .milliseconds(milliseconds)).x
    }
    XCTAssertEqual([-12, -5, 0, 2, 16].map(place), [128, 135, 140, 142, 144])
    stage.clock.advance(by: .milliseconds(21))
    XCTAssertEqual([-26, -21, 0, 16].map(place), [135, 140, 140, 140])
  }

  func testATouchGoesUpToTheNextResponder() {
    let stage = InputStage()
    let card = stage.add("card", Rect(x: 10, y: 10, width: 100, height: 100))
    _ = stage.add("label", Rect(x: 10, y: 10, width: 50, height: 50), in: card, tells: false)
    let off = stage.add("off", Rect(x: 200, y: 0, width: 100, height: 100))
    off.isInteractionEnabled = false
    stage.router.lastResponder = Teller("last", stage)
    stage.down(30, 30)
    stage.down(250, 50, finger: 1)
    stage.turn()
    XCTAssertEqual(stage.taken(), ["card began 20 20", "last began"])
  }

  func testATouchOfALayerThatLeavesIsCancelled() {
    let stage = InputStage()
    var card: Layer? = stage.add("card", Rect(x: 0, y: 0, width: 100, height: 100))
    stage.down(30, 30)
    stage.turn()
    card?.removeFromSuperlayer()
    stage.turn(for: .milliseconds(1))
    stage.move(40, 40)
    stage.up()
    stage.turn()
    XCTAssertEqual(stage.taken(), ["card began 30 30", "card cancelled 30 30"])
    card = nil
    stage.down(30, 30)
    stage.turn()
    XCTAssertEqual(stage.taken(), [])
  }

  /// The gesture of a superlayer goes on when the layer leaves on which its finger began, such as a row that is recycled.
  func testAGestureOutlivesTheLayerOfItsTouch() {
    let stage = InputStage()
    let row = stage.add("row", Rect(x: 0, y: 0, width: 100, height: 100))
    stage.root.addGestureRecognizer(GestureRecognizer(Drag()) { [weak stage] in stage?.log.append("drag \($0.state)") })
    stage.down(30, 30)
    stage.move(60, 30)
    stage.turn()
    row.removeFromSuperlayer()
    stage.move(80, 30)
    stage.turn()
    stage.up()
    stage.turn()
    XCTAssertEqual(
      stage.taken(),
      ["row began 30 30", "row moved 60 30", "row cancelled 60 30", "drag began", "drag changed", "drag ended"])
  }

  /// A responder that runs the loop gets what comes meanwhile, and nothing twice.
  func testAResponderMayRunTheLoop() {
    let stage = InputStage()
    final class Nested: Responder {
      weak let stage: InputStage?
      init(_ stage: InputStage) { self.stage = stage }
      override func touchBegan(_ touch: Touch) {
        stage?.log.append("began \(touch.id.rawValue)")
        guard touch.id.rawValue == 1 else { return }
        stage?.down(50, 50, finger: 5)
        stage?.turn()
        stage?.log.append("nested run over")
      }
      override func touchEnded(_ touch: Touch) { stage?.log.append("ended \(touch.id.rawValue)") }
    }
    stage.root.responder = Nested(stage)
    stage.down(10, 10)
    stage.up()
    stage.turn()
    stage.up(finger: 5)
    stage.turn()
    XCTAssertEqual(stage.taken(), ["began 1", "began 2", "nested run over", "ended 1", "ended 2"])
  }

  /// A screen goes while its root stays, as a mirror's: its touches and keys end all the same.
  func testAMirrorThatGoesEndsItsTouches() {
    let stage = InputStage()
    _ = stage.add("card", Rect(x: 0, y: 0, width: 400, height: 300))
    let mirror = InputRouter.Screen(
      InputScreen(name: "M", frame: Rect(x: 400, y: 0, width: 400, height: 300)), root: stage.root)
    stage.router.screens.append(mirror)
    let device = InputDevice(id: InputDevice.ID(rawValue: 9), name: "", abilities: .touch, outputName: "M")
    stage.router.receive(InputEvent(time: stage.clock.now, device: device.id, action: .added(device)))
    stage.router.receive(
      InputEvent(time: stage.clock.now, device: device.id, action: .touch(finger: 0, .down(Point(0.5, 0.5)))))
    stage.turn()
    stage.router.screens.removeLast()
    stage.turn()
    XCTAssertEqual(stage.taken(), ["card began 200 150", "card cancelled 200 150"])
  }

  /// With the router everything ends, and another one may take over the same layers.
  func testAnInvalidatedRouterEndsEverything() throws {
    let stage = InputStage()
    _ = stage.add("card", Rect(x: 0, y: 0, width: 400, height: 300))
    let drag = GestureRecognizer(Drag()) { [weak stage] in stage?.log.append("drag \($0.state)") }
    drag.cancelsTouches = false
    stage.root.addGestureRecognizer(drag)
    stage.down(30, 30)
    stage.move(60, 30)
    stage.turn()
    stage.router.invalidate()
    XCTAssertEqual(
      stage.taken(), ["card began 30 30", "card moved 60 30", "drag began", "card cancelled 60 30", "drag cancelled"])
    XCTAssertEqual(drag.state, .possible)
    stage.up()
    stage.turn()
    XCTAssertEqual(stage.taken(), [])
  }

  func testADeviceThatGoesAwayCancelsItsTouches() {
    let stage = InputStage()
    _ = stage.add("card", Rect(x: 0, y: 0, width: 100, height: 100))
    stage.down(30, 30)
    stage.down(40, 40, finger: 1)
    stage.router.receive(InputEvent(time: stage.clock.now, device: InputStage.screen.id, action: .removed))
    stage.turn()
    XCTAssertEqual(
      stage.taken().sorted(), ["card began 30 30", "card began 40 40", "card cancelled 30 30", "card cancelled 40 40"])
  }

  func testThePointerHoversOverOneResponder() {
    let stage = InputStage()
    _ = stage.add("left", Rect(x: 0, y: 0, width: 200, height: 300))
    _ = stage.add("right", Rect(x: 200, y: 0, width: 200, height: 300))
    func move(_ x: Double) {
      stage.router.receive(
        InputEvent(time: stage.clock.now, device: InputStage.mouse.id, action: .motion(Point(x, 0))))
      stage.turn()
    }
    move(-10)
    move(-20)
    move(100)
    stage.down(10, 10)
    stage.turn()
    XCTAssertEqual(
      stage.taken(),
      ["left hovered", "left hovered", "left hover ended", "right hovered", "right hover ended", "left began 10 10"])
  }

  /// Whatever devices send, and however layers come and go meanwhile: every touch that a responder was told of ends once, and so does every
  /// gesture that begins.
  func testEverythingThatBeginsEnds() {
    for seed in 0..<(isLongRun ? 2000 : 60) {
      let stage = InputStage()
      var random = SplitMix64(seed: UInt64(seed))
      var devices = RandomDevices(seed: UInt64(seed))
      let watch = Watch()
      var layers: [Layer] = []
      for index in 0..<6 {
        let frame = Rect(x: Double(index * 50), y: Double(index * 20), width: 150, height: 150)
        let layer = stage.add("\(index)", frame, in: layers.randomElement(using: &random), tells: false)
        layer.responder = watch.responder()
        layer.addGestureRecognizer(GestureRecognizer(Drag()) { watch.take($0) })
        layer.addGestureRecognizer(GestureRecognizer(Press(waitsForSecond: .milliseconds(50))) { watch.take($0) })
        layers.append(layer)
      }
      for _ in 0..<150 {
        for _ in 0..<Int.random(in: 0...8, using: &random) { stage.router.receive(devices.next()) }
        if Int.random(in: 0..<6, using: &random) == 0, let layer = layers.randomElement(using: &random) {
          if layer.superlayer == nil { stage.root.addSublayer(layer) } else { layer.removeFromSuperlayer() }
        }
        if Int.random(in: 0..<20, using: &random) == 0 { stage.router.cancelAll() }
        stage.turn(for: .milliseconds(Int64.random(in: 0...20, using: &random)))
      }
      for event in devices.end() { stage.router.receive(event) }
      stage.turn(for: .seconds(1))
      XCTAssertEqual(watch.faults, [], "seed \(seed)")
      XCTAssertEqual(watch.touches.count, 0, "seed \(seed)")
      XCTAssertEqual(watch.gestures.count, 0, "seed \(seed)")
      for recognizer in layers.flatMap(\.gestureRecognizers) {
        XCTAssertEqual(recognizer.state, .possible, "seed \(seed)")
        XCTAssertEqual(recognizer.touchCount, 0, "seed \(seed)")
      }
    }
  }

  @MainActor
  private final class Watch {
    var touches: Set<ObjectIdentifier> = []
    var gestures: Set<ObjectIdentifier> = []
    var faults: [String] = []

    func take(_ recognizer: AnyGestureRecognizer) {
      let id = ObjectIdentifier(recognizer)
      switch recognizer.state {
      case .began: if !gestures.insert(id).inserted { faults.append("began twice") }
      case .changed: if !gestures.contains(id) { faults.append("changed without having begun") }
      case .ended, .cancelled: gestures.remove(id)
      case .possible, .failed: faults.append("called while \(recognizer.state)")
      }
    }

    func responder() -> Responder { Told(self) }

    private final class Told: Responder {
      unowned let watch: Watch
      private var kept: [Touch] = []
      init(_ watch: Watch) { self.watch = watch }
      override func touchBegan(_ touch: Touch) {
        kept.append(touch)
        if !watch.touches.insert(ObjectIdentifier(touch)).inserted { watch.faults.append("touch began twice") }
      }
      override func touchMoved(_ touch: Touch) {
        if !watch.touches.contains(ObjectIdentifier(touch)) { watch.faults.append("touch moved") }
      }
      override func touchEnded(_ touch: Touch) { end(touch) }
      override func touchCancelled(_ touch: Touch) { end(touch) }
      private func end(_ touch: Touch) {
        if watch.touches.remove(ObjectIdentifier(touch)) == nil { watch.faults.append("touch ended twice") }
      }
    }
  }
}
