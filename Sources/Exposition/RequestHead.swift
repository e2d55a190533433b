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
    case method = 405
    case tooLarge = 431
    case version = 505
  }

  /// The largest head, in bytes. Prometheus sends about 400.
  static let limit = 8192

  private var bytes: [UInt8] = []

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
