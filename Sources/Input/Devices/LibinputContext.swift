import CLibinput
import CUdev
import Glibc
import LinuxSystem
import Seats

/// A context of libinput, whose devices a session opens.
@MainActor
final class LibinputContext {
  private enum State {
    /// Made, and no seat assigned to it.
    case new
    case running
    case suspended
    case ended
  }

  private var state = State.new
  private let udev: OpaquePointer
  private let libinput: OpaquePointer
  private let interface: UnsafeMutablePointer<libinput_interface>
  private let host: Host

  init(session: SeatSession) throws(SystemError) {
    guard let udev = udev_new() else { throw .last(call: "udev_new") }
    host = Host(session)
    interface = .allocate(capacity: 1)
    // libinput calls these within its own calls, which are all made on the main actor, and gives them the host of this context.
    interface.initialize(
      to: libinput_interface(
        open_restricted: { path, _, host in
          guard let path, let host else { return -EINVAL }
          return MainActor.assumeIsolated { Host.of(host).open(String(cString: path)) }
        },
        close_restricted: { descriptor, host in
          guard let host else { return }
          MainActor.assumeIsolated { Host.of(host).close(descriptor) }
        }))
    guard let libinput = libinput_udev_create_context(interface, Unmanaged.passUnretained(host).toOpaque(), udev) else {
      let error = SystemError.last(call: "libinput_udev_create_context")
      interface.deallocate()
      udev_unref(udev)
      throw error
    }
    (self.udev, self.libinput) = (udev, libinput)
    // Lost events are told with this priority.
    libinput_log_set_priority(libinput, LIBINPUT_LOG_PRIORITY_INFO)
    libinput_log_set_handler(libinput) { libinput, _, format, arguments in
      guard let host = libinput_get_user_data(libinput), let format, let arguments else { return }
      let message = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 512) { buffer in
        guard let base = buffer.baseAddress, vsnprintf(base, buffer.count, format, arguments) >= 0 else { return "" }
        return String(cString: base)
      }
      MainActor.assumeIsolated { Host.of(host).hear(message) }
    }
  }

  isolated deinit {
    libinput_unref(libinput)
    interface.deallocate()
    udev_unref(udev)
  }

  var descriptor: Int32 { libinput_get_fd(libinput) }
  /// Why devices could not be opened, by path.
  var refusals: [String: SeatError] { host.refusals }
  /// How often libinput told that the kernel threw events away.
  var overflows: Int { host.overflows }

  /// Opens the devices of a seat, or those that were closed by `suspend()` again.
  func begin(seat: String) {
    switch state {
    case .new: if libinput_udev_assign_seat(libinput, seat.isEmpty ? "seat0" : seat) == 0 { state = .running }
    case .suspended: if libinput_resume(libinput) == 0 { state = .running }
    case .running, .ended: break
    }
  }

  /// Closes all devices. Their last events can still be read.
  func suspend() {
    guard state == .running else { return }
    state = .suspended
    libinput_suspend(libinput)
  }

  func end() {
    suspend()
    state = .ended
  }

  func dispatch() { libinput_dispatch(libinput) }

  /// The next event that was read; whoever takes it destroys it.
  func next() -> OpaquePointer? { libinput_get_event(libinput) }

  /// Opens and closes the nodes of devices for libinput, and hears its messages, which it would print.
  @MainActor
  private final class Host {
    private let session: SeatSession
    private var devices: [Int32: SeatDevice] = [:]
    private(set) var refusals: [String: SeatError] = [:]
    private(set) var overflows = 0

    init(_ session: SeatSession) { self.session = session }

    static func of(_ pointer: UnsafeMutableRawPointer) -> Host {
      Unmanaged<Host>.fromOpaque(pointer).takeUnretainedValue()
    }

    func hear(_ message: String) { if message.contains("SYN_DROPPED") { overflows += 1 } }

    /// - Returns: a descriptor, or a negative errno.
    func open(_ path: String) -> Int32 {
      do throws(SeatError) {
        let device = try session.openDevice(at: path)
        devices[device.descriptor] = device
        refusals[path] = nil
        return device.descriptor
      } catch {
        refusals[path] = error
        guard case .device(_, let cause) = error else { return -EACCES }
        return -cause.errno
      }
    }

    func close(_ descriptor: Int32) {
      if let device = devices.removeValue(forKey: descriptor) { session.closeDevice(device) }
    }
  }
}
