import CSeat
import Glibc
import LinuxSystem
import Synchronization

/// A seat of libseat's: devices come from seatd, logind, or a builtin seatd.
///
/// All calls of libseat are made here. Those that open and close wait for the daemon's answer.
@MainActor
final class LibseatProvider: SeatProvider {
  let seatName: String
  let descriptor: Int32?
  /// The backend that was taken, as libseat names it: "seatd", "logind", "builtin", "noop".
  let backend: String

  private let seat: OpaquePointer
  private let listener: UnsafeMutablePointer<libseat_seat_listener>
  private let inbox: Inbox
  private var devices: Set<SeatDevice> = []

  /// What libseat calls back, in its own calls only. To be handled when these have returned: libseat does not bear that its
  /// seat is closed in one.
  private final class Inbox {
    var events: [SeatEvent] = []

    static func receive(_ event: SeatEvent, _ context: UnsafeMutableRawPointer?) {
      guard let context else { return }
      // Alive: the provider that owns it closes the seat before it goes.
      Unmanaged<Inbox>.fromOpaque(context).takeUnretainedValue().events.append(event)
    }
  }

  /// Opens the seat that `LIBSEAT_BACKEND` asks for, otherwise the first that there is of seatd, logind and builtin.
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
    // libseat 0.7 does not say that the other side has hung up when it is not to wait.
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
      // logind's backend does not set an error number.
      if failure.errno == 0 { failure = SystemError(call: failure.call, errno: EIO) }
      throw .device(path: path, failure)
    }
    let device = SeatDevice(path: path, id: id, descriptor: number)
    devices.insert(device)
    return device
  }

  func closeDevice(_ device: SeatDevice) {
    guard devices.remove(device) != nil else { return }
    // Fails when the seat is lost; the descriptor is ours all the same. Logind's backend looks at it, so it goes last.
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
    // Frees the seat, whatever it answers.
    _ = libseat_close_seat(seat)
    listener.deallocate()
  }

  // MARK: What libseat says while it looks for a backend

  /// "Seat opened with backend 'seatd'"
  private static func backend(_ lines: [String]) -> String? {
    for line in lines {
      let parts = line.split(separator: "'", omittingEmptySubsequences: false)
      if parts.count == 3, parts[0] == "Seat opened with backend " { return String(parts[1]) }
    }
    return nil
  }

  /// Without the lines that tell nothing but that one of the others was the reason.
  private static func reasons(_ lines: [String]) -> [String] {
    lines.filter { !$0.hasSuffix(", skipping") && $0 != "No backend was able to open a seat" }
  }
}

/// The messages of libseat, which would print them to the standard error output. They are dropped, except while a seat is
/// opened: there they say why a backend was refused.
///
/// The state belongs to the process, as libseat's does. Any thread may use it.
enum SeatLog {
  /// The lines since an opening began; nil outside of one.
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
