/// What a device monitor reports.
public enum DeviceEvent: Sendable, Equatable {
  /// A device has come and can be opened.
  case added(Device)
  /// A device has gone: what is open of it answers with `ENODEV`.
  case removed(Device)
  /// Something about a device is new, such as a screen that was plugged into a card.
  case changed(Device)
  /// Events were lost, because they came faster than they were read: enumerate again and compare.
  case rescan

  /// - Parameter device: with the properties of a uevent, of which `ACTION` says what has happened.
  init(_ device: Device) {
    switch device.properties["ACTION"] {
    case "add": self = .added(device)
    case "remove": self = .removed(device)
    // A device that was renamed is not the one that was known.
    case "move": self = .rescan
    // Bound to a driver, on line, and what may be invented later.
    default: self = .changed(device)
    }
  }
}
