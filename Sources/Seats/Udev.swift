import CUdev
import Glibc
import LinuxSystem

/// A context of libudev. Its answers are copied into values at once, so that nothing can leak or dangle.
///
/// One thread at a time may use it.
struct Udev: ~Copyable {
  let context: OpaquePointer

  init() throws(SystemError) {
    guard let context = udev_new() else { throw .last(call: "udev_new") }
    self.context = context
  }

  deinit {
    udev_unref(context)
  }

  /// True if the daemon runs. Without it libudev still opens a monitor of the daemon's events, which never receives any.
  static var isRunning: Bool { access("/run/udev/control", F_OK) == 0 }

  /// The devices of a subsystem that exist now, ordered by path.
  func devices(in subsystem: String) throws(SystemError) -> [Device] {
    guard let enumeration = udev_enumerate_new(context) else { throw .last(call: "udev_enumerate_new") }
    defer { udev_enumerate_unref(enumeration) }
    try check(
      udev_enumerate_add_match_subsystem(enumeration, subsystem), "udev_enumerate_add_match_subsystem", subsystem)
    try check(udev_enumerate_scan_devices(enumeration), "udev_enumerate_scan_devices", subsystem)

    var devices: [Device] = []
    var entry = udev_enumerate_get_list_entry(enumeration)
    while let found = entry {
      entry = udev_list_entry_get_next(found)
      // A device that was removed in the meantime is skipped.
      guard let path = udev_list_entry_get_name(found), let device = udev_device_new_from_syspath(context, path) else {
        continue
      }
      defer { udev_device_unref(device) }
      if let value = Device(device) { devices.append(value) }
    }
    return devices
  }

  /// Throws the error of a libudev function, which returns a negative errno.
  private func check(_ result: Int32, _ call: String, _ subject: String) throws(SystemError) {
    guard result >= 0 else { throw SystemError(call: call, subject: subject, errno: -result) }
  }
}

extension Device {
  /// Copies a device of libudev. Nil if it has no path or subsystem, which does not happen with real devices.
  init?(_ device: OpaquePointer) {
    guard let syspath = udev_device_get_syspath(device), let subsystem = udev_device_get_subsystem(device) else {
      return nil
    }
    var properties: [String: String] = [:]
    var entry = udev_device_get_properties_list_entry(device)
    while let property = entry {
      entry = udev_list_entry_get_next(property)
      guard let name = udev_list_entry_get_name(property) else { continue }
      properties[String(cString: name)] = udev_list_entry_get_value(property).map { String(cString: $0) } ?? ""
    }
    var driver: String?
    var isBootDisplay = false
    var ancestor: OpaquePointer? = device
    while let current = ancestor {
      if driver == nil { driver = udev_device_get_driver(current).map { String(cString: $0) } }
      if udev_device_get_sysattr_value(current, "boot_vga").map({ String(cString: $0) }) == "1" { isBootDisplay = true }
      // The parent belongs to the device and is freed with it.
      ancestor = udev_device_get_parent(current)
    }
    self.init(
      syspath: String(cString: syspath), subsystem: String(cString: subsystem),
      node: udev_device_get_devnode(device).map { String(cString: $0) }, driver: driver, isBootDisplay: isBootDisplay,
      properties: properties)
  }
}
