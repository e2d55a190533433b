import Geometry
import LinuxSystem

/// The words of a line of an event script, which are read one after the other.
struct InputScriptLine {
  /// The places and the distances that a script may have.
  static let distances = -1_000_000.0...1_000_000.0
  /// The widths and heights of devices, in millimetres.
  static let sizes = 0.0...100_000.0

  private struct Word {
    var text: String
    /// Counted from 1.
    var column: Int
    var isQuoted = false
  }

  private let number: Int
  private let file: String?
  private var words: [Word] = []
  private var next = 0
  /// The column after the last scalar.
  private var end = 1

  init(_ text: Substring, number: Int, file: String?) throws(InputScriptError) {
    (self.number, self.file) = (number, file)
    var column = 0
    var word: Word?
    var isEscaped = false
    // A mark that combines with a quotation mark or a blank before it belongs to what follows.
    for scalar in text.unicodeScalars {
      column += 1
      if let quoted = word, quoted.isQuoted {
        if isEscaped || scalar != "\\" && scalar != "\"" {
          word?.text.unicodeScalars.append(scalar)
          isEscaped = false
        } else if scalar == "\\" {
          isEscaped = true
        } else {
          words.append(quoted)
          word = nil
        }
      } else if scalar == "#" {
        break
      } else if scalar.properties.isWhitespace {
        if let word { words.append(word) }
        word = nil
      } else if scalar == "\"", word == nil {
        word = Word(text: "", column: column, isQuoted: true)
      } else {
        word = word ?? Word(text: "", column: column)
        word?.text.unicodeScalars.append(scalar)
      }
    }
    end = column + 1
    if let word {
      guard !word.isQuoted else { throw error("a closing quote", at: end, found: nil) }
      words.append(word)
    }
  }

  mutating func readHeader() throws(InputScriptError) {
    for part in InputScript.header.split(separator: " ") {
      guard skip(String(part)) else { throw unexpected("the line \"\(InputScript.header)\"") }
    }
    try readEnd()
  }

  /// - Parameter devices: those that were added before, and are not removed.
  mutating func event(devices: inout Set<InputDevice.ID>) throws(InputScriptError) -> InputEvent {
    let time = MonotonicTime(
      nanoseconds: Int64((try double("a time in seconds, such as 0.5", in: 0...1_000_000) * 1e9).rounded()))
    let id = InputDevice.ID(rawValue: UInt32(try integer("the number of a device", in: 1...1_000_000)))
    let isAdded = words.indices.contains(next) && words[next].text == "added"
    guard isAdded != devices.contains(id) else {
      next -= 1
      throw unexpected(
        isAdded
          ? "the number of a device that is not there yet"
          : "the number of a device that a line above has added, and none removed")
    }
    let action = try action(of: id)
    try readEnd()
    switch action {
    case .added: devices.insert(id)
    case .removed: devices.remove(id)
    default: break
    }
    return InputEvent(time: time, device: id, action: action)
  }

  // MARK: Parts

  private mutating func action(of device: InputDevice.ID) throws(InputScriptError) -> InputEvent.Action {
    let names = [
      "added", "removed", "touch", "motion", "position", "button", "key", "scroll", "pen", "gesture", "left", "modifiers",
      "released",
    ]
    switch try choice(names) {
    case "added": return .added(try addedDevice(device))
    case "removed": return .removed
    case "touch": return .touch(finger: try integer("the number of a finger", in: 0...Int(Int32.max)), try touch())
    case "motion": return .motion(try point("a distance"))
    case "position": return .position(try point("a part of the area, such as 0.5"))
    case "button": return .button(try code(such: "BTN_LEFT"), isDown: try choice(["down", "up"]) == "down")
    case "key": return .key(try code(such: "KEY_A"), isDown: try choice(["down", "up"]) == "down")
    case "scroll": return .scroll(try scroll())
    case "pen": return .pen(try pen())
    case "gesture": return .gesture(try gesture())
    case "left": return .left
    case "modifiers":
      return .modifiers(
        ModifierState(depressed: try mask(), latched: try mask(), locked: try mask(), layout: try mask()))
    default: return .keysReleased
    }
  }

  private mutating func addedDevice(_ id: InputDevice.ID) throws(InputScriptError) -> InputDevice {
    var device = InputDevice(id: id, name: try string("the device's name in quotes"), abilities: [])
    while next < words.count {
      switch try choice(InputDevice.Abilities.named.map(\.0) + ["fingers", "size", "output"]) {
      case "fingers": device.fingers = try integer("a number of fingers", in: 1...1000)
      case "size":
        device.size = Size(width: try double("a width", in: Self.sizes), height: try double("a height", in: Self.sizes))
      case "output": device.outputName = try string("a display's name in quotes")
      case let name:
        if let (_, ability) = InputDevice.Abilities.named.first(where: { $0.0 == name }) { device.abilities.insert(ability) }
      }
    }
    return device
  }

