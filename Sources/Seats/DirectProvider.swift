import Glibc
import LinuxSystem

/// Opens devices by themselves, with the rights of the program's own user and groups. There is no session behind it: who
/// has the console does not matter, consoles are not switched, and what another program holds is refused when it is used.
@MainActor
public final class DirectProvider: SeatProvider {
  public let seatName = "seat0"
  public var descriptor: Int32? { nil }
  private var isEnabled = false
  private var devices: Set<SeatDevice> = []

  public init() {}

  /// Enabled once, at the beginning.
  public func receiveEvents() throws(SeatError) -> [SeatEvent] {
    defer { isEnabled = true }
    return isEnabled ? [] : [.enable]
  }

  public func acknowledgeDisable() throws(SeatError) {}

  public func openDevice(at path: String) throws(SeatError) -> SeatDevice {
    // The flags that seatd opens with, so that a device behaves alike.
    let number = open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC)
    guard number >= 0 else { throw .device(path: path, .last(call: "open", subject: path)) }
    let device = SeatDevice(path: path, id: number, descriptor: number)
    devices.insert(device)
    return device
  }

  public func closeDevice(_ device: SeatDevice) {
    guard devices.remove(device) != nil else { return }
    Glibc.close(device.descriptor)
  }

  public func switchSession(to number: Int) throws(SeatError) {
    throw .noSwitch(session: number, reason: "devices are opened without a seat; use chvt")
  }

  public func close() {
    for device in devices { closeDevice(device) }
  }
}
