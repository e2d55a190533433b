import CWaylandClient
import CWaylandProtocols
import Glibc
public import LinuxSystem
public import RunLoops

/// A connection to a Wayland compositor, for any number of windows.
///
/// ```swift
/// let connection = try WaylandConnection.open()
/// let left = WaylandDisplay(connection: connection, options: WindowOptions(title: "Left"))
/// let right = WaylandDisplay(connection: connection, options: WindowOptions(title: "Right"))
/// ```
///
/// Nothing in it waits: requests that the socket does not take are written when it does, events are handled when they are there. `open`
/// alone waits, for the compositor's first answer, and for a limited time.
///
/// It belongs to the main thread. A window adds it to the loop.
@MainActor
public final class WaylandConnection: FrameLoop.ItemOwner {
  /// The state of a connection.
  public enum State: Sendable, Equatable {
    /// The compositor has not told yet what it offers.
    case opening
    case ready
    /// No event comes any more: see `WaylandDisplay.reconnect(to:)`.
    case lost(WaylandError)
    case closed
  }

  public private(set) var state = State.opening
  /// The name of the socket, or a description of it.
  public let name: String
  let clock: SystemClock
  /// Reads a clock of the system: tests have their own.
  package var readClock: (UInt32) -> MonotonicTime? = { PresentationClock.read($0) }
  package private(set) var globals = WaylandGlobals()
  /// The connection of libwayland; nil after `close()`.
  package private(set) var pointer: OpaquePointer?

  private var registry: OpaquePointer?
  private var sync: OpaquePointer?
  private var windows: [WeakWindow] = []
  private var withdrawals: [@MainActor (UInt32) -> Void] = []
  private var ends: [@MainActor () -> Void] = []
  private let descriptor: Int32
  private lazy var reader = FrameLoop.DescriptorSource(
    descriptor: descriptor, .onMain { [weak self] _, _ in self?.read() })
  /// Waits until the socket takes more; nil while it has taken everything.
  private var writer: FrameLoop.DescriptorSource?
  private lazy var turnEnd = FrameLoop.Observer(
    [.beforeWaiting, .exit], order: ObserverOrder.afterCommit + 2, .onMain { [weak self] _, _ in self?.flush() })
  private lazy var items = FrameLoop.ItemGroup([reader, turnEnd])

  private struct WeakWindow {
    weak var window: WaylandWindow?
  }

  /// Takes over a connected socket.
  ///
  /// - Parameters:
  ///   - descriptor: is closed with the connection.
  ///   - clock: the clock of the loop that windows are added to.
  public init(descriptor: Int32, name: String = "descriptor", clock: SystemClock = .monotonic) throws(WaylandError) {
    cwayland_keep_messages()
    guard let pointer = wl_display_connect_to_fd(descriptor) else {
      throw .cannotConnect(socket: name, .last(call: "wl_display_connect_to_fd", subject: name))
    }
    (self.pointer, self.name, self.clock) = (pointer, name, clock)
    self.descriptor = wl_display_get_fd(pointer)
    registry = wl_display_get_registry(pointer)
    sync = wl_display_sync(pointer)
    wl_registry_add_listener(registry, Self.registryListener, listenerData(self))
    wl_callback_add_listener(sync, Self.syncListener, listenerData(self))
    flush()
  }

  /// Connects to a compositor, and waits until it has told what it offers.
  ///
  /// - Parameters:
  ///   - socket: the path of its socket, or a name in `XDG_RUNTIME_DIR`; nil for `WAYLAND_DISPLAY`.
  ///   - limit: the longest wait.
  ///   - clock: the clock of the loop that windows are added to.
  public static func open(
    socket: String? = nil, waitingFor limit: Nanoseconds = .seconds(2), clock: SystemClock = .monotonic
  ) throws(WaylandError) -> WaylandConnection {
    let path = try path(of: socket)
    let number = Glibc.socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard number >= 0 else { throw .cannotConnect(socket: path, .last(call: "socket")) }
    if let errno = connect(number, to: path) {
      Glibc.close(number)
      throw .cannotConnect(socket: path, SystemError(call: "connect", subject: path, errno: errno))
    }
    let connection = try WaylandConnection(descriptor: number, name: path, clock: clock)
    do throws(WaylandError) {
      try connection.wait(upTo: limit) { connection.state != .opening }
      if case .lost(let error) = connection.state { throw error }
    } catch {
      connection.close()
      throw error
    }
    return connection
  }

