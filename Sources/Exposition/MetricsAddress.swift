import Glibc
import LinuxSystem

/// An Internet address and a port to listen on.
public struct MetricsAddress: Hashable, Sendable, CustomStringConvertible {
  private enum Host: Hashable, Sendable {
    /// Four bytes, the first one first.
    case version4(UInt32)
    /// The address as the system writes it.
    case version6(String)
  }

  private let host: Host
  /// 0 for any that is free.
  public let port: UInt16

  /// A port of this machine that only its own programs reach: 127.0.0.1.
  public init(port: UInt16) {
    self.init(.version4(INADDR_LOOPBACK), port)
  }

  /// - Parameter text: an IPv4 address and a port, such as `127.0.0.1:9464`, an IPv6 address in brackets, such as `[::1]:9464`,
  ///   `localhost` for 127.0.0.1, or a port alone, which is one of 127.0.0.1. `0.0.0.0` is all IPv4 addresses of the machine, `[::]` those of
  ///   IPv6 too. Nil for everything else: names are not looked up.
  public init?(_ text: String) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    guard let last = parts.last, !last.isEmpty, last.utf8.allSatisfy({ (48...57).contains($0) }), let port = UInt16(last)
    else { return nil }
    if parts.count == 1 {
      self.init(port: port)
      return
    }
    let name = text.dropLast(last.count + 1)
    // The system's parser reads up to a zero byte.
    guard !name.utf8.contains(0) else { return nil }
    if name == "localhost" {
      self.init(port: port)
    } else if name.hasPrefix("["), name.hasSuffix("]"), let host = Self.version6(name.dropFirst().dropLast()) {
      self.init(host, port)
    } else if let host = Self.version4(name) {
      self.init(host, port)
    } else {
      return nil
    }
  }

  /// True for an address that only this machine's own programs reach.
  var isLoopback: Bool {
    switch host {
    case .version4(let address): address >> 24 == 127
    case .version6(let text): text == "::1" || text.hasPrefix("::ffff:127.")
    }
  }

  /// True if the value of a header Host, with or without a port, is an address or `localhost`.
  static func isAddress(host: String) -> Bool {
    let host = host.lowercased()
    return MetricsAddress("\(host):0") != nil || host.contains(":") && MetricsAddress(host) != nil
  }

  private init(_ host: Host, _ port: UInt16) {
    (self.host, self.port) = (host, port)
  }

  private static func version4(_ text: Substring) -> Host? {
    var address = in_addr()
    return inet_pton(AF_INET, String(text), &address) == 1 ? .version4(UInt32(bigEndian: address.s_addr)) : nil
  }

  private static func version6(_ text: Substring) -> Host? {
    var address = in6_addr()
    guard inet_pton(AF_INET6, String(text), &address) == 1 else { return nil }
    return withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { buffer in
      guard let base = buffer.baseAddress, inet_ntop(AF_INET6, &address, base, socklen_t(buffer.count)) != nil else {
        return nil
      }
      return .version6(String(cString: base))
    }
  }

  /// As `init(_:)` reads it: `127.0.0.1:9464`, `[::1]:9464`.
  public var description: String {
    switch host {
    case .version4(let address):
      (0..<4).reversed().map { "\(address >> (8 * UInt32($0)) & 255)" }.joined(separator: ".") + ":\(port)"
    case .version6(let text): "[\(text)]:\(port)"
    }
  }

  /// The same host with the port that a bound socket was given.
  func withPort(of socket: borrowing OwnedDescriptor) throws(SystemError) -> MetricsAddress {
    var address = sockaddr_in6()
    var size = socklen_t(MemoryLayout<sockaddr_in6>.size)
    let status = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(socket.number, $0, &size) }
    }
    guard status == 0 else { throw .last(call: "getsockname", subject: description) }
    // The port of both kinds of addresses is at the same place.
    return MetricsAddress(host, UInt16(bigEndian: address.sin6_port))
  }

  /// Makes a socket that is bound to the address.
  func bound() throws(SystemError) -> OwnedDescriptor {
    let family =
      switch host {
      case .version4: AF_INET
      case .version6: AF_INET6
      }
    let number = socket(family, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard number >= 0 else { throw .last(call: "socket", subject: description) }
    let socket = OwnedDescriptor(owning: number)
    // Connections of an earlier run, which are remembered for a minute, must not keep the port.
    var yes: Int32 = 1
    setsockopt(number, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    // `[::]` takes IPv4 too, whatever the system's default is (net.ipv6.bindv6only). The call fails for IPv4, where it means nothing.
    var no: Int32 = 0
    setsockopt(number, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &no, socklen_t(MemoryLayout<Int32>.size))
    let status =
      switch host {
      case .version4(let host):
        Self.bind(
          sockaddr_in(
            sin_family: sa_family_t(AF_INET), sin_port: port.bigEndian, sin_addr: in_addr(s_addr: host.bigEndian),
            sin_zero: (0, 0, 0, 0, 0, 0, 0, 0)), number)
      case .version6(let text): Self.bind(Self.socketAddress(text, port), number)
      }
    guard status == 0 else { throw .last(call: "bind", subject: description) }
    return socket
  }

  private static func socketAddress(_ text: String, _ port: UInt16) -> sockaddr_in6 {
    var address = sockaddr_in6()
    address.sin6_family = sa_family_t(AF_INET6)
    address.sin6_port = port.bigEndian
    inet_pton(AF_INET6, text, &address.sin6_addr)
    return address
  }

  private static func bind<Address>(_ address: Address, _ number: Int32) -> Int32 {
    withUnsafeBytes(of: address) { bytes in
      guard let base = bytes.baseAddress else { return -1 }
      return Glibc.bind(number, base.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
    }
  }
}
