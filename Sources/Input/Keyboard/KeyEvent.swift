public import LinuxSystem

/// A key that went down or up, with the meaning that the layout gives it.
public struct KeyEvent: Hashable, Sendable {
  public enum Phase: Hashable, Sendable {
    case down
    /// The key is still held, and its press counts once more.
    case repeated
    case up
    /// The key counts as up, although nobody lifted it: the keyboard went away, the session lost its seat, or the focus went elsewhere. It
    /// must not act as `up` does for a button.
    case cancelled
  }

  public var time: MonotonicTime
  /// The key's place on the keyboard.
  public var code: InputCode
  public var phase: Phase
  /// The key's symbol, or that of the character which it completes; `none` for a key that the layout does not have, and for a sequence that
  /// gives several characters. A key that goes up has the symbol with which it went down.
  public var keysym: Keysym
  /// The text to insert: empty for keys without characters, for control characters such as those of Return and Tab, with Control, Alt or
  /// Logo, while a sequence is pending, and when the key goes up.
  public var characters: String
  /// True for a key that a sequence waits to be completed after, such as a dead accent: it has no other meaning, even if its symbol has one.
  public var isPending: Bool
  /// The modifiers that applied to the key: those before it. A modifier's own key counts itself only when it goes up.
  public var modifiers: KeyModifiers
  /// True for a key that repeats while it is held, as most but modifiers do.
  public var repeats: Bool

  public init(
    time: MonotonicTime, code: InputCode, phase: Phase, keysym: Keysym, characters: String = "", isPending: Bool = false,
    modifiers: KeyModifiers = [], repeats: Bool = false
  ) {
    (self.time, self.code, self.phase, self.keysym) = (time, code, phase, keysym)
    (self.characters, self.isPending, self.modifiers, self.repeats) = (characters, isPending, modifiers, repeats)
  }
}

/// The modifiers that apply to a key because they are held, latched or locked.
///
/// The modifiers that choose among the characters of a key, such as AltGr, are not here: `KeyEvent.characters` has their effect.
public struct KeyModifiers: OptionSet, Hashable, Sendable, CustomStringConvertible {
  public let rawValue: UInt8

  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let shift = KeyModifiers(rawValue: 1)
  public static let control = KeyModifiers(rawValue: 2)
  public static let alt = KeyModifiers(rawValue: 4)
  /// The key with a logo, also named Super, Windows and Command.
  public static let logo = KeyModifiers(rawValue: 8)
  public static let capsLock = KeyModifiers(rawValue: 16)
  public static let numLock = KeyModifiers(rawValue: 32)

  /// The modifiers that make a key a command instead of text.
  public static let commands: KeyModifiers = [.control, .alt, .logo]

  /// The names, such as "control shift"; empty without a modifier.
  public var description: String {
    let names: [(KeyModifiers, String)] = [
      (.control, "control"), (.alt, "alt"), (.logo, "logo"), (.shift, "shift"), (.capsLock, "caps lock"),
      (.numLock, "num lock"),
    ]
    return names.filter { contains($0.0) }.map(\.1).joined(separator: " ")
  }
}

/// The lamps of a keyboard.
public struct KeyboardLEDs: OptionSet, Hashable, Sendable {
  public let rawValue: UInt8

  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let capsLock = KeyboardLEDs(rawValue: 1)
  public static let numLock = KeyboardLEDs(rawValue: 2)
  public static let scrollLock = KeyboardLEDs(rawValue: 4)
}