  /// True if the environment names a compositor's socket.
  public nonisolated static var isNamedByEnvironment: Bool { nameInEnvironment != nil }
  /// The name or path of the socket in the environment: `WAYLAND_DISPLAY`; nil if there is none.
  public nonisolated static var nameInEnvironment: String? { environment("WAYLAND_DISPLAY") }

  private nonisolated static func environment(_ name: String) -> String? {
    guard let value = getenv(name), value.pointee != 0 else { return nil }
    return String(cString: value)
  }

  private static func path(of socket: String?) throws(WaylandError) -> String {
    guard let name = socket ?? environment("WAYLAND_DISPLAY") else { throw .noDesktop }
    if name.hasPrefix("/") { return name }
    guard let folder = environment("XDG_RUNTIME_DIR") else { throw .noFolder(socket: name) }
    return "\(folder)/\(name)"
  }

  /// - Returns: the error number; nil if it is connected.
  private static func connect(_ descriptor: Int32, to path: String) -> Int32? {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return ENAMETOOLONG }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        let status = Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
        return status == 0 ? nil : SystemError.last(call: "connect").errno
      }
    }
  }

  /// Handles events until `isDone`, before there is a loop that does.
  func wait(upTo limit: Nanoseconds, until isDone: () -> Bool) throws(WaylandError) {
    let end = SystemClock.monotonic.now + limit
    while !isDone() {
      flush()
      let left = end - SystemClock.monotonic.now
      guard left > .zero else { throw .noAnswer(within: limit) }
      var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      _ = poll(&entry, 1, Int32(clamping: left.count / 1_000_000 + 1))
      read()
      if case .lost(let error) = state { throw error }
    }
  }

  public var loopItem: any FrameLoop.Item { items }

  /// Serves an item where the connection is served.
  func serve(_ item: any FrameLoop.Item) { items.insert(item) }

  /// Ends an item that was served.
  func stop(_ item: any FrameLoop.Item) {
    items.remove(item)
    item.invalidate()
  }

  /// Ends the connection. Windows that are on it show nothing any more.
  public func close() {
    guard let pointer else { return }
    for end in ends { end() }
    for entry in windows { entry.window?.destroy() }
    (windows, ends) = ([], [])
    globals.destroy()
    if let sync { wl_callback_destroy(sync) }
    if let registry { wl_registry_destroy(registry) }
    (sync, registry) = (nil, nil)
    items.invalidate()
    writer?.invalidate()
    writer = nil
    wl_display_flush(pointer)
    wl_display_disconnect(pointer)
    self.pointer = nil
    state = .closed
  }

  isolated deinit { close() }

  // MARK: Windows

  func add(_ window: WaylandWindow) {
    windows.removeAll { $0.window == nil }
    windows.append(WeakWindow(window: window))
  }

  func remove(_ window: WaylandWindow) { windows.removeAll { $0.window == nil || $0.window === window } }

  /// The window of a surface; nil if it is none of ours.
  package func window(of surface: OpaquePointer?) -> WaylandWindow? {
    guard let surface else { return nil }
    for entry in windows { if let window = entry.window, window.surface == surface { return window } }
    return nil
  }

  /// The window in whose frame a surface is, and the part of the frame; nil if it is in none.
  func frame(of surface: UInt) -> (WaylandWindow, FrameLayout.Part)? {
    for entry in windows {
      if let window = entry.window, let part = window.frame?.part(of: surface) { return (window, part) }
    }
    return nil
  }

  // MARK: Events

  /// Handles the events that are there.
  func read() {
    guard let pointer, isAlive else { return }
    while wl_display_prepare_read(pointer) != 0 {
      if wl_display_dispatch_pending(pointer) < 0 { return fail() }
      guard self.pointer != nil else { return }
    }
    // It leaves what it cannot read without waiting.
    if wl_display_read_events(pointer) < 0 { return fail() }
    if wl_display_dispatch_pending(pointer) < 0 { return fail() }
  }

  private var isAlive: Bool { state == .opening || state == .ready }

  /// Sends the requests that were made. At the end of each turn; a frame does it at once.
  func flush() {
    guard let pointer, isAlive else { return }
    guard wl_display_flush(pointer) < 0 else {
      if let writer { items.remove(writer) }
      writer?.invalidate()
      writer = nil
      return
    }
    // After EPIPE there may be an error to be read, which says why.
    guard SystemError.last(call: "wl_display_flush").errno == EAGAIN else { return }
    guard writer == nil else { return }
    let writer = FrameLoop.DescriptorSource(
      descriptor: descriptor, events: .writable, .onMain { [weak self] _, _ in self?.flush() })
    self.writer = writer
    items.insert(writer)
  }

  private func fail() {
    guard let pointer, isAlive else { return }
    let number = wl_display_get_error(pointer)
    var error = WaylandError.lost(
      SystemError(call: "wl_display_read_events", subject: name, errno: number == 0 ? EPIPE : number))
    if number == EPROTO {
      var (interface, object): (UnsafePointer<wl_interface>?, UInt32) = (nil, 0)
      let code = wl_display_get_protocol_error(pointer, &interface, &object)
      error = .protocolError(
        interface: interface.map { String(cString: $0.pointee.name) } ?? "an object", code: code,
        message: String(cString: cwayland_last_message()).withoutControlCharacters)
    }
    state = .lost(error)
    items.remove(reader)
    reader.invalidate()
    writer?.invalidate()
    writer = nil
    for end in ends { end() }
    ends = []
    for entry in windows { entry.window?.connectionWasLost(error) }
  }

  // MARK: Registry

  private static let registryListener = listenerTable(
    wl_registry_listener(
      global: { data, _, name, interface, version in
        guard let interface else { return }
        let text = String(cString: interface)
        onMain(data) { (connection: WaylandConnection) in connection.announced(text, name: name, version: version) }
      },
      global_remove: { data, _, name in
        onMain(data) { (connection: WaylandConnection) in connection.withdrawn(name) }
      }))

  private static let syncListener = listenerTable(
    wl_callback_listener(
      done: { data, _, _ in onMain(data) { (connection: WaylandConnection) in connection.registryIsComplete() } }))

  private func announced(_ interface: String, name: UInt32, version: UInt32) {
    guard let registry else { return }
    globals.announced(interface, name: name, version: version, registry: registry, connection: self)
  }

  private func withdrawn(_ name: UInt32) {
    for observer in withdrawals { observer(name) }
    if let output = globals.withdrawn(name) {
      for entry in windows { entry.window?.outputIsGone(output) }
    }
  }

  private func registryIsComplete() {
    if let sync { wl_callback_destroy(sync) }
    sync = nil
    if state == .opening, let missing = globals.missing {
      state = .lost(missing)
      for entry in windows { entry.window?.connectionWasLost(missing) }
      return
    }
    state = .ready
    for entry in windows { entry.window?.connectionIsReady() }
  }

  func setStampClock(_ number: UInt32) { globals.setStampClock(number) }

  /// Calls `handler` with each global object that the compositor offers, now and later, and tells of the
  /// connection's end, before its objects go: for the seat, which binds its own.
  package func followGlobals(
    _ handler: @escaping @MainActor (WaylandGlobals.Announcement) -> Void,
    withdrawn: @escaping @MainActor (_ name: UInt32) -> Void = { _ in }, ended: @escaping @MainActor () -> Void = {}
  ) {
    withdrawals.append(withdrawn)
    ends.append(ended)
    globals.follow(handler)
  }

  /// Makes the object of a global; nil for an interface that this library does not know, or when the connection is closed.
  package func bind(_ global: WaylandGlobals.Announcement, upTo version: UInt32) -> OpaquePointer? {
    registry.flatMap { global.bind($0, upTo: version) }
  }

  /// The scale or rate of an output has changed, or it has come.
  func outputChanged(_ output: WaylandOutput) {
    for entry in windows { entry.window?.outputChanged(output) }
  }
}
