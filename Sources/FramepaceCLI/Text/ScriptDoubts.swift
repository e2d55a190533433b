import Framepace
import Geometry
import Input

/// Events of a script that are hardly meant as they stand. The format allows them, since a recording may have them: it may have begun while
/// a key was held. In a script that was written by hand they are slips of the pen.
struct ScriptDoubts {
  private enum Doubt: Int, CaseIterable {
    case notDown, alreadyDown, otherAbility, outside, earlier
  }

  private struct Held: Hashable {
    enum Source: Hashable { case finger(Int), button(InputCode), key(InputCode) }
    var device: InputDevice.ID
    var source: Source
    var isKey: Bool { if case .key = source { true } else { false } }
  }

  private var found: [Doubt: (first: InputEvent, count: Int)] = [:]
  private var held: Set<Held> = []
  private var abilities: [InputDevice.ID: InputDevice.Abilities] = [:]

  init(_ events: [InputEvent]) {
    var latest = events.first?.time
    for event in events {
      follow(event)
      if let latest, event.time < latest { note(.earlier, event) } else { latest = event.time }
      if let place = event.action.place, max(abs(place.x - 0.5), abs(place.y - 0.5)) > 1 { note(.outside, event) }
      if let needed = event.action.needed, abilities[event.device]?.isDisjoint(with: needed) ?? true {
        note(.otherAbility, event)
      }
    }
  }

  /// A sentence about each kind.
  var sentences: [String] {
    Doubt.allCases.compactMap { doubt in
      guard let (first, count) = found[doubt] else { return nil }
      let isOne = count == 1
      let line = (isOne ? "" : "the first is ") + first.scriptLine(since: .zero)
      let events = isOne ? "1 event" : "\(count) events"
      return switch doubt {
      case .notDown:
        "\(events) \(isOne ? "does" : "do") nothing: \(line). Its finger, button or key is not down: the line that presses it is missing"
      case .alreadyDown:
        "\(events) \(isOne ? "presses" : "press") what is down: \(line). The line that releases it is missing"
      case .otherAbility:
        "\(events) \(isOne ? "is" : "are") of a kind that the device does not have: \(line). The line that adds the device lacks its word"
      case .outside:
        "\(events) \(isOne ? "is" : "are") far outside of the device: \(line). Places are parts of its area, from 0 to 1"
      case .earlier:
        "\(events) \(isOne ? "is" : "are") earlier than a line above: \(line). A line never overtakes another: it is played with that one"
      }
    }
  }

  private mutating func note(_ doubt: Doubt, _ event: InputEvent) {
    found[doubt, default: (event, 0)].count += 1
  }

  private mutating func follow(_ event: InputEvent) {
    switch event.action {
    case .added(let device): abilities[event.device] = device.abilities
    case .removed: held = held.filter { $0.device != event.device }
    case .keysReleased: held = held.filter { $0.device != event.device || !$0.isKey }
    case .touch(let finger, .moved):
      if !held.contains(Held(device: event.device, source: .finger(finger))) { note(.notDown, event) }
    case .touch(let finger, let touch): change(.finger(finger), isDown: touch.place != nil, event)
    case .button(let code, let isDown): change(.button(code), isDown: isDown, event)
    case .key(let code, let isDown): change(.key(code), isDown: isDown, event)
    default: break
    }
  }

  private mutating func change(_ source: Held.Source, isDown: Bool, _ event: InputEvent) {
    let source = Held(device: event.device, source: source)
    if isDown {
      if !held.insert(source).inserted { note(.alreadyDown, event) }
    } else if held.remove(source) == nil {
      note(.notDown, event)
    }
  }
}

extension InputEvent.Action {
  /// A part of the device's area; nil for an action without a place.
  fileprivate var place: Point? {
    switch self {
    case .touch(_, let touch): touch.place
    case .position(let place): place
    case .pen(let pen): pen.position
    default: nil
    }
  }

  /// A device that does this has one of these abilities; nil for what every device does.
  fileprivate var needed: InputDevice.Abilities? {
    switch self {
    case .added, .removed: nil
    case .touch: .touch
    case .motion, .position, .scroll: .pointer
    case .button, .left: [.pointer, .pen]
    case .key, .modifiers, .keysReleased: .keyboard
    case .pen: .pen
    case .gesture: .gestures
    }
  }
}

extension InputEvent.Touch {
  fileprivate var place: Point? {
    switch self {
    case .down(let place), .moved(let place): place
    case .up, .cancelled: nil
    }
  }
}
