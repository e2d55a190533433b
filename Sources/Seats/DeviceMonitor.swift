import CUdev
import Glibc
public import LinuxSystem
public import RunLoops

/// Reports devices that are added, removed and changed, on the main loop. It needs no thread and polls nothing.
///
/// ```swift
/// let monitor = try DeviceMonitor(subsystems: ["input"]) { event in
///   if case .added(let device) = event { open(device) }
/// }
/// monitor.add(to: .main, mode: .common)
/// for device in try DeviceMonitor.devices(in: "input") { open(device) }
/// ```
///
/// Create the monitor before enumerating devices. A device that is added in between is then in both, and none is missed.
@MainActor
public final class DeviceMonitor: FrameLoop.ItemOwner {
  /// The sender of the events.
  public enum Origin: Sendable, Equatable {
    /// The udev daemon. It sends an event once the device's node has its rights and udev's properties.
    case udev
    /// The kernel. The node may not have its rights yet, and no device is assigned to a seat.
    case kernel
  }

  public let origin: Origin
  /// The reason why this sender is listened to, as a sentence.
  public let reason: String

  /// The descriptor of the socket. The monitor owns it.
  var descriptor: Int32 { monitor.descriptor }
  private let monitor: UdevMonitor
  private let source: FrameLoop.DescriptorSource

  /// - Parameters:
  ///   - subsystems: the kinds of devices to report: "drm", "input", "hidraw".
  ///   - origin: the sender to listen to; nil for the udev daemon if it runs, otherwise the kernel. A container may receive
  ///     events of neither: the kernel sends them to the machine's own network namespace only.
  ///   - handler: is called on the main loop once for each event.
  /// - Throws: the error of a libudev call. Some sandboxes have no sockets of this kind: enumerate the devices now and then
  ///   instead.
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
      .onMain { _, _ in
        // One event for each call: the descriptor stays ready for the rest, and other sources get their turn.
        if let event = monitor.receive() { handler(event) }
      })
  }

  isolated deinit {
    invalidate()
  }

  /// The devices of a subsystem that exist now, ordered by path.
  public static func devices(in subsystem: String) throws(SystemError) -> [Device] {
    try Udev().devices(in: subsystem)
  }

  public var loopItem: any FrameLoop.Item { source }

  /// True if events arrived that the handler was not called with yet.
  package var hasEvents: Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return source.isValid && poll(&entry, 1, 0) > 0
  }

  /// Stops the monitor: the handler is not called again.
  public func invalidate() {
    source.invalidate()
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

  /// The next event that arrived; nil if there is none, or only events of other subsystems. Does not wait.
  func receive() -> DeviceEvent? {
    errno = 0
    guard let device = udev_monitor_receive_device(monitor) else {
      // The socket's buffer was full, and the kernel dropped events.
      return errno == ENOBUFS ? .rescan : nil
    }
    defer { udev_device_unref(device) }
    return Device(device).map { DeviceEvent($0) }
  }
}
