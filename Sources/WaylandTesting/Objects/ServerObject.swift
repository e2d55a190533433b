import CWaylandServer
import CWaylandTesting

/// An object of a client, as libwayland has it.
typealias Resource = UnsafeMutablePointer<wl_resource>

/// A client's object on the compositor's side, of any interface.
///
/// Requests come by their names, and events are sent by theirs, as the protocols' descriptions have them: no function is written for
/// each. A name that no description has is a programmer's error.
@MainActor
final class ServerObject {
  let client: CompositorClient
  let interface: UnsafePointer<wl_interface>
  let version: Int
  /// The resource of libwayland; nil after its end.
  private(set) var resource: Resource?
  /// Called with each request. A destructor ends the object afterwards.
  var onRequest: @MainActor (Request) -> Void = { _ in }
  /// Called at the object's end: the client destroyed it, or is gone.
  var onEnd: @MainActor () -> Void = {}

  /// - Parameter id: 0 for an object that the compositor makes.
  init(client: CompositorClient, interface: UnsafePointer<wl_interface>, version: Int, id: UInt32) {
    (self.client, self.interface) = (client, interface)
    self.version = min(version, Int(interface.pointee.version))
    guard let resource = wl_resource_create(client.pointer, interface, Int32(self.version), id) else {
      fatalError("no memory for an object of Wayland")
    }
    self.resource = resource
    wl_resource_set_dispatcher(
      resource,
      { _, target, opcode, message, arguments in
        nonisolated(unsafe) let (target, message, arguments) = (target, message, arguments)
        MainActor.assumeIsolated { ServerObject.dispatch(target, Int(opcode), message, arguments) }
        return 0
      }, nil, Unmanaged.passRetained(self).toOpaque(),
      { resource in
        nonisolated(unsafe) let resource = resource
        MainActor.assumeIsolated { ServerObject.ended(resource) }
      })
  }

  var name: String { String(cString: interface.pointee.name) }

  /// The object of a resource that was made here.
  static func of(_ resource: Resource?) -> ServerObject? {
    guard let data = resource.flatMap({ wl_resource_get_user_data($0) }) else { return nil }
    return Unmanaged<ServerObject>.fromOpaque(data).takeUnretainedValue()
  }

  func destroy() {
    if let resource { wl_resource_destroy(resource) }
  }

  /// Sends an event; nothing to an object that has ended, or whose version is too old for it.
  func send(_ event: String, _ arguments: EventArgument...) { post(event, arguments) }

  func post(_ event: String, _ arguments: [EventArgument]) {
    guard let resource else { return }
    let opcode = InterfaceNames.event(event, of: interface)
    guard InterfaceNames.version(of: interface.pointee.events[opcode]) <= version else { return }
    EventArgument.with(arguments) { wl_resource_post_event_array(resource, UInt32(opcode), $0) }
  }

  /// Makes an object of the compositor's, and sends the event that tells of it.
  func make(_ event: String) -> ServerObject {
    let message = interface.pointee.events[InterfaceNames.event(event, of: interface)]
    guard let made = message.types[0] else { fatalError("\(event) makes no object") }
    let object = ServerObject(client: client, interface: made, version: version, id: 0)
    send(event, .object(object))
    return object
  }

  private static func dispatch(
    _ target: UnsafeMutableRawPointer?, _ opcode: Int, _ message: UnsafePointer<wl_message>?,
    _ arguments: UnsafeMutablePointer<wl_argument>?
  ) {
    guard let object = ServerObject.of(target?.assumingMemoryBound(to: wl_resource.self)), let message, let arguments else {
      return
    }
    let request = Request(object: object, message: message, arguments: arguments)
    guard object.client.takes(request) else { return }
    object.onRequest(request)
    // The names of all destructors of the protocols that are offered.
    if request.name == "destroy" || request.name == "release" { object.destroy() }
  }

  private static func ended(_ resource: Resource?) {
    guard let object = ServerObject.of(resource), let data = resource.flatMap({ wl_resource_get_user_data($0) }) else {
      return
    }
    object.resource = nil
    object.onEnd()
    object.onRequest = { _ in }
    object.onEnd = {}
    Unmanaged<ServerObject>.fromOpaque(data).release()
  }
}

/// A request of a client. It is valid while it is handled.
@MainActor
struct Request {
  let object: ServerObject
  let message: UnsafePointer<wl_message>
  let arguments: UnsafeMutablePointer<wl_argument>

  var name: String { InterfaceNames.name(of: message) }

  func int(_ index: Int) -> Int { Int(arguments[index].i) }
  /// A descriptor, which is the receiver's to close.
  func descriptor(_ index: Int) -> Int32 { arguments[index].h }
  func uint(_ index: Int) -> UInt32 { arguments[index].u }
  func fixed(_ index: Int) -> Double { Double(arguments[index].f) / 256 }
  func string(_ index: Int) -> String { arguments[index].s.map { String(cString: $0) } ?? "" }
  /// The resource in an argument, of an interface of libwayland's own too; nil for none.
  func resource(_ index: Int) -> Resource? {
    UnsafeMutableRawPointer(arguments[index].o)?.assumingMemoryBound(to: wl_resource.self)
  }
  func object(_ index: Int) -> ServerObject? { ServerObject.of(resource(index)) }

  /// Makes the object that the request asks for, of the version of the object that was asked.
  func newObject(_ index: Int) -> ServerObject {
    guard let interface = message.pointee.types[index] else { fatalError("\(name) makes no object") }
    return ServerObject(client: object.client, interface: interface, version: object.version, id: arguments[index].n)
  }
}

/// An argument of an event.
enum EventArgument {
  case int(Int)
  case uint(UInt32)
  case fixed(Double)
  case string(String)
  case object(ServerObject?)
  /// A file; the event has a copy of its descriptor.
  case descriptor(Int32)
  case array([UInt32])

  @MainActor
  static func with(_ arguments: [EventArgument], _ body: (UnsafeMutablePointer<wl_argument>?) -> Void) {
    var strings: [UnsafeMutablePointer<CChar>] = []
    var arrays: [UnsafeMutablePointer<wl_array>] = []
    var values = arguments.map { argument in
      var value = wl_argument()
      switch argument {
      case .int(let number): value.i = Int32(number)
      case .uint(let number): value.u = number
      case .fixed(let number): value.f = Int32((number * 256).rounded())
      case .descriptor(let number): value.h = number
      // A resource begins with its object.
      case .object(let object): value.o = UnsafeMutableRawPointer(object?.resource)?.assumingMemoryBound(to: wl_object.self)
      case .string(let text):
        let bytes = Array(text.utf8CString)
        let copy = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count)
        copy.initialize(from: bytes, count: bytes.count)
        strings.append(copy)
        value.s = UnsafePointer(copy)
      case .array(let numbers):
        let array = UnsafeMutablePointer<wl_array>.allocate(capacity: 1)
        wl_array_init(array)
        if let place = wl_array_add(array, numbers.count * 4) {
          numbers.withUnsafeBytes { place.copyMemory(from: $0.baseAddress ?? UnsafeRawPointer(place), byteCount: $0.count) }
        }
        arrays.append(array)
        value.a = array
      }
      return value
    }
    values.withUnsafeMutableBufferPointer { body($0.baseAddress) }
    for string in strings { string.deallocate() }
    for array in arrays {
      wl_array_release(array)
      array.deallocate()
    }
  }
}
