/// A bounded cache in two generations. An entry that is used moves to the young generation; when that reaches half the
/// limit, the old generation is dropped and the young one becomes the old one. So entries that are used often stay, without
/// an ordered list.
@usableFromInline
package struct GenerationCache<Key: Hashable, Value> {
  /// The limit for the cost of all entries together, in the caller's unit.
  @usableFromInline package let limit: Int
  @usableFromInline var young: [Key: (value: Value, cost: Int)] = [:]
  @usableFromInline var old: [Key: (value: Value, cost: Int)] = [:]
  @usableFromInline var youngCost = 0
  @usableFromInline var oldCost = 0

  package init(limit: Int) {
    self.limit = limit
  }

  /// The cost of all entries together.
  package var cost: Int { youngCost + oldCost }
  package var count: Int { young.count + old.count }

  @inlinable
  package mutating func value(for key: Key) -> Value? {
    if let entry = young[key] { return entry.value }
    guard let entry = old.removeValue(forKey: key) else { return nil }
    oldCost -= entry.cost
    add(entry.value, for: key, cost: entry.cost)
    return entry.value
  }

  /// Adds or replaces an entry. An entry that costs more than half the limit is not kept.
  @inlinable
  package mutating func insert(_ value: Value, for key: Key, cost: Int) {
    if let entry = young.removeValue(forKey: key) { youngCost -= entry.cost }
    if let entry = old.removeValue(forKey: key) { oldCost -= entry.cost }
    guard cost <= limit / 2 else { return }
    add(value, for: key, cost: cost)
  }

  @inlinable
  mutating func add(_ value: Value, for key: Key, cost: Int) {
    if youngCost + cost > limit / 2 {
      swap(&old, &young)
      oldCost = youngCost
      young.removeAll(keepingCapacity: true)
      youngCost = 0
    }
    young[key] = (value, cost)
    youngCost += cost
  }
}
