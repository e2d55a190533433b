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
  private let opener: Opener

  init(session: SeatSession) throws(SystemError) {
    guard let udev = udev_new() else { throw .last(call: "udev_new") }
    opener = Opener(session)
    interface = .allocate(capacity: 1)
    // libinput calls these within its own calls, which are all made on the main actor, and gives them the opener of this context.
    interface.initialize(
      to: libinput_interface(
        open_restricted: { path, _, opener in
          guard let path, let opener else { return -EINVAL }
          return MainActor.assumeIsolated { Opener.of(opener).open(String(cString: path)) }
        },
        close_restricted: { descriptor, opener in
          guard let opener else { return }
          MainActor.assumeIsolated { Opener.of(opener).close(descriptor) }
        }))
    guard let libinput = libinput_udev_create_context(interface, Unmanaged.passUnretained(opener).toOpaque(), udev) else {
      let error = SystemError.last(call: "libinput_udev_create_context")
      interface.deallocate()
      udev_unref(udev)
      throw error
    }
    (self.udev, self.libinput) = (udev, libinput)
  }

  isolated deinit {
    libinput_unref(libinput)
    interface.deallocate()
    udev_unref(udev)
  }

  var descriptor: Int32 { libinput_get_fd(libinput) }
  /// Why devices could not be opened, by path.
  var refusals: [String: SeatError] { opener.refusals }

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

  /// Opens and closes the nodes of devices for libinput.
  @MainActor
  private final class Opener {
    private let session: SeatSession
    private var devices: [Int32: SeatDevice] = [:]
    private(set) var refusals: [String: SeatError] = [:]

    init(_ session: SeatSession) { self.session = session }

    static func of(_ pointer: UnsafeMutableRawPointer) -> Opener {
      Unmanaged<Opener>.fromOpaque(pointer).takeUnretainedValue()
    }

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
