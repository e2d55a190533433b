import Geometry
import Input
import Layers
import LinuxSystem
import XCTest

@testable import Interaction

@preconcurrency @MainActor final class GestureArbiterTests: XCTestCase {
  private func recognizer<Machine: GestureMachine>(
    _ name: String, _ machine: Machine, on layer: Layer, _ stage: InputStage
  ) -> GestureRecognizer<Machine> {
    let recognizer = GestureRecognizer(machine) { [weak stage] in stage?.log.append("\(name) \($0.state)") }
    layer.addGestureRecognizer(recognizer)
    return recognizer
  }

  private func press(_ stage: InputStage) {
    stage.down(20, 20)
    stage.turn(for: .milliseconds(50))
    stage.up()
    stage.turn(for: .milliseconds(10))
  }

  func testAGestureTakesTheTouchFromItsResponder() {
    let stage = InputStage()
    _ = stage.add("card", Rect(x: 0, y: 0, width: 300, height: 300))
    _ = recognizer("drag", Drag(), on: stage.root, stage)
    stage.down(50, 50)
    stage.turn()
    stage.move(55, 50)
    stage.turn()
    stage.move(70, 50)
    stage.turn()
    stage.move(75, 50)
    stage.move(80, 50)
    stage.turn()
    stage.up()
    stage.turn()
    XCTAssertEqual(
      stage.taken(),
      [
        "card began 50 50", "card moved 55 50", "card moved 70 50", "card cancelled 70 50", "drag began", "drag changed",
        "drag ended",
      ])
  }

  func testAWholeGestureInOneTurnHasAllItsStates() {
    let stage = InputStage()
    _ = recognizer("drag", Drag(), on: stage.root, stage)
    stage.down(50, 50)
    for x in [70.0, 80, 90] { stage.move(x, 50) }
    stage.up()
    stage.down(60, 50)
    stage.move(90, 50)
    stage.turn()
    XCTAssertEqual(stage.taken(), ["drag began", "drag changed", "drag ended", "drag began"])
  }

  func testTheInnermostOfTwoWins() {
    let stage = InputStage()
    let card = stage.add("card", Rect(x: 0, y: 0, width: 300, height: 300), tells: false)
    let outer = recognizer("outer", Drag(), on: stage.root, stage)
    let slow = recognizer("slow", Drag(slop: 100), on: stage.root, stage)
    _ = recognizer("inner", Drag(), on: card, stage)
    stage.down(50, 50)
    stage.move(70, 50)
    stage.turn()
    XCTAssertEqual([outer.state, slow.state], [.failed, .failed])
    stage.up()
    stage.turn()
    XCTAssertEqual(stage.taken(), ["inner began", "inner ended"])
    XCTAssertEqual(outer.state, .possible)
  }

  @MainActor private final class Together: GestureRecognizerDelegate {
    func gestureRecognizer(
      _ recognizer: AnyGestureRecognizer, shouldRecognizeSimultaneouslyWith other: AnyGestureRecognizer
    ) -> Bool { true }
  }

  @MainActor private final class Never: GestureRecognizerDelegate {
    func gestureRecognizerShouldBegin(_ recognizer: AnyGestureRecognizer) -> Bool { false }
  }

  func testTwoMayGoOnTogether() {
    let stage = InputStage()
    let outer = recognizer("outer", Drag(), on: stage.root, stage)
    _ = recognizer("other", Drag(), on: stage.root, stage)
    let delegate = Together()
    outer.delegate = delegate
    stage.down(50, 50)
    stage.move(70, 50)
    stage.up()
    stage.turn()
    XCTAssertEqual(stage.taken(), ["outer began", "other began", "outer ended", "other ended"])
  }

  func testADelegateLetsAnotherBegin() {
    let stage = InputStage()
    let first = recognizer("first", Drag(), on: stage.root, stage)
    _ = recognizer("second", Drag(), on: stage.root, stage)
    let delegate = Never()
    first.delegate = delegate
    stage.down(50, 50)
    stage.move(70, 50)
    stage.turn()
    XCTAssertEqual(stage.taken(), ["second began"])
  }

  func testAPressWaitsUntilNoSecondFollows() {
    let stage = InputStage()
    let single = recognizer("single", Press(), on: stage.root, stage)
    let double = recognizer("double", Press(waitsForSecond: .milliseconds(300)), on: stage.root, stage)
    single.requireFailure(of: double)
    press(stage)
    XCTAssertEqual(stage.taken(), [])
    stage.turn(for: .milliseconds(280))
    XCTAssertEqual(stage.taken(), [])
    stage.turn(for: .milliseconds(20))
    XCTAssertEqual(stage.taken(), ["single ended"])
    press(stage)
    press(stage)
    stage.turn(for: .seconds(1))
    XCTAssertEqual(stage.taken(), ["double ended"])
    // A press long after the first one: both are single.
    press(stage)
    stage.turn(for: .milliseconds(500))
    press(stage)
    stage.turn(for: .milliseconds(500))
    XCTAssertEqual(stage.taken(), ["single ended", "single ended"])
    // The same, where the loop was busy meanwhile and finds all of it at once.
    for _ in 0..<2 {
      stage.down(20, 20)
      stage.clock.advance(by: .milliseconds(50))
      stage.up()
      stage.clock.advance(by: .milliseconds(450))
    }
    stage.turn()
    XCTAssertEqual(stage.taken(), ["single ended", "single ended"])
  }

