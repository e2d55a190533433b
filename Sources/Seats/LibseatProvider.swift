import CSeat
import Glibc
import LinuxSystem
import Synchronization

/// A seat of libseat, which gets its devices from seatd, logind or a builtin seatd.
///
/// All calls of libseat are in this file. Those that open and close wait for the daemon's answer.
@MainActor
final class LibseatProvider: SeatProvider {
  let seatName: String
  let descriptor: Int32?
  /// The backend in libseat's words: "seatd", "logind", "builtin", "noop".
  let backend: String

  private let seat: OpaquePointer
  private let listener: UnsafeMutablePointer<libseat_seat_listener>
  private let inbox: Inbox
  private var devices: Set<SeatDevice> = []

  /// The events that libseat reports by callback, during its own calls. They are handled after the call has returned,
  /// because libseat fails if its seat is closed in a callback.
  private final class Inbox {
    var events: [SeatEvent] = []

    static func receive(_ event: SeatEvent, _ context: UnsafeMutableRawPointer?) {
      guard let context else { return }
      // The inbox is alive: the provider that owns it closes the seat before it goes.
      Unmanaged<Inbox>.fromOpaque(context).takeUnretainedValue().events.append(event)
    }
  }

  /// Opens the seat of the backend that `LIBSEAT_BACKEND` names, otherwise of the first that works: seatd, logind, builtin.
  init() throws(SeatError) {
    let inbox = Inbox()
    let listener = UnsafeMutablePointer<libseat_seat_listener>.allocate(capacity: 1)
    listener.initialize(
      to: libseat_seat_listener(
        enable_seat: { _, context in Inbox.receive(.enable, context) },
        disable_seat: { _, context in Inbox.receive(.disable, context) }))
    let ((opened, error), lines) = SeatLog.capturing {
      let seat = libseat_open_seat(listener, Unmanaged.passUnretained(inbox).toOpaque())
      return (seat, SystemError.last(call: "libseat_open_seat"))
    }
    guard let opened else {
      listener.deallocate()
      throw .noSeat(error, reasons: Self.reasons(lines))
    }
    seat = opened
    self.listener = listener
    self.inbox = inbox
    backend = Self.backend(lines) ?? "libseat"
    seatName = libseat_seat_name(opened).map { String(cString: $0) } ?? ""
    let number = libseat_get_fd(opened)
    descriptor = number >= 0 ? number : nil
  }

  func receiveEvents() throws(SeatError) -> [SeatEvent] {
    let result = libseat_dispatch(seat, 0)
    let failure = SystemError.last(call: "libseat_dispatch")
    if result < 0 { throw .lost(failure) }
    // libseat 0.7 does not report that the other side has hung up when it is called without waiting.
    if let descriptor {
      var entry = pollfd(fd: descriptor, events: 0, revents: 0)
      if poll(&entry, 1, 0) > 0 { throw .lost(SystemError(call: "libseat_dispatch", subject: backend, errno: ECONNRESET)) }
    }
    defer { inbox.events.removeAll() }
    return inbox.events
  }

  func acknowledgeDisable() throws(SeatError) {
    guard libseat_disable_seat(seat) == 0 else { throw .lost(.last(call: "libseat_disable_seat")) }
  }

  func openDevice(at path: String) throws(SeatError) -> SeatDevice {
    var number: Int32 = -1
    errno = 0
    let id = libseat_open_device(seat, path, &number)
    var failure = SystemError.last(call: "libseat_open_device")
    guard id >= 0, number >= 0 else {
      // The logind backend does not set an error number.
      if failure.errno == 0 { failure = SystemError(call: failure.call, errno: EIO) }
      throw .device(path: path, failure)
    }
    let device = SeatDevice(path: path, id: id, descriptor: number)
    devices.insert(device)
    return device
  }

  func closeDevice(_ device: SeatDevice) {
    guard devices.remove(device) != nil else { return }
    // The call fails if the seat is lost; the descriptor must be closed all the same. It is closed last, as the logind
    // backend still uses it.
    _ = libseat_close_device(seat, device.id)
    Glibc.close(device.descriptor)
  }

  func switchSession(to number: Int) throws(SeatError) {
    errno = 0
    guard libseat_switch_session(seat, Int32(clamping: number)) == 0 else {
      throw .noSwitch(session: number, reason: "\(SystemError.last(call: "libseat_switch_session"))")
    }
  }

  func close() {
    for device in devices { closeDevice(device) }
    // The call frees the seat even if it returns an error.
    _ = libseat_close_seat(seat)
    listener.deallocate()
  }

  // MARK: libseat's messages about backends

  /// The name in the message "Seat opened with backend 'seatd'".
  private static func backend(_ lines: [String]) -> String? {
    for line in lines {
      let parts = line.split(separator: "'", omittingEmptySubsequences: false)
      if parts.count == 3, parts[0] == "Seat opened with backend " { return String(parts[1]) }
    }
    return nil
  }

  /// The messages that state a reason. Those that only say that a backend was skipped are left out.
  private static func reasons(_ lines: [String]) -> [String] {
    lines.filter { !$0.hasSuffix(", skipping") && $0 != "No backend was able to open a seat" }
  }
}

/// Collects libseat's messages, which it would print to the standard error output by itself. They are dropped, except while
/// a seat is opened: then they say why a backend was refused.
///
/// libseat has one log handler for the whole process. Any thread may open a seat.
enum SeatLog {
  /// The lines since opening began; nil at other times.
  private static let captured = Lock<[String]?>(nil)
  /// The process that installed the handler.
  private static let process = Atomic<pid_t>(0)

  /// Runs `body` and returns its result with the errors and refusals that libseat reported meanwhile.
  static func capturing<Result>(_ body: () -> Result) -> (Result, lines: [String]) {
    captured.withLock { $0 = [] }
    process.store(getpid(), ordering: .relaxed)
    libseat_set_log_handler { _, format, arguments in
      guard let format, let arguments else { return }
      // The builtin backend is a fork of this process: threads that do not exist there may hold locks.
      guard getpid() == SeatLog.process.load(ordering: .relaxed) else { return }
      let line = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 512) { buffer in
        guard let base = buffer.baseAddress, vsnprintf(base, buffer.count, format, arguments) >= 0 else { return "" }
        return String(cString: base)
      }
      SeatLog.captured.withLock { $0?.append(SeatLog.withoutPlace(line)) }
    }
    libseat_set_log_level(LIBSEAT_LOG_LEVEL_INFO)
    defer { libseat_set_log_level(LIBSEAT_LOG_LEVEL_SILENT) }
    let result = body()
    let lines = captured.withLock { lines in
      defer { lines = nil }
      return lines ?? []
    }
    return (result, lines)
  }

  /// The line without its place in libseat's sources, "[../libseat/backend/seatd.c:64] ".
  static func withoutPlace(_ line: String) -> String {
    guard line.hasPrefix("["), let end = line.firstIndex(of: "]") else { return line }
    return String(line[line.index(after: end)...].drop { $0 == " " })
  }
}
