import CWaylandServer
import CWaylandTesting
public import FrameTiming
import Glibc
public import LinuxSystem
public import RunLoops
public import Simulation

/// A Wayland compositor without a screen, for tests: it is served by the loop of its clients, in their process and on their thread,
/// waits for nothing, and runs on the loop's clock, manual or not.
///
/// Each output has the vblanks of a `SimulatedGrid` of its own. How it behaves is said by its `policy`, which may change at any moment; what a
/// client does against the rules is noted in `violations`. Windows can be resized, hidden and closed, connections ended at any
/// request, and what each window shows be read.
///
/// ```swift
/// let compositor = try ScriptedCompositor(loop: loop)
/// let descriptor = try compositor.connect()
/// … // a client on the descriptor, and a window
/// loop.run(mode: .default, until: loop.clock.now + .seconds(1))
/// let shown = try compositor.windows[0].copyShownImage()
/// ```
@MainActor
public final class ScriptedCompositor {
  /// The behaviour from now on.
  public var policy: CompositorPolicy {
    didSet { if policy != oldValue { policyChanged() } }
  }
  public let globals: CompositorGlobals
  public let presentationClock: CompositorClock
  public internal(set) var outputs: [CompositorOutput]
  /// The vblanks of each output. Outputs of the same rate have theirs at other times.
  public private(set) var grids: [SimulatedGrid]
  /// The windows that clients have made and not destroyed, in the order in which they were made.
  public internal(set) var windows: [CompositorWindow] = []
  /// All that clients did against the rules, in its order.
  public private(set) var violations: [ProtocolViolation] = []
  /// Called at each vblank at which a window shows another frame.
  public var onShown: (@MainActor (CompositorWindow, ShownFrame) -> Void)?
  /// The number of the request at which a connection ends, from 1: it is not handled, nor is any after it. Nil to end none.
  public var lastRequest: Int?
  /// The size in points for which a new window is configured; nil to let its client choose.
  public var newWindowSize: (width: Int, height: Int)?
  /// The devices, at which people do something when a test says so.
  public private(set) lazy var seat = CompositorSeat(of: self)
  public private(set) lazy var tablet = CompositorTablet(of: self)
  public private(set) lazy var clipboard = CompositorClipboard(of: self)
  public private(set) lazy var inputMethod = CompositorInputMethod(of: self)

  let display: OpaquePointer
  let loop: FrameLoop
  var clients: [OpaquePointer: CompositorClient] = [:]
  var surfaces: [CompositorSurface] = []
  var buffers: [Resource: ClientBuffer] = [:]
  var windowsOfSurfaces: [ObjectIdentifier: CompositorWindow] = [:]
  var withheldCallbacks: [ServerObject] = []
  var withheldBuffers: [ClientBuffer] = []
  /// A feedback that waits for the next one, with what to tell.
  var swappedFeedback: (ServerObject, VBlank)?
  /// The vblank of each output for which pictures are taken next; nil while nothing on it has changed.
  var nextVBlanks: [UInt64?]
  /// The vblank of each output for which pictures were taken last.
  var lastVBlanks: [UInt64]
  /// True from the request at which a connection ends to the end of the turn.
  var isEndingClient = false
  private var events = EventQueue()
  private var items: FrameLoop.ItemGroup?
  private var alarm: FrameLoop.Alarm?
  private var globalBindings: [GlobalBinding] = []

