import Geometry
import Interaction
import LinuxSystem
import Testing

/// The machine of the page "Writing a gesture recognizer", word for word.
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

@Suite struct CheckMarkTests {
  @Test(arguments: [
    ([(10.0, 10.0), (20, 50), (60, 0)], GestureState.ended), ([(10, 10), (20, 50), (10, 0)], .failed),
    ([(10, 10), (20, 50), (60, 40)], .failed), ([(10, 10), (60, 0)], .failed),
  ])
  func aCheckMarkIsRecognized(places: [(Double, Double)], state: GestureState) {
    var mark = CheckMark()
    func contact(_ phase: Contact.Phase, _ place: (Double, Double)) -> Contact {
      Contact(id: .init(rawValue: 1), phase: phase, time: .zero, location: Point(place.0, place.1))
    }
    mark.handle(contact(.began, places[0]))
    for place in places.dropFirst() { mark.handle(contact(.moved, place)) }
    #expect(mark.state == .possible)
    mark.handle(contact(.ended, places[places.count - 1]))
    #expect(mark.state == state)
    mark.reset()
    #expect(mark.state == .possible)
  }
}
