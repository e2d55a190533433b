import LinuxSystem

/// Events that were read and not handed out yet, without those that nobody here asks for.
///
/// Flips go before vblanks. The kernel puts both into one read, in the order in which they were asked for; a tick that came
/// first would find the last frame still pending and its buffer in use, although it is on the screen.
struct DRMEventBacklog {
  /// How many there can be: those of two vblanks of 8 displays. What is left in the kernel makes the descriptor ready again.
  static let capacity = 32
  /// The bytes of so many events.
  private static let byteCount = capacity * 32

  /// The next one stands last.
  private var events: [DRMEvent] = []

  init() { events.reserveCapacity(Self.capacity) }

  var isEmpty: Bool { events.isEmpty }

  /// Reads what waits. To be called when it is empty.
  mutating func fill(from interface: any DRMInterface) throws(SystemError) {
    try withUnsafeTemporaryAllocation(byteCount: Self.byteCount, alignment: 8) { buffer throws(SystemError) in
      let count = try interface.readEvents(into: buffer)
      fill(from: UnsafeRawBufferPointer(rebasing: buffer[..<min(count, buffer.count)]))
    }
  }

  /// Takes up the bytes of one read.
  private mutating func fill(from bytes: UnsafeRawBufferPointer) {
    append(from: bytes) { if case .flip = $0 { true } else { false } }
    append(from: bytes) { event in
      switch event {
      case .sequence, .vblank: true
      case .flip, .other: false
      }
    }
    events.reverse()
  }

  /// The next one to hand out.
  mutating func take() -> DRMEvent? { events.popLast() }

  mutating func removeAll() { events.removeAll(keepingCapacity: true) }

  private mutating func append(from bytes: UnsafeRawBufferPointer, where isWanted: (DRMEvent) -> Bool) {
    var parser = DRMEventParser(bytes)
    while let event = parser.next() { if isWanted(event) { events.append(event) } }
  }
}
