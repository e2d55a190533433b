import Geometry
public import LinuxSystem

extension InputScript: CustomStringConvertible {
  /// The script's text, which reads as the same script.
  public var description: String {
    events.reduce(into: Self.header + "\n") { $0 += $1.scriptLine(since: .zero) + "\n" }
  }
}

extension InputScript {
  /// The first lines of a script that is written line by line: what it is, and a comment about its units.
  public static let heading = """
    \(header)
    # seconds  device  what it did; places are parts of the device's area, from 0 to 1

    """
}

extension InputEvent {
  /// The event as a line of an event script, without its end.
  ///
  /// - Parameter start: when the script began. An event from before is at 0.
  public func scriptLine(since start: MonotonicTime) -> String {
    "\(max(time - start, .zero).secondsText) \(device) \(action.words)"
  }
}

extension InputEvent.Action {
  /// The action in the words of an event script: "touch 0 down 0.5 0.25".
  public var words: String { words(decimals: nil) }

  /// The action in the words of an event script.
  ///
  /// - Parameter decimals: the number of decimals, for people; nil for all that a number has.
  public func words(decimals: Int?) -> String {
    let style = NumberStyle(decimals: decimals)
    return switch self {
    case .added(let device): "added \(device.words(style))"
    case .removed: "removed"
    case .touch(let finger, let touch): "touch \(finger) \(touch.words(style))"
    case .motion(let distance): "motion \(style.text(distance))"
    case .position(let point): "position \(style.text(point))"
    case .button(let code, let isDown): "button \(code) \(isDown ? "down" : "up")"
    case .key(let code, let isDown): "key \(code) \(isDown ? "down" : "up")"
    case .scroll(let scroll): "scroll \(scroll.words(style))"
    case .pen(let pen): "pen \(pen.words(style))"
    case .gesture(let gesture): "gesture \(gesture.words(style))"
    case .left: "left"
    case .modifiers(let state): "modifiers \(state.depressed) \(state.latched) \(state.locked) \(state.layout)"
    case .keysReleased: "released"
    }
  }
}

/// How numbers are written.
private struct NumberStyle {
  /// Nil for all that a number has.
  var decimals: Int?

  func text(_ number: Double) -> String {
    guard let decimals else { return "\(number)" }
    let scale = (0..<decimals).reduce(1.0) { scale, _ in scale * 10 }
    // Adding zero takes the sign from a zero.
    return "\((number * scale).rounded() / scale + 0)"
  }

  func text(_ point: Point) -> String { "\(text(point.x)) \(text(point.y))" }
}

extension InputDevice {
  /// Name, abilities, and what else is known.
  fileprivate func words(_ style: NumberStyle) -> String {
    var words = [name.quoted] + abilities.names
    if let fingers { words.append("fingers \(fingers)") }
    if let size { words.append("size \(style.text(size.width)) \(style.text(size.height))") }
    if let outputName { words.append("output \(outputName.quoted)") }
    return words.joined(separator: " ")
  }
}

extension InputDevice.Abilities {
  /// The words of an event script for the abilities that are in the set: "touch".
  public var names: [String] { Self.named.filter { contains($0.1) }.map(\.0) }
}

extension InputEvent.Touch {
  fileprivate func words(_ style: NumberStyle) -> String {
    switch self {
    case .down(let point): "down \(style.text(point))"
    case .moved(let point): "moved \(style.text(point))"
    case .up: "up"
    case .cancelled: "cancelled"
    }
  }
}

extension InputEvent.Scroll {
  fileprivate func words(_ style: NumberStyle) -> String {
    switch self {
    case .wheel(let clicks): "wheel \(style.text(clicks))"
    case .fingers(let distance): "fingers \(style.text(distance))"
    case .fingersEnded: "ended"
    case .continuous(let distance): "continuous \(style.text(distance))"
    }
  }
}

extension InputEvent.Pen {
  fileprivate func words(_ style: NumberStyle) -> String {
    let pressure = pressure.map { " pressure \(style.text($0))" } ?? ""
    let tilt = tilt.map { " tilt \(style.text($0))" } ?? ""
    return "\(tool) \(contact) \(style.text(position))\(pressure)\(tilt)"
  }
}

extension InputEvent.TouchpadGesture {
  fileprivate func words(_ style: NumberStyle) -> String {
    switch self {
    case .began(let kind, let fingers): "began \(kind) \(fingers)"
    case .changed(let translation, let scale, let rotation):
      "changed \(style.text(translation)) \(style.text(scale)) \(style.text(rotation))"
    case .ended: "ended"
    case .cancelled: "cancelled"
    }
  }
}

extension String {
  /// In quotes, on one line.
  fileprivate var quoted: String {
    var text = Self.UnicodeScalarView()
    for scalar in withoutControlCharacters.unicodeScalars {
      if scalar == "\\" || scalar == "\"" { text.append("\\") }
      text.append(scalar)
    }
    return "\"\(String(text))\""
  }
}

extension Nanoseconds {
  /// In seconds, with six decimals, or with nine where there are nanoseconds.
  fileprivate var secondsText: String {
    let (seconds, rest) = (abs(count) / 1_000_000_000, abs(count) % 1_000_000_000)
    let digits = rest % 1000 == 0 ? "\(rest / 1000)" : "\(rest)"
    let zeros = String(repeating: "0", count: (rest % 1000 == 0 ? 6 : 9) - digits.count)
    return "\(count < 0 ? "-" : "")\(seconds).\(zeros)\(digits)"
  }
}
