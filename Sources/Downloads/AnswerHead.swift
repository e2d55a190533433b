internal import CCurl

/// The status and the fields of an answer.
public struct AnswerHead: Hashable, Sendable {
  /// Why a line is refused.
  struct Malformed: Error, Equatable { var reason: String }

  public private(set) var status = 0
  /// In the order of the answer; names in small letters.
  public private(set) var fields: [Field] = []
  private(set) var size = 0
  /// True behind the empty line that ends the fields. Later lines are trailers, which nobody asked for.
  private(set) var isComplete = false

  public struct Field: Hashable, Sendable {
    public var name: String
    public var value: String
  }

  init() {}

  /// The value of a field; several of one name are joined by commas. `name` is in small letters.
  public subscript(_ name: String) -> String? {
    let values = fields.filter { $0.name == name }.map(\.value)
    return values.isEmpty ? nil : values.joined(separator: ", ")
  }

  /// The number of bytes that the answer states; nil if it states none.
  public var contentLength: Int? { fields.first { $0.name == "content-length" }.flatMap { Int($0.value) } }

  /// The content type without its parameters, in small letters.
  public var contentType: String? {
    guard let value = fields.last(where: { $0.name == "content-type" })?.value else { return nil }
    let type = value.prefix { $0 != ";" }.trimmed.lowercased()
    return type.isEmpty ? nil : type
  }

  /// The pause in whole seconds that the server asks for.
  ///
  /// - Parameter now: seconds since 1970.
  func retryAfter(now: Int64) -> Int64? {
    guard let value = fields.last(where: { $0.name == "retry-after" })?.value else { return nil }
    if let seconds = HTTPDate.seconds(value) { return seconds }
    return HTTPDate.parse(value).map { max($0 - now, 0) }
  }

  /// Takes the next line. A line with a status begins anew, as one answer may come before another.
  mutating func add(_ line: some Collection<UInt8>, limit: Int) throws(Malformed) {
    size += line.count
    guard size <= limit else { throw Malformed(reason: "its fields have more than \(limit) bytes") }
    var line = Array(line)
    while let last = line.last, last == 0x0A || last == 0x0D { line.removeLast() }
    if line.starts(with: "HTTP/".utf8) {
      try begin(line)
      return
    }
    if isComplete { return }
    if line.isEmpty {
      isComplete = true
      return
    }
    guard let colon = line.firstIndex(of: 0x3A), colon > 0, line[..<colon].allSatisfy(Self.isNameByte) else {
      throw Malformed(reason: "a field has no name")
    }
    let value = line[(colon + 1)...]
    guard value.allSatisfy({ $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }) else {
      throw Malformed(reason: "a field has control characters")
    }
    let field = Field(
      name: String(decoding: line[..<colon], as: UTF8.self).lowercased(),
      value: String(decoding: value, as: UTF8.self)[...].trimmed)
    if field.name == "content-length" {
      guard !field.value.isEmpty, field.value.utf8.allSatisfy({ (0x30...0x39).contains($0) }), Int(field.value) != nil else {
        throw Malformed(reason: "its length is no number")
      }
      guard fields.allSatisfy({ $0.name != field.name || $0.value == field.value }) else {
        throw Malformed(reason: "it states two lengths")
      }
    }
    fields.append(field)
  }

  private mutating func begin(_ line: [UInt8]) throws(Malformed) {
    let words = line.split(separator: 0x20, omittingEmptySubsequences: false)
    guard words.count >= 2, words[1].count == 3, let status = Int(String(decoding: words[1], as: UTF8.self)),
      (100...999).contains(status)
    else { throw Malformed(reason: "its first line has no status") }
    // All fields of one transfer count, those of redirects too.
    let size = size
    self = AnswerHead()
    (self.size, self.status) = (size, status)
  }

  /// The bytes of names of fields: `tchar` of RFC 9110, section 5.6.2.
  static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"):
      true
    default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
    }
  }
}

extension Substring {
  /// Without spaces and tabs at its ends.
  var trimmed: String {
    var rest = self
    while let first = rest.first, first == " " || first == "\t" { rest.removeFirst() }
    while let last = rest.last, last == " " || last == "\t" { rest.removeLast() }
    return String(rest)
  }
}

/// Times as HTTP writes them.
enum HTTPDate {
  /// Seconds since 1970; nil if the text is no date.
  static func parse(_ text: String) -> Int64? {
    // A number alone would be taken for a day.
    guard text.utf8.count <= 64, text.utf8.contains(0x20) else { return nil }
    let seconds = curl_getdate(text, nil)
    return seconds < 0 ? nil : Int64(seconds)
  }

  /// A number of seconds; one that is too large for a number counts as 2³¹, as RFC 9111 says in section 1.2.2.
  static func seconds(_ text: String) -> Int64? {
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return min(Int64(text) ?? 1 << 31, 1 << 31)
  }
}
