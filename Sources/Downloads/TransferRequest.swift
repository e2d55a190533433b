public import LinuxSystem

/// A request for the bytes at an address, with its limits.
public struct TransferRequest: Hashable, Sendable {
  public var address: WebAddress
  /// The place among the requests that wait: lower ones are started first, equal ones as they came.
  public var order = 0
  /// Fields that are sent beyond the usual ones, such as `Authorization`. They go to the address's own host alone if it redirects.
  public var fields: [String: String] = [:]
  /// The beginnings of content types that are taken, such as `image/`; empty for all. An answer that states no type is taken.
  public var acceptedTypes: [String] = []
  /// The most bytes that the answer may have.
  public var sizeLimit = 64 << 20
  /// The most redirects that are followed; 0 takes none.
  public var redirectLimit = 5
  /// The time until the request can be sent.
  public var connectLimit = Nanoseconds.seconds(15)
  /// The longest time without a byte of the answer.
  public var stallLimit = Nanoseconds.seconds(30)
  /// The time that one attempt takes at most.
  public var durationLimit = Nanoseconds.seconds(300)
  public var retries = RetryPolicy()
  /// The handler is told of progress whenever so many further bytes have come; nil for never.
  public var progressStep: Int?

  public init(_ address: WebAddress) { self.address = address }

  /// The most bytes that all fields of an answer may have.
  static let headLimit = 64 << 10

  /// The lines that are sent, or the error of the field that cannot be.
  func fieldLines() throws(TransferError) -> [String] {
    var lines: [String] = []
    for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
      let isName = !name.isEmpty && name.utf8.allSatisfy(AnswerHead.isNameByte)
      guard isName, value.utf8.allSatisfy({ (0x20..<0x7F).contains($0) || $0 == 0x09 }) else {
        throw .invalidField(name.withoutControlCharacters)
      }
      // The form with a semicolon is that of a field without a value.
      lines.append(value.isEmpty ? "\(name);" : "\(name): \(value)")
    }
    return lines
  }
}

/// The answer to a request.
public struct TransferAnswer: Sendable, Hashable {
  /// The status: 200, or 304 if the request had a condition.
  public var status: Int
  /// The address that has answered, after redirects.
  public var finalAddress: String
  public var head: AnswerHead
  public var bytes: [UInt8]
  /// How many attempts there were.
  public var attempts: Int
}

/// News of a transfer. `finished` comes exactly once, and is the last.
public enum TransferEvent: Sendable {
  /// So many bytes of the answer have come, of the total if the server has stated it.
  case progress(received: Int, total: Int?)
  /// An attempt has failed, and another one begins after a pause.
  case retrying(after: Nanoseconds, because: TransferError)
  case finished(Result<TransferAnswer, TransferError>)
}
