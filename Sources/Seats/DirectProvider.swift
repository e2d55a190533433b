import Glibc
import LinuxSystem

/// Opens devices by themselves, with the rights of the program's own user and groups. There is no session behind it: who
/// has the console does not matter, consoles are not switched, and what another program holds is refused when it is used.
@MainActor
package final class DirectProvider: SeatProvider {
  package let seatName = "seat0"
  package var descriptor: Int32? { nil }
  private var isEnabled = false
  private var devices: Set<SeatDevice> = []

  package init() {}

  /// Enabled once, at the beginning.
  package func receiveEvents() throws(SeatError) -> [SeatEvent] {
    defer { isEnabled = true }
    return isEnabled ? [] : [.enable]
  }

  package func acknowledgeDisable() throws(SeatError) {}

  package func openDevice(at path: String) throws(SeatError) -> SeatDevice {
    // The flags that seatd opens with, so that a device behaves alike.
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
