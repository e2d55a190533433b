public import Input

/// Something that a key does in a text field.
public enum TextCommand: Hashable, Sendable {
  case insert(String)
  case move(TextUnit, TextDirection, extending: Bool)
  case delete(TextUnit, TextDirection)
  case selectAll, cut, copy, paste, undo, redo
  /// The text is complete: Return.
  case submit
  /// Keys go to the next field, or to the one before: Tab, with Shift.
  case focus(TextDirection)

  /// The command of a key that goes down or repeats; nil for a key that means nothing in a text field.
  ///
  /// Letters with Control are found by their symbol; where a layout has no Latin letters, by the place that they have on an American keyboard.
  ///
  /// - Parameter isRightToLeft: true for a text in which the arrow to the left goes forward.
  public init?(_ key: KeyEvent, isRightToLeft: Bool = false) {
    guard key.phase == .down || key.phase == .repeated, !key.isPending else { return nil }
    let isControl = key.modifiers.contains(.control)
    if key.modifiers.isDisjoint(with: .commands), !key.characters.isEmpty {
      self = .insert(key.characters)
      return
    }
    guard key.modifiers.isDisjoint(with: [.alt, .logo]) else { return nil }
    let isShift = key.modifiers.contains(.shift)
    if let special = SpecialKey(key.keysym) {
      self.init(special, isControl: isControl, isShift: isShift, isRightToLeft: isRightToLeft)
    } else if isControl, let letter = Self.letter(of: key) {
      self.init(letter, isShift: isShift)
    } else {
      return nil
    }
  }

  private init?(_ key: SpecialKey, isControl: Bool, isShift: Bool, isRightToLeft: Bool) {
    let step: TextUnit = isControl ? .word : .character
    switch key {
    case .left: self = .move(step, isRightToLeft ? .forward : .backward, extending: isShift)
    case .right: self = .move(step, isRightToLeft ? .backward : .forward, extending: isShift)
    case .home: self = .move(.line, .backward, extending: isShift)
    case .end: self = .move(.line, .forward, extending: isShift)
    case .backspace: self = .delete(step, .backward)
    case .delete: self = isShift ? .cut : .delete(step, .forward)
    case .insert where isControl: self = .copy
    case .insert where isShift: self = .paste
    case .insert: return nil
    case .enter: self = .submit
    case .tab: self = .focus(isShift ? .backward : .forward)
    case .backTab: self = .focus(.backward)
    }
  }

  private init?(_ letter: Character, isShift: Bool) {
    switch letter {
    case "a": self = .selectAll
    case "c": self = .copy
    case "x": self = .cut
    case "v": self = .paste
    case "z": self = isShift ? .redo : .undo
    case "y": self = .redo
    default: return nil
    }
  }

  private static func letter(of key: KeyEvent) -> Character? {
    let symbol = key.keysym.rawValue
    if symbol < 0x80, let letter = Unicode.Scalar(symbol).map({ Character($0) }), letter.isASCII, letter.isLetter {
      return Character(letter.lowercased())
    }
    // Symbols below 0x100 are those of Latin characters: the key has another meaning then.
    guard symbol >= 0x100, symbol < 0xFF00 else { return nil }
    let places: [UInt16: Character] = [30: "a", 46: "c", 45: "x", 47: "v", 44: "z", 21: "y"]
    return places[key.code.rawValue]
  }
}

/// A key without a character that means something in a text field.
private enum SpecialKey {
  case left, right, home, end, backspace, delete, insert, enter, tab, backTab

  /// The numbers are those of `xkbcommon-keysyms.h`; the second ones are those of the keypad.
  init?(_ keysym: Keysym) {
    switch keysym.rawValue {
    case 0xFF51, 0xFF96: self = .left
    case 0xFF53, 0xFF98: self = .right
    case 0xFF50, 0xFF95: self = .home
    case 0xFF57, 0xFF9C: self = .end
    case 0xFF08: self = .backspace
    case 0xFFFF, 0xFF9F: self = .delete
    case 0xFF63, 0xFF9E: self = .insert
    case 0xFF0D, 0xFF8D: self = .enter
    case 0xFF09, 0xFF89: self = .tab
    case 0xFE20: self = .backTab
    default: return nil
    }
  }
}

extension Keysym {
  /// True for Shift, Control and other keys that change the meaning of others alone.
  var isModifier: Bool {
    switch rawValue {
    case 0xFFE1...0xFFEE, 0xFE01...0xFE13, 0xFF7E, 0xFF7F: true
    default: false
    }
  }
}