  /// - Parameters:
  ///   - faults: what is wrong with the stamps that feedback tells, and how much of it is lost; on all outputs.
  ///   - loop: serves the compositor in `mode`. It must be a loop of the main thread.
  public init(
    outputs: [CompositorOutput] = [CompositorOutput()], globals: CompositorGlobals = .all,
    policy: CompositorPolicy = CompositorPolicy(), clock: CompositorClock = .monotonic,
    faults: DisplayFaults = DisplayFaults(), seed: UInt64 = 0, loop: FrameLoop, mode: FrameLoop.Mode = .default
  ) throws(SystemError) {
    guard let display = wl_display_create() else { throw SystemError(call: "wl_display_create", errno: ENOMEM) }
    (self.display, self.loop, self.policy, self.globals, self.outputs) = (display, loop, policy, globals, outputs)
    presentationClock = clock
    grids = outputs.enumerated().map { index, output in
      let start = loop.clock.now + output.rate.interval * Int64(index) / Int64(outputs.count)
      var grid = SimulatedGrid(rate: output.rate, start: start, seed: seed &+ UInt64(index) << 32)
      grid.faults = faults
      return grid
    }
    (nextVBlanks, lastVBlanks) = (outputs.map { _ in nil }, outputs.map { _ in 0 })
    LibraryLog.begin()
    serve(mode)
    wl_display_init_shm(display)
    addGlobals()
  }

  isolated deinit { invalidate() }

  /// Opens a connection.
  ///
  /// - Returns: the client's descriptor, which is the caller's to close.
  public func connect() throws(SystemError) -> Int32 {
    var pair: (Int32, Int32) = (-1, -1)
    let flags = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    let status = withUnsafeMutableBytes(of: &pair) {
      socketpair(AF_UNIX, flags, 0, $0.assumingMemoryBound(to: Int32.self).baseAddress)
    }
    guard status == 0 else { throw SystemError(call: "socketpair", errno: errno) }
    guard let pointer = wl_client_create(display, pair.0) else {
      close(pair.0)
      close(pair.1)
      throw SystemError(call: "wl_client_create", errno: ENOMEM)
    }
    clients[pointer] = CompositorClient(pointer, of: self)
    return pair.1
  }

  /// The connections that have not ended.
  public var clientCount: Int { clients.count }

  /// The requests of all open connections so far, without those that libwayland answers by itself.
  public var requestCount: Int { clients.values.reduce(0) { $0 + $1.requestCount } }

  /// Ends all connections, as when the compositor dies.
  public func disconnectAll() {
    for client in clients.values { client.end() }
  }

  /// Lets an output run at another rate from its next vblank on.
  public func setRate(_ rate: RefreshRate, ofOutput index: Int = 0) {
    guard outputs.indices.contains(index) else { return }
    outputs[index].rate = rate
    let grid = grids[index]
    let next = grid.vblank(after: loop.clock.now)
    var new = SimulatedGrid(rate: rate, start: grid.time(ofVBlank: next), firstVBlank: next, seed: grid.seed)
    new.faults = grid.faults
    grids[index] = new
    sendModes()
  }

  /// Makes all vblanks after one late.
  func delay(_ time: Nanoseconds, after vblank: UInt64, ofOutput index: Int) {
    let grid = grids[index]
    let start = grid.time(ofVBlank: vblank) + time
    grids[index] = SimulatedGrid(rate: grid.rate, start: start, firstVBlank: vblank, seed: grid.seed)
    grids[index].faults = grid.faults
  }

  /// Ends all connections and leaves the loop.
  public func invalidate() {
    guard let items else { return }
    self.items = nil
    items.invalidate()
    onShown = nil
    events = EventQueue()
    clipboard.invalidate()
    wl_display_destroy_clients(display)
    wl_display_destroy(display)
    globalBindings = []
  }

  // MARK: The loop

  private func serve(_ mode: FrameLoop.Mode) {
    let source = FrameLoop.DescriptorSource(
      descriptor: wl_event_loop_get_fd(wl_display_get_event_loop(display)), .onMain { [weak self] _, _ in self?.read() })
    let alarm = FrameLoop.Alarm(.onMain { [weak self] in self?.playEvents() })
    // After all that tests do in a turn.
    let turnEnd = FrameLoop.Observer(
      .beforeWaiting, order: ObserverOrder.turnEnd, .onMain { [weak self] _, _ in self?.flush() })
    let items = FrameLoop.ItemGroup([source, alarm, turnEnd])
    (self.items, self.alarm) = (items, alarm)
    loop.add(items, to: mode)
  }

