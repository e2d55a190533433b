/// Keys that are held together, which a program follows that has taken the console's keyboard: the kernel does not any more.
public enum ConsoleChord: Hashable, Sendable {
  /// Ctrl-C: the program is to end. The key is meant where C has the place that it has on most keyboards.
  case interrupt
  /// Ctrl-Alt-F1 to F12: the session of that number is to come in front, by `SeatSession.switchSession(to:)`.
  case session(Int)
}

/// Finds chords among the events of all keyboards.
public struct ConsoleKeys: Sendable {
  private struct Key: Hashable {
    var device: InputDevice.ID
    var code: InputCode
  }

  /// The modifiers that are down.
  private var held: Set<Key> = []

  private static let controls = [InputCode(rawValue: 29), InputCode(rawValue: 97)]
  private static let alternates = [InputCode(rawValue: 56), InputCode(rawValue: 100)]
  private static let c = InputCode(rawValue: 46)

  public init() {}

  /// - Returns: the chord that is complete with the event.
  public mutating func chord(with event: InputEvent) -> ConsoleChord? {
    switch event.action {
    case .removed, .keysReleased: held = held.filter { $0.device != event.device }
    case .key(let code, let isDown) where Self.controls.contains(code) || Self.alternates.contains(code):
      let key = Key(device: event.device, code: code)
      if isDown { held.insert(key) } else { held.remove(key) }
    case .key(let code, isDown: true):
      guard held.contains(where: { Self.controls.contains($0.code) }) else { return nil }
      if code == Self.c { return .interrupt }
      guard held.contains(where: { Self.alternates.contains($0.code) }) else { return nil }
      return Self.functionKey(code).map { .session($0) }
    default: break
    }
    return nil
  }

  /// The number of F1 to F12.
  private static func functionKey(_ code: InputCode) -> Int? {
    switch Int(code.rawValue) {
    case 59...68: Int(code.rawValue) - 58
    case 87...88: Int(code.rawValue) - 76
    default: nil
    }
  }
}
