public import LinuxSystem

/// Why a transfer has failed. The address is the one that was asked for.
public enum TransferError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The part of a transfer that has a limit of time.
  public enum Phase: String, Sendable, Hashable {
    /// Finding the host, connecting, and agreeing on encryption.
    case connecting
    /// Waiting for the next byte of the answer.
    case receiving
    /// The whole attempt.
    case whole
  }

  /// The text is no address that can be transferred.
  case invalidAddress(String, reason: String)
  /// A field of the request has a name or a value that cannot be sent.
  case invalidField(String)
  /// The name of the host is not known.
  case unknownHost(WebAddress)
  /// Nobody accepts connections there.
  case cannotConnect(WebAddress, reason: String)
  /// The connection was reset, or ended before the answer did.
  case connectionLost(WebAddress, reason: String)
  case timedOut(WebAddress, Phase, limit: Nanoseconds)
  case tooManyRedirects(WebAddress, limit: Int)
  /// The answer leads to an address that is not transferred.
  case forbiddenRedirect(WebAddress, reason: String)
  /// The server has refused the request. `retryAfter` is the pause in whole seconds that it asks for.
  case status(WebAddress, Int, retryAfter: Int64?)
  case unexpectedType(WebAddress, String, accepted: [String])
  /// The answer has more bytes than the request allows.
  case tooLarge(WebAddress, limit: Int)
  /// The answer breaks the rules of HTTP.
  case malformed(WebAddress, reason: String)
  /// The server's certificate or its encryption is not accepted.
  case insecure(WebAddress, reason: String)
  case failed(WebAddress, reason: String)
  case noMemory
  /// The transfer was cancelled, or its loop was closed.
  case cancelled

  public var description: String {
    switch self {
    case .invalidAddress(let text, let reason): "transfer: the address \"\(text)\" is not valid: \(reason)"
    case .invalidField(let name):
      "transfer: the request's field \"\(name)\" cannot be sent; names are letters, digits and hyphens, values one line of ASCII"
    case .unknownHost(let address): "transfer \(address): the host is not known; look at the name, and at the network"
    case .cannotConnect(let address, let reason):
      "transfer \(address): no connection: \(reason); look whether the server runs, and at the network"
    case .connectionLost(let address, let reason): "transfer \(address): the connection was lost: \(reason); try again"
    case .timedOut(let address, .connecting, let limit):
      "transfer \(address): no connection within \(limit); look at the network, or raise TransferRequest.connectLimit"
    case .timedOut(let address, .receiving, let limit):
      "transfer \(address): nothing came for \(limit); try again, or raise TransferRequest.stallLimit"
    case .timedOut(let address, .whole, let limit):
      "transfer \(address): not complete within \(limit); try again, or raise TransferRequest.durationLimit"
    case .tooManyRedirects(let address, let limit):
      "transfer \(address): the server redirects more than \(limit) times; use the address that is meant"
    case .forbiddenRedirect(let address, let reason):
      "transfer \(address): the server redirects to an address that is not transferred: \(reason)"
    case .status(let address, let status, _):
      "transfer \(address): the server answers with status \(status)\(Self.advice(for: status))"
    case .unexpectedType(let address, let type, let accepted):
      "transfer \(address): the answer is \(type), and not \(accepted.joined(separator: " or ")); look at the address"
    case .tooLarge(let address, let limit):
      "transfer \(address): the answer has more than \(limit) bytes; raise TransferRequest.sizeLimit if that is meant"
    case .malformed(let address, let reason):
      "transfer \(address): the answer is no correct HTTP (\(reason)); ask the server's owner"
    case .insecure(let address, let reason):
      "transfer \(address): the connection is not secure: \(reason); look at the clock and at the server's certificate"
    case .failed(let address, let reason): "transfer \(address): \(reason)"
    case .noMemory: "transfer: the system has no memory or descriptor left for it; start fewer at a time"
    case .cancelled: "transfer: cancelled"
    }
  }

  private static func advice(for status: Int) -> String {
    switch status {
    case 401, 403: "; it wants to know who asks, or allows it to nobody"
    case 404, 410: "; there is nothing at this address"
    case 408, 429, 500...: "; try again later"
    default: ""
    }
  }

  /// True if the same request may succeed a little later.
  public var isTransient: Bool {
    switch self {
    case .unknownHost, .cannotConnect, .connectionLost, .timedOut: true
    case .status(_, let status, _): status == 408 || status == 429 || (500...599).contains(status)
    default: false
    }
  }
}
