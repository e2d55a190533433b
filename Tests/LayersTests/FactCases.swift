import FoundationEssentials

/// A case of `Facts/cases.json`.
struct FactCase: Decodable {
  let id: String
  let kind: String
  let `in`: JSONValue
  let out: JSONValue
  let inEffect: Bool?
  let tol: Double
  let tags: [String]?

  static let all: [FactCase] = {
    let path = String(#filePath.dropLast("FactCases.swift".count)) + "Facts/cases.json"
    guard let data = try? Data(contentsOf: URL(filePath: path)) else { return [] }
    return (try? JSONDecoder().decode([FactCase].self, from: data)) ?? []
  }()

  static func all(_ kind: String) -> [FactCase] { all.filter { $0.kind == kind } }
}

/// Any value in a JSON text.
enum JSONValue: Decodable {
  case null
  case bool(Bool)
  case number(Double)
  case text(String)
  case array([JSONValue])
  case object([String: JSONValue])

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(Double.self) {
      self = .number(value)
    } else if let value = try? container.decode(String.self) {
      self = .text(value)
    } else if let value = try? container.decode([JSONValue].self) {
      self = .array(value)
    } else {
      self = .object(try container.decode([String: JSONValue].self))
    }
  }

  /// A member of an object; null without it.
  subscript(key: String) -> JSONValue {
    if case .object(let members) = self { members[key] ?? .null } else { .null }
  }

  var number: Double? {
    switch self {
    case .number(let value): value
    case .text("inf"): .infinity
    default: nil
    }
  }
  var text: String? { if case .text(let value) = self { value } else { nil } }
  var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
  var array: [JSONValue]? { if case .array(let values) = self { values } else { nil } }
  var object: [String: JSONValue]? { if case .object(let members) = self { members } else { nil } }
  /// The numbers of an array, or the one number.
  var numbers: [Double]? {
    if let array { return array.compactMap(\.number) }
    return number.map { [$0] }
  }
}
