import Glibc
import LinuxSystem

/// Opens devices with the rights of the program's own user and groups, without a seat. The session is always active:
/// switching consoles does not affect it, and a device that another program uses fails when it is used.
@MainActor
package final class DirectProvider: SeatProvider {
  package let seatName = "seat0"
  package var descriptor: Int32? { nil }
  private var isEnabled = false
  private var devices: Set<SeatDevice> = []

  package init() {}

  /// Returns a single `enable` event, at the first call.
  package func receiveEvents() throws(SeatError) -> [SeatEvent] {
    defer { isEnabled = true }
    return isEnabled ? [] : [.enable]
  }

  package func acknowledgeDisable() throws(SeatError) {}

  package func openDevice(at path: String) throws(SeatError) -> SeatDevice {
    // The flags that seatd uses, so that a device behaves the same.
    let number = open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
    guard number >= 0 else { throw .device(path: path, .last(call: "open", subject: path)) }
    let device = SeatDevice(path: path, id: number, descriptor: number)
    devices.insert(device)
    return device
  }

  package func closeDevice(_ device: SeatDevice) {
    guard devices.remove(device) != nil else { return }
    Glibc.close(device.descriptor)
  }

  package func switchSession(to number: Int) throws(SeatError) {
    throw .noSwitch(session: number, reason: "devices are opened without a seat; use chvt")
  }

  package func close() {
    for device in devices { closeDevice(device) }
  }
}
