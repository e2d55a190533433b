/// The head of an HTTP request, as far as it has come. Its size is bounded, whatever the client sends.
struct RequestHead: Equatable {
  /// The part of a request that decides about the answer.
  struct Request: Equatable {
    enum Method { case get, head }
    var method: Method
    /// Without the query.
    var path: String
  }

  /// The reason why there will be no metrics.
  enum Refusal: Int, Error {
    case malformed = 400
    case host = 403
    case method = 405
    case tooLarge = 431
    case version = 505
  }

  /// The largest head, in bytes. Prometheus sends about 400.
  static let limit = 8192

  /// False to refuse a request that was sent to a name: a page from elsewhere in a browser of this machine reads what only this machine
  /// may, once the name of its own server leads to 127.0.0.1. A browser tells the name in the header Host, and cannot be made to leave it out.
  let allowsNames: Bool
  private var bytes: [UInt8] = []

  init(allowsNames: Bool) { self.allowsNames = allowsNames }

  /// Takes what the client has sent. Nothing is taken beyond the limit.
  ///
  /// - Returns: the request; nil while the head has not ended.
  mutating func receive(_ more: some Collection<UInt8>) throws(Refusal) -> Request? {
    // The end may lie across the seam: "\n\r\n" has three bytes.
    let start = max(0, bytes.count - 2)
    bytes += more.prefix(Self.limit + 1 - bytes.count)
    guard let end = Self.end(of: bytes[start...]) else {
      if bytes.count > Self.limit { throw .tooLarge }
      return nil
    }
    guard end <= Self.limit else { throw .tooLarge }
    guard allowsNames || Self.hosts(in: bytes[..<end]).allSatisfy(MetricsAddress.isAddress(host:)) else { throw .host }
    return try Self.parse(bytes.prefix { $0 != newline && $0 != carriageReturn })
  }

  /// The place after the empty line that ends a head. A lone line feed ends a line too (RFC 9112, 2.2).
  private static func end(of bytes: ArraySlice<UInt8>) -> Int? {
    for index in bytes.indices where bytes[index] == newline {
      let next = index + 1
      guard next < bytes.endIndex else { return nil }
      if bytes[next] == newline { return next + 1 }
      if bytes[next] == carriageReturn, next + 1 < bytes.endIndex, bytes[next + 1] == newline { return next + 2 }
    }
    return nil
  }

  /// The values of the header Host.
  private static func hosts(in head: ArraySlice<UInt8>) -> [String] {
    head.split(separator: newline).compactMap { line in
      let parts = line.split(separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, String(decoding: parts[0], as: UTF8.self).lowercased() == "host" else { return nil }
      return String(decoding: parts[1].filter { $0 > 32 }, as: UTF8.self)
    }
  }

  private static func parse(_ line: ArraySlice<UInt8>) throws(Refusal) -> Request {
    let words = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
    guard words.count == 3, words.allSatisfy({ !$0.isEmpty && $0.allSatisfy { $0 > 32 && $0 < 127 } }),
      words[2].starts(with: "HTTP/".utf8)
    else { throw .malformed }
    guard words[2].starts(with: "HTTP/1.".utf8) else { throw .version }
    let method: Request.Method =
      switch String(decoding: words[0], as: UTF8.self) {
      case "GET": .get
      case "HEAD": .head
      default: throw .method
      }
    return Request(
      method: method, path: String(decoding: words[1].prefix { $0 != UInt8(ascii: "?") }, as: UTF8.self))
  }
}

private let newline = UInt8(ascii: "\n")
private let carriageReturn = UInt8(ascii: "\r")
