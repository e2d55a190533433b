/// Values within a limit of their costs. A use moves a value to the front; when costs are above the limit, values leave from the
/// back: the one that was used longest ago first.
struct RecentlyUsed<Key: Hashable, Value> {
  let limit: Int
  private(set) var cost = 0
  var count: Int { places.count }

  private struct Entry {
    var key: Key
    /// Nil in a place that is free.
    var value: Value?
    var cost: Int
    /// The places of the neighbours, or -1. A free place's `back` is that of the next free one.
    var front: Int
    var back: Int
  }

  private var entries: [Entry] = []
  private var places: [Key: Int] = [:]
  private var front = -1
  private var back = -1
  private var free = -1

  init(limit: Int) { self.limit = limit }

  /// The value of a key, which counts as a use.
  mutating func value(for key: Key) -> Value? {
    guard let place = places[key] else { return nil }
    unlink(place)
    link(place)
    return entries[place].value
  }

  /// Adds or replaces a value. One that costs more than the limit is not kept, and neither is what its key had.
  ///
  /// - Returns: the values that left.
  mutating func insert(_ value: Value, for key: Key, cost: Int) -> [Value] {
    var left: [Value] = []
    if let place = places[key] { remove(place, into: &left) }
    guard cost <= limit else { return left }
    while self.cost > limit - cost { remove(back, into: &left) }
    let entry = Entry(key: key, value: value, cost: cost, front: -1, back: -1)
    let place: Int
    if free >= 0 {
      place = free
      free = entries[place].back
      entries[place] = entry
    } else {
      place = entries.count
      entries.append(entry)
    }
    places[key] = place
    self.cost += cost
    link(place)
    return left
  }

  private mutating func remove(_ place: Int, into left: inout [Value]) {
    unlink(place)
    places[entries[place].key] = nil
    cost -= entries[place].cost
    if let value = entries[place].value.take() { left.append(value) }
    entries[place].back = free
    free = place
  }

  private mutating func link(_ place: Int) {
    entries[place].front = -1
    entries[place].back = front
    if front >= 0 { entries[front].front = place } else { back = place }
    front = place
  }

  private mutating func unlink(_ place: Int) {
    let entry = entries[place]
    if entry.front >= 0 { entries[entry.front].back = entry.back } else { front = entry.back }
    if entry.back >= 0 { entries[entry.back].front = entry.front } else { back = entry.front }
  }
}
