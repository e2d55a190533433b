extension Membership {
  /// An item's place in a mode.
  struct Seat: Sendable {
    let mode: ModeState
    /// A timer's place in the mode's queue; nothing for others.
    let slot: Int
  }

  /// The places of an item, in the order in which it got them. Most items are in one mode: that place needs no memory of
  /// its own, and is at hand when the item is.
  struct Seats: Sendable {
    private(set) var first: Seat?
    private var others: [Seat] = []

    var isEmpty: Bool { first == nil }
    var count: Int { first == nil ? 0 : 1 + others.count }
    var modes: [ModeState] { first.map { [$0.mode] + others.map(\.mode) } ?? [] }

    func contains(where isMeant: (Seat) -> Bool) -> Bool { first.map(isMeant) ?? false || others.contains(where: isMeant) }

    @inline(__always)
    func forEach(_ body: (Seat) -> Void) {
      if let first { body(first) }
      if !others.isEmpty { others.forEach(body) }
    }

    mutating func append(_ seat: Seat) {
      if first == nil { first = seat } else { others.append(seat) }
    }

    mutating func remove(in mode: ModeState) -> Seat? {
      if let first, first.mode === mode {
        self.first = others.isEmpty ? nil : others.removeFirst()
        return first
      }
      return others.firstIndex { $0.mode === mode }.map { others.remove(at: $0) }
    }
  }
}
