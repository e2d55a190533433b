import CUdev
import Glibc
public import LinuxSystem
public import RunLoops

/// Tells of devices that come, go and change, on the loop: no thread of its own, and nothing is polled.
///
/// Make the monitor first and enumerate then: what comes in between is in both, and nothing is in neither.
@MainActor
public final class DeviceMonitor {
  /// Who sends the events.
  public enum Origin: Sendable, Equatable {
    /// The udev daemon, once it has made the node, set its rights and added its properties.
    case udev
    /// The kernel itself. The node may not have its rights yet, and no device is assigned to a seat.
    case kernel
  }

  public let origin: Origin
  /// Why the events are the kernel's or the daemon's, in a sentence.
  public let reason: String

  /// The socket: borrowed.
  var descriptor: Int32 { monitor.descriptor }
  private let monitor: UdevMonitor
  private var source: FrameLoop.DescriptorSource?

  /// - Parameters:
  ///   - subsystems: whose devices are wanted: "drm", "input", "hidraw".
  ///   - origin: who is listened to; nil for the daemon where it runs, otherwise the kernel. In a container neither may
  ///     be heard: the kernel sends its events to the machine's own network namespace only.
  ///   - handler: is called on the main loop, once an event.
  /// - Throws: what libudev's call came back with. Where there are no sockets of this kind, as in some sandboxes, there is
  ///   nothing to listen to: enumerate now and then instead.
  public init(
    subsystems: [String], origin: Origin? = nil, handler: @escaping @MainActor (DeviceEvent) -> Void
  ) throws(SystemError) {
    let isRunning = Udev.isRunning
    self.origin = origin ?? (isRunning ? .udev : .kernel)
    reason =
      switch (self.origin, isRunning) {
      case (.udev, true): "events of the udev daemon"
      case (.udev, false): "events of the udev daemon, which does not run: there will be none"
      case (.kernel, true): "events of the kernel, as asked for"
      case (.kernel, false): "events of the kernel: there is no udev daemon (/run/udev/control)"
      }
    let monitor = try UdevMonitor(origin: self.origin, subsystems: subsystems)
    self.monitor = monitor
    source = FrameLoop.DescriptorSource(
      descriptor: monitor.descriptor,
      onMain: { _, _ in
        // One at a time: what is left makes the descriptor ready again, and other sources have their turn.
        if let event = monitor.receive() { handler(event) }
      })
  }

  isolated deinit {
    invalidate()
  }

  /// The devices of a subsystem that there are now, in the order of their paths.
  public static func devices(in subsystem: String) throws(SystemError) -> [Device] {
    try Udev().devices(in: subsystem)
  }

  /// Delivers events to the handler while `loop`, one of the main thread's, runs in `mode`.
  public func add(to loop: FrameLoop = .main, mode: FrameLoop.Mode = .common) {
    if let source { loop.add(source, to: mode) }
  }

  public func remove(from loop: FrameLoop = .main, mode: FrameLoop.Mode = .common) {
    if let source { loop.remove(source, from: mode) }
  }

  /// Whether events have come that the handler has not been called with yet.
  package var hasEvents: Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return source != nil && poll(&entry, 1, 0) > 0
  }

  /// Ends it: the handler is not called again.
  public func invalidate() {
    source?.invalidate()
    source = nil
  }
}

/// libudev's monitor: a netlink socket with a filter.
@MainActor
private final class UdevMonitor {
  private let udev: Udev
  private let monitor: OpaquePointer
  let descriptor: Int32

  init(origin: DeviceMonitor.Origin, subsystems: [String]) throws(SystemError) {
    let group = origin == .udev ? "udev" : "kernel"
    let udev = try Udev()
    guard let monitor = udev_monitor_new_from_netlink(udev.context, group) else {
      throw .last(call: "udev_monitor_new_from_netlink", subject: group)
    }
    self.udev = udev
    self.monitor = monitor
    descriptor = udev_monitor_get_fd(monitor)
    for subsystem in subsystems {
      try check(
        udev_monitor_filter_add_match_subsystem_devtype(monitor, subsystem, nil),
        "udev_monitor_filter_add_match_subsystem_devtype")
    }
    try check(udev_monitor_enable_receiving(monitor), "udev_monitor_enable_receiving")
  }

  isolated deinit {
    udev_monitor_unref(monitor)
  }

  private func check(_ result: Int32, _ call: String) throws(SystemError) {
    guard result >= 0 else { throw SystemError(call: call, errno: -result) }
  }

  /// The next event that has come; nil when there is none, or only such as are not wanted. Does not wait.
  func receive() -> DeviceEvent? {
    errno = 0
    guard let device = udev_monitor_receive_device(monitor) else {
      // The socket's buffer was full, and the kernel has thrown events away.
      return errno == ENOBUFS ? .rescan : nil
    }
    defer { udev_device_unref(device) }
    return Device(device).map { DeviceEvent($0) }
  }
}
