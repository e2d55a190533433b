/// Requests of which those with one key are served together. The least order of a key's requests is the key's.
struct SharedRequests<Key: Hashable & Sendable>: Sendable {
  typealias Number = UInt64

  private var keys: [Number: (key: Key, order: Int)] = [:]
  private var requests: [Key: Set<Number>] = [:]

  /// The change of a key that a request has brought.
  enum Change: Equatable, Sendable {
    case none
    /// Its first request has come.
    case began(Key)
    case moved(Key, order: Int)
    /// Its last request has left.
    case abandoned(Key)
  }

  var count: Int { keys.count }

  /// Adds a request whose number is new.
  mutating func join(_ number: Number, _ key: Key, order: Int) -> Change {
    let before = self.order(of: key)
    keys[number] = (key, order)
    requests[key, default: []].insert(number)
    guard let before else { return .began(key) }
    return order < before ? .moved(key, order: order) : .none
  }

  /// Takes out a request; nothing for one that has left.
  mutating func leave(_ number: Number) -> Change {
    guard let (key, _) = keys[number] else { return .none }
    let before = order(of: key)
    keys[number] = nil
    requests[key]?.remove(number)
    guard let after = order(of: key) else {
      requests[key] = nil
      return .abandoned(key)
    }
    return after == before ? .none : .moved(key, order: after)
  }

  mutating func move(_ number: Number, to order: Int) -> Change {
    guard let (key, _) = keys[number] else { return .none }
    let before = self.order(of: key)
    keys[number] = (key, order)
    guard let after = self.order(of: key), after != before else { return .none }
    return .moved(key, order: after)
  }

  /// The least order of a key's requests; nil without any.
  func order(of key: Key) -> Int? { requests[key]?.compactMap { keys[$0]?.order }.min() }

  /// The requests of a key in the order in which they came.
  func numbers(of key: Key) -> [Number] { (requests[key] ?? []).sorted() }

  /// Takes out requests that are served.
  mutating func finish(_ numbers: [Number]) {
    for number in numbers {
      guard let (key, _) = keys.removeValue(forKey: number) else { continue }
      requests[key]?.remove(number)
      if requests[key]?.isEmpty == true { requests[key] = nil }
    }
  }
}
