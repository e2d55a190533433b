import Framepace
import Metering

/// A JSON value that prints as one line. Keys keep their order, and numbers are rounded to meaningful decimals.
enum JSONValue {
  case null
  case text(String)
  case number(String)
  case list([JSONValue])
  case object([(key: String, value: JSONValue)])

  static func boolean(_ value: Bool) -> JSONValue { .number(value ? "true" : "false") }

  /// The text, or null for nil.
  static func optional(_ text: String?) -> JSONValue { text.map { .text($0) } ?? .null }

  static func count(_ value: Int) -> JSONValue { .number(String(value)) }

  /// The number, or null for nil.
  static func decimal(_ value: Double?, _ decimals: Int) -> JSONValue {
    guard let value, abs(value) < 1e9 else { return .null }
    return .number(Text.decimal(value, decimals))
  }

  /// The duration in milliseconds, to the microsecond; null for nil.
  static func milliseconds(_ value: Nanoseconds?) -> JSONValue { .decimal(value?.milliseconds, 3) }

  var line: String {
    switch self {
    case .null: "null"
    case .text(let text): Self.quoted(text)
    case .number(let digits): digits
    case .list(let values): "[\(values.map(\.line).joined(separator: ","))]"
    case .object(let members): "{\(members.map { "\(Self.quoted($0.key)):\($0.value.line)" }.joined(separator: ","))}"
    }
  }

  private static func quoted(_ text: String) -> String {
    var bytes: [UInt8] = []
    JSONBytes.append(quoted: text, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }
}
