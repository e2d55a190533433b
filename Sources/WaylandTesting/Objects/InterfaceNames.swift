import CWaylandServer
import CWaylandTesting

/// The names in the descriptions of interfaces, found once.
@MainActor
enum InterfaceNames {
  private static var events: [UnsafePointer<wl_interface>: [String: Int]] = [:]
  private static var messages: [UnsafePointer<wl_message>: String] = [:]

  /// - Parameter name: the interface of one of the globals.
  static func interface(_ name: String) -> UnsafePointer<wl_interface> {
    guard let interface = wayland_testing_interface(name) else { fatalError("no description of \(name)") }
    return interface
  }

  /// The number of an event.
  static func event(_ name: String, of interface: UnsafePointer<wl_interface>) -> Int {
    if let number = events[interface]?[name] { return number }
    var numbers: [String: Int] = [:]
    for index in 0..<Int(interface.pointee.event_count) {
      numbers[String(cString: interface.pointee.events[index].name)] = index
    }
    events[interface] = numbers
    guard let number = numbers[name] else { fatalError("\(String(cString: interface.pointee.name)) has no event \(name)") }
    return number
  }

  static func name(of message: UnsafePointer<wl_message>) -> String {
    if let name = messages[message] { return name }
    let name = String(cString: message.pointee.name)
    messages[message] = name
    return name
  }

  /// The version since which there is the message: the number with which its signature begins, else 1.
  static func version(of message: wl_message) -> Int {
    var (version, next) = (0, message.signature)
    while let character = next?.pointee, (48...57).contains(character) {
      version = version * 10 + Int(character) - 48
      next = next?.successor()
    }
    return max(version, 1)
  }
}
