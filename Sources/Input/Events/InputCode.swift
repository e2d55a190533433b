import CEvdev
import Glibc

/// The kernel's number of a key or of a button: a place on a keyboard, not a character. `linux/input-event-codes.h` has them all.
public struct InputCode: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  public let rawValue: UInt16

  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// The key or button with one of the kernel's names, such as "KEY_A" and "BTN_LEFT"; nil for a name that it does not have.
  public init?(named name: String) {
    let code = libevdev_event_code_from_name(UInt32(EV_KEY), name)
    guard let code = UInt16(exactly: code) else { return nil }
    rawValue = code
  }

  /// The kernel's name; nil for a number that has none.
  public var name: String? { libevdev_event_code_get_name(UInt32(EV_KEY), UInt32(rawValue)).map { String(cString: $0) } }

  /// The name, or else the number.
  public var description: String { name ?? "\(rawValue)" }

  public static let leftButton = InputCode(rawValue: 0x110)
  public static let rightButton = InputCode(rawValue: 0x111)
  public static let middleButton = InputCode(rawValue: 0x112)
}
