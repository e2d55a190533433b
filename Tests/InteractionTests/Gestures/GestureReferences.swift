import Geometry
import Interaction
import LinuxSystem

/// The definitions of the gestures, read off all contacts since the beginning, again and again. They hold for contacts as devices send them.
enum GestureReference {
  /// The contacts in parts: each from the touch of a first finger until none is down.
  private static func presses(_ contacts: [Contact]) -> [(contacts: [Contact], isOver: Bool)] {
    var presses: [(contacts: [Contact], isOver: Bool)] = []
    for contact in contacts {
      if presses.last?.isOver ?? true { presses.append(([], false)) }
      presses[presses.count - 1].contacts.append(contact)
      let press = presses[presses.count - 1].contacts
      presses[presses.count - 1].isOver = press.count { $0.phase == .began } == press.count { $0.phase.isEnd }
    }
    return presses
  }

  /// The place where a contact began.
  private static func start(_ id: Contact.ID, in contacts: [Contact]) -> Point {
    contacts.first { $0.id == id && $0.phase == .began }?.location ?? .zero
  }

  private static func distance(_ a: Point, _ b: Point) -> Double {
    ((a - b).x * (a - b).x + (a - b).y * (a - b).y).squareRoot()
  }

  private static func middle(_ points: [Point]) -> Point { points.reduce(.zero, +) / Double(points.count) }

  static func state(of machine: TapMachine, after contacts: [Contact]) -> GestureState {
    let presses = presses(contacts)
    var centers: [Point] = []
    for (index, press) in presses.enumerated() {
      let begun = press.contacts.filter { $0.phase == .began }
      let first = press.contacts[0]
      let isWrong =
        begun.count > machine.fingers
        || press.contacts.contains { $0.phase == .cancelled }
        || press.contacts.prefix { $0.phase != .ended }.count { $0.phase == .began } < machine.fingers
          && press.contacts.contains { $0.phase == .ended }
        || press.contacts.contains { distance($0.location, start($0.id, in: press.contacts)) > machine.allowableMovement }
        || machine.maximumDuration.map { limit in press.contacts.contains { $0.time - first.time > limit } } ?? false
        || index > 0
          && first.time - presses[index - 1].contacts[presses[index - 1].contacts.count - 1].time
            > machine.maximumInterval
      if isWrong { return .failed }
      if begun.count == machine.fingers {
        centers.append(middle(begun.map(\.location)))
        if distance(centers[index], centers[0]) > machine.allowableDistance { return .failed }
      }
      if press.isOver, index + 1 == machine.taps { return .ended }
    }
    return .possible
  }

  /// Without taps before.
  static func state(of machine: LongPressMachine, after contacts: [Contact]) -> GestureState {
    let begun = contacts.filter { $0.phase == .began }
    let enough = begun.count >= machine.fingers
    let until = enough ? begun[machine.fingers - 1].time + machine.minimumDuration : .distantFuture
    for contact in contacts where contact.time < until {
      if contact.phase.isEnd { return .failed }
      if distance(contact.location, start(contact.id, in: contacts)) > machine.allowableMovement { return .failed }
    }
    if begun.count(where: { $0.time < until }) > machine.fingers { return .failed }
    let followed = Set(begun.prefix(machine.fingers).map(\.id))
    let later = contacts.filter { $0.time >= until && followed.contains($0.id) }
    if let end = later.first(where: { $0.phase.isEnd }) { return end.phase == .ended ? .ended : .cancelled }
    if !later.isEmpty { return .changed }
    return contacts.contains { $0.time >= until } ? .began : .possible
  }

  /// The sum of the movements after `first` contacts, each shared among the fingers that are down, which are `minimum` at least.
  private static func path(_ contacts: [Contact], from first: Int, minimum: Int) -> Point {
    var path = Point.zero
    for index in contacts.indices where index >= first && contacts[index].phase == .moved {
      let before = contacts[..<index]
      let count = before.count { $0.phase == .began } - before.count { $0.phase.isEnd }
      guard count >= minimum, let last = before.last(where: { $0.id == contacts[index].id }) else { continue }
      path += (contacts[index].location - last.location) / Double(count)
    }
    return path
  }

  static func state(of machine: SwipeMachine, after contacts: [Contact]) -> GestureState {
    for count in 1...contacts.count {
      let contacts = Array(contacts[..<count])
      let last = contacts[count - 1]
      if last.time - contacts[0].time > machine.maximumDuration || last.phase.isEnd { return .failed }
      let begun = contacts.indices.filter { contacts[$0].phase == .began }
      if begun.count > machine.fingers { return .failed }
      if begun.count < machine.fingers { continue }
      let path = path(contacts, from: begun[machine.fingers - 1] + 1, minimum: machine.fingers)
      let (along, aside) =
        switch machine.direction {
        case .left: (-path.x, path.y)
        case .right: (path.x, path.y)
        case .up: (-path.y, path.x)
        case .down: (path.y, path.x)
        }
      if abs(aside) > machine.allowableDeviation { return .failed }
      if along >= machine.minimumDistance { return .ended }
    }
    return .possible
  }

  /// A pan without a largest number of fingers and without an edge; and its translation.
  static func state(of machine: PanMachine, after contacts: [Contact]) -> (state: GestureState, translation: Point) {
    var state = GestureState.possible
    var slop = Point.zero
    for count in 1...contacts.count {
      let contacts = Array(contacts[..<count])
      let last = contacts[count - 1]
      let path = path(contacts, from: 0, minimum: machine.fingers.lowerBound)
      let down = contacts.count { $0.phase == .began } - contacts.count { $0.phase.isEnd }
      switch last.phase {
      case .began: break
      case .moved where down < machine.fingers.lowerBound: break
      case .moved where state != .possible: state = .changed
      case .moved where distance(path, .zero) > machine.slop:
        let isOnCourse =
          switch machine.course {
          case .horizontal: abs(path.x) >= abs(path.y)
          case .vertical: abs(path.y) >= abs(path.x)
          default: true
          }
        if !isOnCourse { return (.failed, .zero) }
        state = .began
        slop = path * (machine.slop / distance(path, .zero))
      case .moved: break
      case .ended where down > 0: break
      case .ended: return state == .possible ? (.failed, .zero) : (.ended, path - slop)
      case .cancelled: return state == .possible ? (.failed, .zero) : (.cancelled, path - slop)
      }
    }
    return (state, state == .possible ? .zero : path(contacts, from: 0, minimum: machine.fingers.lowerBound) - slop)
  }
}

extension Contact.Phase {
  var isEnd: Bool { self == .ended || self == .cancelled }
}
