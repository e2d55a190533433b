import Framepace
import Geometry
import Input
import Metering

/// Events of a script that are probably mistakes. The format allows them, since a recording may have them: it may have begun while a key
/// was held.
struct ScriptDoubts {
  private enum Doubt: Int {
    case noAbility, otherAbility, otherWord, outside, notDown, alreadyDown, staysDown, earlier, longPause
  }

  private enum Source: Hashable {
    case finger(Int), pen, button(InputCode), key(InputCode), gesture
    var isKey: Bool { if case .key = self { true } else { false } }
  }

  private let events: [InputEvent]
  /// The indices of the events of each kind.
  private var found: [Doubt: [Int]] = [:]
  /// The fingers, pens, buttons, keys and gestures of each device that are down, with the index of the event that pressed each.
  private var held: [InputDevice.ID: [Source: Int]] = [:]
  private var abilities: [InputDevice.ID: InputDevice.Abilities] = [:]

  init(_ events: [InputEvent]) {
    self.events = events
    var latest = events.first?.time ?? .distantFuture
    for (index, event) in events.enumerated() {
      follow(event, index)
      if event.time < latest { note(.earlier, index) }
      if event.time - latest > .seconds(60) { note(.longPause, index) }
      latest = max(latest, event.time)
      if let place = event.action.place, max(abs(place.x - 0.5), abs(place.y - 0.5)) > 1 { note(.outside, index) }
      // The line that adds a device without any ability is told instead.
      if event.action.isOfOtherWord {
        note(.otherWord, index)
      } else if let needed = event.action.needed, let abilities = abilities[event.device], !abilities.isEmpty,
        abilities.isDisjoint(with: needed)
      {
        note(.otherAbility, index)
      }
    }
    for index in held.values.flatMap(\.values).sorted() { note(.staysDown, index) }
  }

  /// A sentence about each kind, in the order of the script, which begins with the place of its first event.
  ///
  /// - Parameters:
  ///   - path: the script's file.
  ///   - text: the script's text, the lines of which are quoted.
  func sentences(path: String, text: String) -> [String] {
    if found.isEmpty { return [] }
    // A recording of libinput has none: its events are not those of its lines.
    let lines = Array(InputScript.lines(of: text).dropFirst())
    return found.sorted { ($0.value[0], $0.key.rawValue) < ($1.value[0], $1.key.rawValue) }.map { doubt, indices in
      let event = events[indices[0]]
      let seconds = Text.number((event.time - MonotonicTime.zero).seconds)
      var (place, quote) = (path, "\(seconds) s: \(event.action.words(decimals: 4))")
      var others = "the first of \(indices.count)"
      if lines.count == events.count {
        let line = lines[indices[0]]
        (place, quote) = ("\(path):\(line.number)", String(line.text))
        let numbers = indices.prefix(8).map { "\(lines[$0].number)" }.joined(separator: ", ")
        others = "lines \(numbers)\(indices.count > 8 ? " and \(indices.count - 8) more" : "")"
      }
      let words = quote.split(whereSeparator: \.isWhitespace).joined(separator: " ").withoutControlCharacters
      let quotation = words.count > 60 ? "\(words.prefix(59))…" : words
      return "\(place.withoutControlCharacters): \"\(quotation)\" \(explanation(of: doubt, event))"
        + (indices.count == 1 ? "" : " (\(others))")
    }
  }

  private func explanation(of doubt: Doubt, _ event: InputEvent) -> String {
    switch doubt {
    case .noAbility:
      return "adds a device without abilities: write them behind its name, such as touch"
    case .otherAbility:
      let words = (event.action.needed ?? []).names.joined(separator: " or ")
      return "is of a kind that device \(event.device) does not have: the line that adds it lacks \(words)"
    case .otherWord:
      if case .button = event.action { return "names a key: write key in the place of button" }
      return "names a button: write button in the place of key"
    case .outside: return "is far outside of the device: places are parts of its area, from 0 to 1"
    case .notDown:
      if case .gesture = event.action { return "belongs to no gesture: no line before it begins one" }
      return "does nothing: no line before it presses that finger, button or key"
    case .alreadyDown:
      if case .gesture = event.action { return "begins a gesture in another one: no line before it ends that" }
      return "presses what is down: no line before it lifts that finger, button or key"
    case .staysDown:
      if case .gesture = event.action { return "begins a gesture that does not end: no line after it ends that" }
      return "presses what stays down: no line after it lifts that finger, pen, button or key"
    case .longPause: return "comes more than a minute after the line above: times are in seconds"
    case .earlier: return "is earlier than a line above, and is played with that one"
    }
  }

  private mutating func note(_ doubt: Doubt, _ index: Int) {
    found[doubt, default: []].append(index)
  }

  private mutating func follow(_ event: InputEvent, _ index: Int) {
    switch event.action {
    case .added(let device):
      abilities[event.device] = device.abilities
      if device.abilities.isEmpty { note(.noAbility, index) }
    case .removed: held[event.device] = nil
    case .keysReleased: held[event.device] = held[event.device]?.filter { !$0.key.isKey }
    case .touch(let finger, .moved): move(.finger(finger), event, index)
    case .touch(let finger, let touch): change(.finger(finger), isDown: touch.place != nil, event, index)
    case .button(let code, let isDown): change(.button(code), isDown: isDown, event, index)
    case .key(let code, let isDown): change(.key(code), isDown: isDown, event, index)
    case .pen(let pen):
      let pressed = held[event.device]?[.pen] ?? index
      held[event.device, default: [:]][.pen] = pen.contact == .down ? pressed : nil
    case .gesture(.changed): move(.gesture, event, index)
    case .gesture(.began): change(.gesture, isDown: true, event, index)
    case .gesture: change(.gesture, isDown: false, event, index)
    default: break
    }
  }

  private mutating func move(_ source: Source, _ event: InputEvent, _ index: Int) {
    if held[event.device]?[source] == nil { note(.notDown, index) }
  }

  private mutating func change(_ source: Source, isDown: Bool, _ event: InputEvent, _ index: Int) {
    let pressed = exchange(&held[event.device, default: [:]][source], with: isDown ? index : nil)
    if isDown, pressed != nil { note(.alreadyDown, index) }
    if !isDown, pressed == nil { note(.notDown, index) }
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

  /// True for a button that is a key, or a key that is a button.
  fileprivate var isOfOtherWord: Bool {
    switch self {
    case .button(let code, _): code.name?.hasPrefix("KEY_") ?? false
    case .key(let code, _): code.name?.hasPrefix("BTN_") ?? false
    default: false
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