  func testTwoThatWaitForEachOtherDoNotWaitForEver() {
    let stage = InputStage()
    let first = recognizer("first", Drag(), on: stage.root, stage)
    let second = recognizer("second", Drag(), on: stage.root, stage)
    first.requireFailure(of: second)
    second.requireFailure(of: first)
    stage.down(50, 50)
    stage.move(70, 50)
    stage.up()
    stage.turn()
    XCTAssertEqual(stage.taken(), ["second began", "second ended"])
    XCTAssertEqual(first.state, .possible)
  }

  /// Two fingers that move side by side, all of it read at once, are no pinch: their samples are taken in the order of their times.
  func testFingersAreTakenInTheOrderOfTheirTimes() {
    let stage = InputStage()
    let pinch = GestureRecognizer(PinchMachine()) { [weak stage] in stage?.log.append("pinch \($0.state)") }
    stage.root.addGestureRecognizer(pinch)
    stage.down(100, 100)
    stage.down(200, 100, finger: 1)
    stage.turn()
    for step in 1...40 {
      stage.clock.advance(by: .milliseconds(4))
      stage.move(100 + 4 * Double(step), 100)
      stage.move(200 + 4 * Double(step), 100, finger: 1)
    }
    stage.turn()
    XCTAssertEqual(stage.taken(), [])
    stage.move(300, 250)
    stage.turn()
    XCTAssertEqual(stage.taken(), ["pinch began"])
  }

  /// The loop was busy while a finger pressed: what waits to be read is read before the time alone decides.
  func testABusyMomentMakesNoLongPress() {
    let stage = InputStage()
    stage.root.addGestureRecognizer(
      GestureRecognizer(LongPressMachine()) { [weak stage] in stage?.log.append("long press \($0.state)") })
    stage.root.addGestureRecognizer(GestureRecognizer(TapMachine()) { [weak stage] in stage?.log.append("tap \($0.state)") })
    var waiting: InputEvent?
    stage.router.readWaiting = { if let event = exchange(&waiting, with: nil) { stage.router.receive(event) } }
    stage.down(20, 20)
    stage.turn()
    stage.clock.advance(by: .milliseconds(120))
    waiting = InputEvent(time: stage.clock.now, device: InputStage.screen.id, action: .touch(finger: 0, .up))
    stage.clock.advance(by: .milliseconds(600))
    stage.turn()
    XCTAssertEqual(stage.taken(), ["tap ended"])
  }

  func testAGestureThatIsDisabledIsCancelled() {
    let stage = InputStage()
    let drag = recognizer("drag", Drag(), on: stage.root, stage)
    stage.down(50, 50)
    stage.move(70, 50)
    stage.turn()
    drag.isEnabled = false
    stage.move(90, 50)
    stage.up()
    stage.turn()
    XCTAssertEqual(stage.taken(), ["drag began", "drag cancelled"])
    drag.isEnabled = true
    stage.down(50, 50)
    stage.move(70, 50)
    stage.turn()
    stage.root.removeGestureRecognizer(drag)
    XCTAssertEqual(stage.taken(), ["drag began", "drag cancelled"])
  }

  func testAnotherButtonIsIgnored() {
    let stage = InputStage()
    let menu = recognizer("menu", Press(), on: stage.root, stage)
    _ = recognizer("press", Press(), on: stage.root, stage)
    menu.button = .rightButton
    func click(_ button: InputCode) {
      for isDown in [true, false] {
        stage.router.receive(
          InputEvent(time: stage.clock.now, device: InputStage.mouse.id, action: .button(button, isDown: isDown)))
      }
      stage.turn()
    }
    click(.leftButton)
    click(.rightButton)
    XCTAssertEqual(stage.taken(), ["press ended", "menu ended"])
  }

  func testAnActionMayChangeWhatIsRecognized() {
    let stage = InputStage()
    let card = stage.add("card", Rect(x: 0, y: 0, width: 300, height: 300), tells: false)
    let drag = GestureRecognizer(Drag()) { drag in
      stage.log.append("drag \(drag.state)")
      if drag.state == .began { drag.layer?.removeFromSuperlayer() }
    }
    card.addGestureRecognizer(drag)
    stage.down(50, 50)
    stage.move(70, 50)
    stage.move(75, 50)
    stage.turn()
    stage.up()
    stage.turn()
    XCTAssertEqual(stage.taken(), ["drag began", "drag cancelled"])
    XCTAssertEqual(drag.state, .possible)
  }
}
