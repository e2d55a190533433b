import CWaylandClient
import CWaylandServer
import CWaylandTesting
import Glibc
import LinuxSystem
import RunLoops
import WaylandTesting

/// A connection with nothing of framepace's on the client's side, so that the scripted compositor is proven by itself.
@MainActor
final class RawClient {
  let display: OpaquePointer
  private let loop: FrameLoop
  private let source: FrameLoop.DescriptorSource
  private let turnEnd: FrameLoop.Observer
  private(set) var registry: RawObject
  private var globals: [String: (name: UInt32, version: UInt32)] = [:]

  init(_ compositor: ScriptedCompositor, on loop: FrameLoop) throws {
    let descriptor = try compositor.connect()
    guard let display = wl_display_connect_to_fd(descriptor), let registry = wl_display_get_registry(display) else {
      throw SystemError(call: "wl_display_connect_to_fd", errno: EIO)
    }
    (self.display, self.loop) = (display, loop)
    let relay = Relay()
    source = FrameLoop.DescriptorSource(descriptor: descriptor, .onMain { _, _ in relay.client?.read() })
    turnEnd = FrameLoop.Observer(.beforeWaiting, .onMain { _, _ in wl_display_flush(display) })
    self.registry = RawObject(registry, nil)
    relay.client = self
    loop.add(source, to: .default)
    loop.add(turnEnd, to: .default)
    self.registry.onEvent = { [unowned self] event in
      if event.name == "global" { globals[event.string(1)] = (event.uint(0), event.uint(2)) }
    }
    run(for: .milliseconds(1))
  }

  private final class Relay {
    weak var client: RawClient?
  }

  /// The error of the connection; 0 while there is none.
  var error: Int32 { wl_display_get_error(display) }

  /// The names of the interfaces that are offered.
  var interfaces: Set<String> { Set(globals.keys) }

  /// Lets time pass.
  func run(for duration: Nanoseconds) {
    let end = loop.clock.now + duration
    while loop.clock.now < end { loop.run(mode: .default, until: end) }
  }

  /// Binds a global; nil if there is none.
  func bind(_ interface: String, version: UInt32) -> RawObject? {
    guard let global = globals[interface], let description = wayland_testing_interface(interface) else { return nil }
    let version = min(version, global.version)
    var arguments = [wl_argument(), wl_argument(), wl_argument(), wl_argument()]
    arguments[0].u = global.name
    arguments[1].s = description.pointee.name
    arguments[2].u = version
    return wl_proxy_marshal_array_flags(registry.proxy, 0, description, version, 0, &arguments).map {
      RawObject($0, description)
    }
  }

  private func read() {
    // Something is there, so this does not wait.
    if wl_display_prepare_read(display) == 0 { wl_display_read_events(display) }
    wl_display_dispatch_pending(display)
    if error != 0 { source.invalidate() }
  }

  func disconnect() {
    source.invalidate()
    turnEnd.invalidate()
    wl_display_disconnect(display)
  }
}

/// An object on the client's side: requests and events by their names.
@MainActor
final class RawObject {
  let proxy: OpaquePointer
  private let interface: UnsafePointer<wl_interface>?
  var onEvent: @MainActor (Event) -> Void = { _ in }
  /// The events so far, by their names.
  private(set) var events: [String: Int] = [:]

  enum Argument {
    case int(Int)
    case uint(UInt32)
    case fixed(Double)
    case string(String)
    case object(RawObject?)
    case descriptor(Int32)
    /// The object that the request makes.
    case new
  }

  /// - Parameter interface: nil for an object that is sent no requests.
  init(_ proxy: OpaquePointer, _ interface: UnsafePointer<wl_interface>?) {
    (self.proxy, self.interface) = (proxy, interface)
    wl_proxy_add_dispatcher(
      proxy,
      { _, target, _, message, arguments in
        nonisolated(unsafe) let (target, message, arguments) = (target, message, arguments)
        MainActor.assumeIsolated {
          guard let data = wl_proxy_get_user_data(OpaquePointer(target)), let message, let arguments else { return }
          let object = Unmanaged<RawObject>.fromOpaque(data).takeUnretainedValue()
          let event = Event(name: String(cString: message.pointee.name), arguments: arguments)
          object.events[event.name, default: 0] += 1
          object.onEvent(event)
        }
        return 0
      }, nil, Unmanaged.passRetained(self).toOpaque())
  }

  /// The number of events of a name so far.
  func count(_ event: String) -> Int { events[event, default: 0] }

  struct Event {
    let name: String
    let arguments: UnsafeMutablePointer<wl_argument>

    func int(_ index: Int) -> Int { Int(arguments[index].i) }
    func uint(_ index: Int) -> UInt32 { arguments[index].u }
    func fixed(_ index: Int) -> Double { Double(arguments[index].f) / 256 }
    func string(_ index: Int) -> String { arguments[index].s.map { String(cString: $0) } ?? "" }
    func array(_ index: Int) -> [UInt32] {
      guard let array = arguments[index].a, let data = array.pointee.data else { return [] }
      return Array(UnsafeRawBufferPointer(start: data, count: array.pointee.size).bindMemory(to: UInt32.self))
    }
  }

  /// Sends a request.
  ///
  /// - Returns: the object that it makes.
  @discardableResult
  func send(_ name: String, _ arguments: Argument...) -> RawObject? {
    let count = Int(interface?.pointee.method_count ?? 0)
    guard let interface,
      let opcode = (0..<count).first(where: { String(cString: interface.pointee.methods[$0].name) == name })
    else { fatalError("no request \(name)") }
    let message = interface.pointee.methods[opcode]
    var texts: [UnsafeMutablePointer<CChar>] = []
    var made: UnsafePointer<wl_interface>?
    var values = arguments.enumerated().map { index, argument in
      var value = wl_argument()
      switch argument {
      case .int(let number): value.i = Int32(number)
      case .uint(let number): value.u = number
      case .fixed(let number): value.f = Int32((number * 256).rounded())
      case .descriptor(let number): value.h = number
      case .object(let object):
        // The type to which `o` points is not declared on this side.
        value = unsafeBitCast(object?.proxy, to: wl_argument.self)
      case .new: made = message.types[index]
      case .string(let text):
        let copy = strdup(text)
        if let copy { texts.append(copy) }
        value.s = UnsafePointer(copy)
      }
      return value
    }
    let isEnd = name == "destroy" || name == "release"
    let flags = isEnd ? UInt32(WL_MARSHAL_FLAG_DESTROY) : 0
    let new = wl_proxy_marshal_array_flags(proxy, UInt32(opcode), made, wl_proxy_get_version(proxy), flags, &values)
    for text in texts { free(text) }
    return new.map { RawObject($0, made) }
  }
}
