import LinuxSystem

/// Events that were read and not dispatched yet.
///
/// Flips go before vblanks. The kernel puts both into one read, in the order of the requests; a tick that came first would
/// find the last frame still pending and its buffer in use, although it is on the screen.
struct DRMEventBacklog {
  /// Room for two vblanks of 8 displays. Events that stay in the kernel make the descriptor ready again.
  static let capacity = 32
  private static let byteCount = capacity * 32

  /// In reverse order: the next one is last.
  private var events: [DRMEvent] = []

  init() { events.reserveCapacity(Self.capacity) }

  var isEmpty: Bool { events.isEmpty }

  /// Reads the waiting events. To be called when the backlog is empty.
  mutating func fill(from interface: any DRMInterface) throws(SystemError) {
    try withUnsafeTemporaryAllocation(byteCount: Self.byteCount, alignment: 8) { buffer throws(SystemError) in
      let count = try interface.readEvents(into: buffer)
      fill(from: UnsafeRawBufferPointer(rebasing: buffer[..<min(count, buffer.count)]))
    }
  }

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

  /// Removes and returns the next event.
  mutating func take() -> DRMEvent? { events.popLast() }

  mutating func removeAll() { events.removeAll(keepingCapacity: true) }

  private mutating func append(from bytes: UnsafeRawBufferPointer, where isWanted: (DRMEvent) -> Bool) {
    var parser = DRMEventParser(bytes)
    while let event = parser.next() { if isWanted(event) { events.append(event) } }
  }
}
