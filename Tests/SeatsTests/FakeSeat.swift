import CLinux
import Glibc
import LinuxSystem
import Seats

/// A seat that sends the test's events and records the session's requests. An eventfd wakes the loop.
@MainActor
final class FakeSeat: SeatProvider {
  let seatName = "fake"
  var log: [String] = []
  /// The error of the next request.
  var failure: SeatError?
  /// Runs while a device is opened: a daemon may send an event before its answer.
  var whileOpening: (() -> Void)?

  private var events: [SeatEvent] = []
  private var isLost = false
  private var opened: Int32 = 0
  private let signal: OwnedDescriptor

  init() throws {
    signal = try OwnedDescriptor.event()
  }

  var descriptor: Int32? { signal.number }

  func send(_ sent: SeatEvent..., waking: Bool = true) {
    events += sent
    if waking { eventfd_write(signal.number, 1) }
  }

  /// Fails from now on, as if the daemon had ended.
  func hangUp() {
    isLost = true
    eventfd_write(signal.number, 1)
  }

  func receiveEvents() throws(SeatError) -> [SeatEvent] {
    var count: eventfd_t = 0
    eventfd_read(signal.number, &count)
    if isLost { throw .lost(SystemError(call: "fake", errno: ECONNRESET)) }
    defer { events = [] }
    return events
  }

  func acknowledgeDisable() throws(SeatError) {
    log.append("acknowledged")
    if let failure { throw failure }
  }

  func openDevice(at path: String) throws(SeatError) -> SeatDevice {
    if let failure { throw failure }
    opened += 1
    log.append("open \(path)")
    whileOpening?()
    return SeatDevice(path: path, id: opened, descriptor: -opened)
  }

  func closeDevice(_ device: SeatDevice) { log.append("close \(device.path)") }
  func switchSession(to number: Int) throws(SeatError) { log.append("switch to \(number)") }
  func close() { log.append("closed") }
}
