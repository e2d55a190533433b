/// Events that were read and not handed out yet, without those that nobody here asks for: a pure value.
///
/// Flips go before vblanks. The kernel puts both into one read, in the order in which they were asked for; a tick that came
/// first would find the last frame still pending and its buffer in use, although it is on the screen.
struct DRMEventBacklog {
  /// How many there can be: those of two vblanks of 8 displays. What is left in the kernel makes the descriptor ready again.
  static let capacity = 32
  /// The bytes of so many events.
  static let byteCount = capacity * 32

  private var events: [DRMEvent] = []
  private var next = 0

  init() { events.reserveCapacity(Self.capacity) }

  var isEmpty: Bool { next == events.count }

  /// Takes up the bytes of one read. To be called when it is empty.
  mutating func fill(from bytes: UnsafeRawBufferPointer) {
    removeAll()
    append(from: bytes) { if case .flip = $0 { true } else { false } }
    append(from: bytes) { event in
      switch event {
      case .sequence, .vblank: true
      case .flip, .other: false
      }
    }
  }

  /// The next one to hand out.
  mutating func take() -> DRMEvent? {
    guard !isEmpty else { return nil }
    defer { next += 1 }
    return events[next]
  }

  mutating func removeAll() {
    events.removeAll(keepingCapacity: true)
    next = 0
  }

  private mutating func append(from bytes: UnsafeRawBufferPointer, where isWanted: (DRMEvent) -> Bool) {
    var parser = DRMEventParser(bytes)
    while let event = parser.next() { if isWanted(event) { events.append(event) } }
  }
}
