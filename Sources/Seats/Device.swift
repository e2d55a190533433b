/// A device of the kernel, as udev or the kernel itself describes it: a copy, which does not change.
public struct Device: Sendable, Equatable {
  /// Its folder below `/sys`, which names it for as long as it is there: "/sys/devices/…/drm/card0".
  public var syspath: String
  /// What kind it is: "drm", "input", "hidraw".
  public var subsystem: String
  /// The node to open: "/dev/dri/card0". Connectors, for example, have none.
  public var node: String?
  /// The driver of the device or of the nearest one that it is part of: "i915". Nil for one that was removed.
  public var driver: String?
  /// Whether the firmware has put the boot screen on this graphics card. (PCI only.)
  public var isBootDisplay: Bool
  /// All that is told of it, by name: "DEVNAME", "ID_SEAT". In an event, what the event tells.
  public var properties: [String: String]

  public init(
    syspath: String, subsystem: String, node: String? = nil, driver: String? = nil, isBootDisplay: Bool = false,
    properties: [String: String] = [:]
  ) {
    self.syspath = syspath
    self.subsystem = subsystem
    self.node = node
    self.driver = driver
    self.isBootDisplay = isBootDisplay
    self.properties = properties
  }

  /// The last part of `syspath`: "card0".
  public var name: String {
    String(syspath[(syspath.lastIndex(of: "/").map(syspath.index(after:)) ?? syspath.startIndex)...])
  }

  /// The seat that udev has assigned the device to. Without an assignment, and without udev, that is "seat0".
  public var seatName: String { properties["ID_SEAT"] ?? "seat0" }
}

// What the kernel's graphics drivers tell.
extension Device {
  /// Whether it is a card that can be opened for mode setting, and not a render node or a connector.
  public var isGraphicsCard: Bool {
    subsystem == "drm" && node != nil && name.hasPrefix("card") && name.dropFirst(4).allSatisfy(\.isASCIIDigit)
      && name.count > 4
  }

  /// Whether the driver says that connectors of this card may have changed (`HOTPLUG=1`): ask those named by `connectorID`, or
  /// all. Not every driver does: any change of a card is a reason to ask.
  public var isHotplug: Bool { properties["HOTPLUG"] == "1" }

  /// The DRM object of the connector that a change is about; nil for all of them, and with drivers that do not say.
  public var connectorID: UInt32? { properties["CONNECTOR"].flatMap { UInt32($0) } }

  /// The DRM object of the property of that connector that the kernel has changed, such as content protection.
  public var propertyID: UInt32? { properties["PROPERTY"].flatMap { UInt32($0) } }
}

extension Character {
  fileprivate var isASCIIDigit: Bool { ("0"..."9").contains(self) }
}

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
