import Geometry
public import LinuxSystem

extension InputScript: CustomStringConvertible {
  /// The script's text, which reads as the same script.
  public var description: String {
    events.reduce(into: Self.header + "\n") { $0 += $1.scriptLine(since: .zero) + "\n" }
  }
}

extension InputEvent {
  /// The event as a line of an event script, without its end.
  ///
  /// - Parameter start: when the script began.
  public func scriptLine(since start: MonotonicTime) -> String {
    "\((time - start).secondsText) \(device) \(action.words)"
  }
}

extension InputEvent.Action {
  /// The action in the words of an event script: "touch 0 down 0.5 0.25".
  public var words: String {
    switch self {
    case .added(let device): "added \(device.words)"
    case .removed: "removed"
    case .touch(let finger, let touch): "touch \(finger) \(touch.words)"
    case .motion(let distance): "motion \(distance.words)"
    case .position(let point): "position \(point.words)"
    case .button(let code, let isDown): "button \(code) \(isDown ? "down" : "up")"
    case .key(let code, let isDown): "key \(code) \(isDown ? "down" : "up")"
    case .scroll(let scroll): "scroll \(scroll.words)"
    case .pen(let pen): "pen \(pen.words)"
    case .gesture(let gesture): "gesture \(gesture.words)"
    }
  }
}

extension InputDevice {
  /// Name, abilities, and what else is known.
  fileprivate var words: String {
    var words = [name.quoted] + Abilities.names.filter { abilities.contains($0.1) }.map(\.0)
    if let fingers { words.append("fingers \(fingers)") }
    if let size { words.append("size \(size.width) \(size.height)") }
    if let outputName { words.append("output \(outputName.quoted)") }
    return words.joined(separator: " ")
  }
}

extension InputEvent.Touch {
  fileprivate var words: String {
    switch self {
    case .down(let point): "down \(point.words)"
    case .moved(let point): "moved \(point.words)"
    case .up: "up"
    case .cancelled: "cancelled"
    }
  }
}

extension InputEvent.Scroll {
  fileprivate var words: String {
    switch self {
    case .wheel(let clicks): "wheel \(clicks.words)"
    case .fingers(let distance): "fingers \(distance.words)"
    case .fingersEnded: "ended"
    case .continuous(let distance): "continuous \(distance.words)"
    }
  }
}

extension InputEvent.Pen {
  fileprivate var words: String {
    let pressure = pressure.map { " pressure \($0)" } ?? ""
    let tilt = tilt.map { " tilt \($0.words)" } ?? ""
    return "\(tool) \(contact) \(position.words)\(pressure)\(tilt)"
  }
}

extension InputEvent.TouchpadGesture {
  fileprivate var words: String {
    switch self {
    case .began(let kind, let fingers): "began \(kind) \(fingers)"
    case .changed(let translation, let scale, let rotation): "changed \(translation.words) \(scale) \(rotation)"
    case .ended: "ended"
    case .cancelled: "cancelled"
    }
  }
}

extension Point {
  fileprivate var words: String { "\(x) \(y)" }
}

extension String {
  /// In quotes, on one line.
  fileprivate var quoted: String {
    let text = withoutControlCharacters.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
    return "\"\(text)\""
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
