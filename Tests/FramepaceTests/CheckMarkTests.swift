import Framepace
import FramepaceTesting
import XCTest

/// The machine of the page "Writing a gesture recognizer" of the module Interaction, word for word.
private struct CheckMark: GestureMachine {
  private enum Stroke {
    case none
    case falling(from: Point, lowest: Point)
    case decided(GestureState)
  }

  private var stroke = Stroke.none

  var state: GestureState { if case .decided(let state) = stroke { state } else { .possible } }
  var deadline: MonotonicTime? { nil }

  mutating func handle(_ contact: Contact) {
    switch (stroke, contact.phase) {
    case (.decided, _): break
    case (.none, .began): stroke = .falling(from: contact.location, lowest: contact.location)
    case (.falling(let from, let lowest), .moved):
      if contact.location.y > lowest.y { stroke = .falling(from: from, lowest: contact.location) }
    case (.falling(let from, let lowest), .ended):
      let (fall, rise) = (lowest.y - from.y, lowest.y - contact.location.y)
      let isCheckMark = fall > 20 && rise > fall && contact.location.x > lowest.x + 20
      stroke = .decided(isCheckMark ? .ended : .failed)
    // A second finger, or a touch that was taken away.
    case (.falling, .began), (_, .cancelled): stroke = .decided(.failed)
    case (.none, _): break
    }
  }

  mutating func pass(_ time: MonotonicTime) {}
  mutating func reset() { stroke = .none }
}

/// The page's two tests, of the machine and on a layer.
@preconcurrency @MainActor final class CheckMarkTests: XCTestCase {
  func testTheMachine() {
    let cases: [([(Double, Double)], GestureState)] = [
      ([(10.0, 10.0), (20, 50), (60, 0)], .ended), ([(10, 10), (20, 50), (10, 0)], .failed),
      ([(10, 10), (20, 50), (60, 40)], .failed), ([(10, 10), (60, 0)], .failed),
    ]
    for (places, state) in cases {
      var mark = CheckMark()
      func contact(_ phase: Contact.Phase, _ place: (Double, Double)) -> Contact {
        Contact(id: .init(rawValue: 1), phase: phase, time: .zero, location: Point(place.0, place.1))
      }
      mark.handle(contact(.began, places[0]))
      for place in places.dropFirst() { mark.handle(contact(.moved, place)) }
      XCTAssertEqual(mark.state, .possible)
      mark.handle(contact(.ended, places[places.count - 1]))
      XCTAssertEqual(mark.state, state)
      mark.reset()
      XCTAssertEqual(mark.state, .possible)
    }
  }

  func testOnALayer() throws {
    let stage = try ManualStage(width: 100, height: 100, rate: .hertz60)
    defer { stage.engine.invalidate() }
    var marks = 0
    stage.root.addGestureRecognizer(GestureRecognizer(CheckMark()) { _ in marks += 1 })
    let script = try InputScript(
      """
      framepace input 1
      0.00 1 added "finger" touch
      0.10 1 touch 0 down 0.1 0.1
      0.15 1 touch 0 moved 0.2 0.5
      0.20 1 touch 0 moved 0.6 0
      0.25 1 touch 0 up
      """)
    let player = InputPlayer(script, clock: stage.loop.clock) { stage.engine.inputRouter.receive($0) }
    player.add(to: stage.loop, mode: .common)
    player.start(at: stage.clock.now)
    stage.run(for: .seconds(1))
    XCTAssertEqual(marks, 1)
  }
}
