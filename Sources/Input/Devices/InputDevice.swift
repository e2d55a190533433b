public import Geometry

/// A device that people touch, point or type with.
public struct InputDevice: Hashable, Sendable, Identifiable {
  /// The number of a device, from 1 in the order in which devices come. A device that comes back has a new one.
  public struct ID: RawRepresentable, Hashable, Comparable, Sendable, CustomStringConvertible {
    public let rawValue: UInt32

    public init(rawValue: UInt32) { self.rawValue = rawValue }

    public static func < (left: ID, right: ID) -> Bool { left.rawValue < right.rawValue }

    public var description: String { "\(rawValue)" }
  }

  /// The kinds of events that a device may send. One that claims a kind need not ever send it: HDMI-CEC adapters claim to be pointers.
  public struct Abilities: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// A touch screen.
    public static let touch = Abilities(rawValue: 1)
    /// A mouse, a touchpad, or an absolute pointer such as a virtual machine's.
    public static let pointer = Abilities(rawValue: 2)
    public static let keyboard = Abilities(rawValue: 4)
    /// A pen with its tablet.
    public static let pen = Abilities(rawValue: 8)
    /// A touchpad that recognises the gestures of several fingers.
    public static let gestures = Abilities(rawValue: 16)
    /// A keyboard on which people write. One without letters is a power button, a remote control or the keys of a mouse.
    public static let letters = Abilities(rawValue: 32)
  }

  public let id: ID
  /// The device's own name for people: "Goodix Capacitive TouchScreen".
  public var name: String
  public var abilities: Abilities
  /// How many fingers a touch screen tells apart; nil if that is not known.
  public var fingers: Int?
  /// The size of a touch screen's or tablet's area, in millimetres; nil if the device does not tell.
  public var size: Size?
  /// The name of the display that the device lies on, such as "DSI-1", as the udev property `WL_OUTPUT` says; nil without one.
  public var outputName: String?
  /// The matrix that moves the device's places onto its display, as udev's `LIBINPUT_CALIBRATION_MATRIX` says; nil where it says nothing, and for a
  /// device of a script, whose places are those of the display.
  public var calibration: Affine?

  public init(
    id: ID, name: String, abilities: Abilities, fingers: Int? = nil, size: Size? = nil, outputName: String? = nil,
    calibration: Affine? = nil
  ) {
    (self.id, self.name, self.abilities) = (id, name, abilities)
    (self.fingers, self.size, self.outputName, self.calibration) = (fingers, size, outputName, calibration)
  }
}
