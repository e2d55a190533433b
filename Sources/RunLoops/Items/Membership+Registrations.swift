extension Membership {
  /// An item's registration with a mode.
  struct Registration: Sendable {
    let mode: ModeState
    /// A timer's place in the mode's queue; nothing for others.
    let slot: Int
  }

  /// The registrations of an item, in the order in which it got them. Most items are in one mode: that one needs no memory of
  /// its own, and is at hand when the item is.
  struct Registrations: Sendable {
    private(set) var first: Registration?
    private var others: [Registration] = []

    var isEmpty: Bool { first == nil }
    var count: Int { first == nil ? 0 : 1 + others.count }
    var modes: [ModeState] { first.map { [$0.mode] + others.map(\.mode) } ?? [] }

    func contains(where isMeant: (Registration) -> Bool) -> Bool {
      first.map(isMeant) ?? false || others.contains(where: isMeant)
    }

    @inline(__always)
    func forEach(_ body: (Registration) -> Void) {
      if let first { body(first) }
      if !others.isEmpty { others.forEach(body) }
    }

    mutating func append(_ registration: Registration) {
      if first == nil { first = registration } else { others.append(registration) }
    }

    mutating func remove(in mode: ModeState) -> Registration? {
      if let first, first.mode === mode {
        self.first = others.isEmpty ? nil : others.removeFirst()
        return first
      }
      return others.firstIndex { $0.mode === mode }.map { others.remove(at: $0) }
    }
  }
}
