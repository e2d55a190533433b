/// A device as udev or the kernel describes it: a copy, which does not change when the device does.
///
/// Devices come from `DeviceMonitor.devices(in:)` and in the events of a `DeviceMonitor`.
public struct Device: Sendable, Equatable {
  /// The device's folder below `/sys`, its name for as long as it exists: "/sys/devices/…/drm/card0".
  public var syspath: String
  /// The kind of device: "drm", "input", "hidraw".
  public var subsystem: String
  /// The node to open: "/dev/dri/card0". Some devices, such as connectors, have none.
  public var node: String?
  /// The driver of the device or of its nearest ancestor that has one: "i915". Nil for a removed device.
  public var driver: String?
  /// True if the firmware showed the boot screen on this graphics card. (PCI only.)
  public var isBootDisplay: Bool
  /// All of the device's properties by name, such as "DEVNAME" and "ID_SEAT". In an event they are those of the event.
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

  /// The seat that udev assigned the device to: "seat0" without an assignment or without udev.
  public var seatName: String { properties["ID_SEAT"] ?? "seat0" }
}

// MARK: Graphics cards

extension Device {
  /// True for a card that can be opened for mode setting; false for render nodes and connectors.
  public var isGraphicsCard: Bool {
    subsystem == "drm" && node != nil && name.hasPrefix("card") && name.dropFirst(4).allSatisfy(\.isASCIIDigit)
      && name.count > 4
  }

  /// The DRM object of the connector's property that the kernel changed, such as content protection.
  public var propertyID: UInt32? { properties["PROPERTY"].flatMap { UInt32($0) } }
}

extension Character {
  fileprivate var isASCIIDigit: Bool { ("0"..."9").contains(self) }
}

/// A change of the machine's devices, as a `DeviceMonitor` reports it.
public enum DeviceEvent: Sendable, Equatable {
  /// A device was added and can be opened.
  case added(Device)
  /// A device was removed. Calls on its open descriptors fail with `ENODEV`.
  case removed(Device)
  /// A device changed, for example because a screen was plugged into a card.
  case changed(Device)
  /// Events came faster than they were read, and some were lost: enumerate the devices again and compare.
  case rescan

  /// - Parameter device: a device with the properties of a uevent; `ACTION` names the change.
  init(_ device: Device) {
    switch device.properties["ACTION"] {
    case "add": self = .added(device)
    case "remove": self = .removed(device)
    // A renamed device is unknown under its new name.
    case "move": self = .rescan
    // Actions such as "bind" and "online", and any that later kernels add.
    default: self = .changed(device)
    }
  }
}