  private mutating func touch() throws(InputScriptError) -> InputEvent.Touch {
    switch try choice(["down", "moved", "up", "cancelled"]) {
    case "down": .down(try point("a part of the area, such as 0.5"))
    case "moved": .moved(try point("a part of the area, such as 0.5"))
    case "up": .up
    default: .cancelled
    }
  }

  private mutating func scroll() throws(InputScriptError) -> InputEvent.Scroll {
    switch try choice(["wheel", "fingers", "ended", "continuous"]) {
    case "wheel": .wheel(try point("a number of clicks"))
    case "fingers": .fingers(try point("a distance"))
    case "continuous": .continuous(try point("a distance"))
    default: .fingersEnded
    }
  }

  private mutating func pen() throws(InputScriptError) -> InputEvent.Pen {
    var pen = InputEvent.Pen(
      tool: try choice(of: InputEvent.Pen.Tool.self), contact: try choice(of: InputEvent.Pen.Contact.self),
      position: try point("a part of the area, such as 0.5"))
    if skip("pressure") { pen.pressure = try double("a pressure from 0 to 1", in: 0...1) }
    if skip("tilt") { pen.tilt = try point("an angle in degrees") }
    return pen
  }

  private mutating func gesture() throws(InputScriptError) -> InputEvent.TouchpadGesture {
    switch try choice(["began", "changed", "ended", "cancelled"]) {
    case "began":
      return .began(
        try choice(of: InputEvent.TouchpadGesture.Kind.self), fingers: try integer("a number of fingers", in: 1...1000))
    case "changed":
      return .changed(
        translation: try point("a distance"), scale: try double("a scale"), rotation: try double("an angle in degrees"))
    case "ended": return .ended
    default: return .cancelled
    }
  }

  // MARK: Words

  private var peek: String? { words.indices.contains(next) && !words[next].isQuoted ? words[next].text : nil }

  private mutating func skip(_ name: String) -> Bool {
    guard peek == name else { return false }
    next += 1
    return true
  }

  private mutating func choice(_ names: [String]) throws(InputScriptError) -> String {
    guard let word = peek, names.contains(word) else {
      throw unexpected(names.dropLast().joined(separator: ", ") + " or " + (names.last ?? ""))
    }
    next += 1
    return word
  }

  private mutating func choice<Value: RawRepresentable<String> & CaseIterable>(
    of: Value.Type
  ) throws(InputScriptError) -> Value {
    let word = try choice(Value.allCases.map(\.rawValue))
    guard let value = Value(rawValue: word) else { throw unexpected(word) }
    return value
  }

  private mutating func string(_ expected: String) throws(InputScriptError) -> String {
    guard words.indices.contains(next), words[next].isQuoted else { throw unexpected(expected) }
    next += 1
    return words[next - 1].text
  }

  private mutating func double(
    _ expected: String, in range: ClosedRange<Double> = distances
  ) throws(InputScriptError) -> Double {
    guard let peek, let value = Double(peek), range.contains(value) else { throw unexpected(expected) }
    next += 1
    return value
  }

  private mutating func integer(_ expected: String, in range: ClosedRange<Int>) throws(InputScriptError) -> Int {
    guard let peek, let value = Int(peek), range.contains(value) else { throw unexpected(expected) }
    next += 1
    return value
  }

  private mutating func mask() throws(InputScriptError) -> UInt32 {
    UInt32(try integer("a mask of modifiers", in: 0...Int(UInt32.max)))
  }

  private mutating func point(_ expected: String) throws(InputScriptError) -> Point {
    Point(x: try double(expected), y: try double(expected))
  }

  private mutating func code(such example: String) throws(InputScriptError) -> InputCode {
    guard let peek, let code = UInt16(peek).map({ InputCode(rawValue: $0) }) ?? InputCode(named: peek) else {
      let word = peek?.uppercased() ?? ""
      let prefix = example.prefix(4)
      let meant = [word, "\(prefix)\(word)"].first { $0.hasPrefix(prefix) && InputCode(named: $0) != nil }
      throw unexpected(
        meant.map { "\($0) or another of the kernel's names" }
          ?? "the kernel's name of a key or a button, such as \(example)")
    }
    next += 1
    return code
  }

  private mutating func readEnd() throws(InputScriptError) {
    guard next == words.count else { throw unexpected("the end of the line") }
  }

  private func unexpected(_ expected: String) -> InputScriptError {
    guard words.indices.contains(next) else { return error(expected, at: end, found: nil) }
    return error(expected, at: words[next].column, found: words[next].text)
  }

  private func error(_ expected: String, at column: Int, found: String?) -> InputScriptError {
    InputScriptError(file: file, line: number, column: column, expected: expected, found: found)
  }
}

extension InputDevice.Abilities {
  /// All abilities by their names, in their order.
  static let named: [(String, InputDevice.Abilities)] = [
    ("touch", .touch), ("pointer", .pointer), ("keyboard", .keyboard), ("pen", .pen), ("gestures", .gestures),
    ("letters", .letters),
  ]
}
