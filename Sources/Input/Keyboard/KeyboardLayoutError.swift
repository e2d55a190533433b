public import LinuxSystem

/// The reason why a layout of keys, or a table of sequences, cannot be used.
public enum KeyboardLayoutError: Error, Hashable, Sendable, CustomStringConvertible {
  /// None of the folders that hold layouts is there.
  case noData(folders: [String])
  /// A name that no layout has, as it could not be a file's.
  case unsuitable(field: String, value: String)
  /// There is no such layout, or its data is damaged; `reason` is the message of xkbcommon.
  case notCompiled(KeyboardLayout.Names, reason: String)
  /// The machine's file of keyboard settings cannot be read.
  case unreadable(SystemError)
  /// A mistake in the machine's file of keyboard settings. Lines and columns count from 1, columns in bytes.
  case file(line: Int, column: Int, expected: String)
  /// There is no table of sequences for the locale, or it has a mistake; `reason` is the message of xkbcommon.
  case noSequences(locale: String, reason: String)
  /// A table that the application has as a text is none.
  case damagedSequences(reason: String)
  /// The layout that the desktop sent is none.
  case damagedLayout(reason: String)
  case noMemory

  public var description: String {
    switch self {
    case .noData(let folders):
      "no keyboard layouts in \(folders.joined(separator: ", ")): install the package xkb-data"
    case .unsuitable(let field, let value):
      "\"\(Self.shown(value))\" cannot be a keyboard's \(field): names have letters, digits and _-+.,:()/ of ASCII"
    case .notCompiled(let names, let reason):
      "the keyboard's \(names) cannot be used: \(Self.shown(reason)); /usr/share/X11/xkb/rules/base.lst names layouts with "
        + "their variants"
    case .unreadable(let error):
      "the keyboard's settings cannot be read: \(error); make the file readable, or set XKB_DEFAULT_LAYOUT"
    case .file(let line, let column, let expected):
      "\(KeyboardLayout.Machine.path):\(line):\(column): expected \(expected); correct it, or set XKB_DEFAULT_LAYOUT"
    case .noSequences(let locale, let reason):
      "no sequences of keys for the locale \"\(Self.shown(locale))\": \(Self.shown(reason)); install the package libx11-data, "
        + "and correct ~/.XCompose and the file that XCOMPOSEFILE names"
    case .damagedSequences(let reason):
      "the sequences of keys cannot be used: \(Self.shown(reason)); Compose(5) has their form"
    case .damagedLayout(let reason):
      "the desktop's keyboard layout cannot be used: \(Self.shown(reason)); choose another one there"
    case .noMemory: "no memory for a keyboard layout"
    }
  }

  /// A text from outside, without whatever disturbs a terminal or fills it.
  private static func shown(_ text: String) -> String { String(text.prefix(200)).withoutControlCharacters }
}