  /// Handles the requests that have come.
  private func read() {
    LibraryLog.messages = []
    wl_event_loop_dispatch(wl_display_get_event_loop(display), 0)
    // A client that is ended misses the objects that its last requests would have made.
    if !LibraryLog.messages.isEmpty, !isEndingClient { note(.malformed, LibraryLog.messages.joined(separator: "; ")) }
    isEndingClient = false
    flush()
  }

  private func flush() {
    guard items != nil else { return }
    for client in clients.values where client.isEnding { client.end() }
    wl_display_flush_clients(display)
  }

  /// Does something at a time, or as soon as the loop comes to it if that has passed.
  func schedule(at time: MonotonicTime, _ body: @escaping @MainActor () -> Void) {
    events.add(at: time, body)
    alarm?.fireTime = events.firstTime
  }

  private func playEvents() {
    while let body = events.takeDue(at: loop.clock.now) { body() }
    flush()
    alarm?.fireTime = events.firstTime
  }

  // MARK: Clients

  func remove(_ client: CompositorClient) {
    clients[client.pointer] = nil
  }

  var initialSize: SurfaceLayout.IntSize {
    SurfaceLayout.IntSize(width: newWindowSize?.width ?? 0, height: newWindowSize?.height ?? 0)
  }

  func client(_ pointer: OpaquePointer?) -> CompositorClient? { pointer.flatMap { clients[$0] } }

  func note(_ rule: ProtocolViolation.Rule, _ detail: String) {
    violations.append(ProtocolViolation(rule: rule, detail: detail, time: loop.clock.now))
  }

  /// A number for an event, larger than those before.
  func nextSerial() -> UInt32 { wl_display_next_serial(display) }

  /// Offers an interface to all clients.
  func addGlobal(_ interface: String, version: Int, bind: @escaping @MainActor (ServerObject) -> Void) {
    let description = InterfaceNames.interface(interface)
    let binding = GlobalBinding(compositor: self, interface: description, bind: bind)
    globalBindings.append(binding)
    wl_global_create(
      display, description, Int32(min(version, Int(description.pointee.version))),
      Unmanaged.passUnretained(binding).toOpaque(),
      { client, data, version, id in
        guard let data else { return }
        nonisolated(unsafe) let client = client
        let binding = Unmanaged<GlobalBinding>.fromOpaque(data)
        MainActor.assumeIsolated { binding.takeUnretainedValue().bind(client, version: Int(version), id: id) }
      })
  }
}

/// A global with what is done for a client that binds it.
@MainActor
private final class GlobalBinding {
  private unowned let compositor: ScriptedCompositor
  private let interface: UnsafePointer<wl_interface>
  private let body: @MainActor (ServerObject) -> Void

  init(
    compositor: ScriptedCompositor, interface: UnsafePointer<wl_interface>, bind: @escaping @MainActor (ServerObject) -> Void
  ) {
    (self.compositor, self.interface, body) = (compositor, interface, bind)
  }

  func bind(_ client: OpaquePointer?, version: Int, id: UInt32) {
    guard let client = compositor.client(client) else { return }
    body(ServerObject(client: client, interface: interface, version: version, id: id))
  }
}

/// The things to be done, by time; those of the same time in the order in which they were added.
private struct EventQueue {
  private var events: [(time: MonotonicTime, body: @MainActor () -> Void)] = []

  var firstTime: MonotonicTime? { events.first?.time }

  mutating func add(at time: MonotonicTime, _ body: @escaping @MainActor () -> Void) {
    events.insert((time, body), at: events.firstIndex { $0.time > time } ?? events.endIndex)
  }

  mutating func takeDue(at now: MonotonicTime) -> (@MainActor () -> Void)? {
    guard let first = events.first, first.time <= now else { return nil }
    events.removeFirst()
    return first.body
  }
}

/// The messages of libwayland, which has one log for the process.
@MainActor
private enum LibraryLog {
  static var messages: [String] = []

  static func begin() {
    wayland_testing_set_log { text in
      guard let text else { return }
      let line = String(cString: text)
      MainActor.assumeIsolated { LibraryLog.messages.append(String(line.prefix { !$0.isNewline })) }
    }
  }
}
