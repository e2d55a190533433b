import CXKBCommon

/// The meaning of a key in a layout, such as "a", "Return" and "dead_acute": a symbol of the X Window System, whose numbers and names
/// xkbcommon has. A symbol need not be a character.
public struct Keysym: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  public let rawValue: UInt32

  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// The symbol with a name as in `xkbcommon-keysyms.h` without its prefix; nil for a name that no symbol has.
  public init?(named name: String) {
    let symbol = xkb_keysym_from_name(name, XKB_KEYSYM_NO_FLAGS)
    guard symbol != 0 else { return nil }
    rawValue = symbol
  }

  /// The symbol's name; for a number without a name, the number in hexadecimal.
  public var name: String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { buffer in
      guard let base = buffer.baseAddress, xkb_keysym_get_name(rawValue, base, buffer.count) > 0 else {
        return "0x" + String(rawValue, radix: 16)
      }
      return String(cString: base)
    }
  }

  public var description: String { name }

  /// The number of the session that the symbol asks for, 1 to 12: that of Control, Alt and a function key, see `SeatSession.switchSession(to:)`.
  /// Nil for every other symbol.
  public var sessionNumber: Int? {
    // XF86Switch_VT_1 to XF86Switch_VT_12 of xkbcommon-keysyms.h.
    0x1008_FE01...0x1008_FE0C ~= rawValue ? Int(rawValue - 0x1008_FE00) : nil
  }

  /// The symbol of a key that has no meaning in the layout, "NoSymbol".
  public static let none = Keysym(rawValue: 0)
}
