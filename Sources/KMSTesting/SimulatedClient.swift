import Glibc
import KMS
import LinuxSystem

/// A program's open descriptor of a simulated card, like `LibDRM` for a real one. Closing it frees the program's objects.
final class SimulatedClient: DRMInterface {
  let path: String
  let card: SimulatedCard
  /// Its place among the card's clients.
  let number: Int
  private let reader: OwnedDescriptor
  private let writer: OwnedDescriptor

  init(card: SimulatedCard) throws(SystemError) {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { throw .last(call: "pipe") }
    for end in ends {
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
    }
    reader = OwnedDescriptor(owning: ends[0])
    writer = OwnedDescriptor(owning: ends[1])
    self.card = card
    path = card.path
    let eventWriter = ends[1]
    number = card.state.withLock { $0.open(eventWriter: eventWriter) }
  }

  deinit {
    card.state.withLock { $0.calls.before.removeValue(forKey: .close) }?()
    card.state.withLock { $0.close(number) }
  }

  var descriptor: Int32 { reader.number }

  /// Counts a call and makes it, unless a test wants it to fail, or the card is gone.
  func perform<Result: Sendable>(
    _ call: CardCall, on subject: @autoclosure () -> String = "", worksUnplugged: Bool = false,
    _ body: (_ state: inout CardState, _ now: MonotonicTime) throws(Refusal) -> Result
  ) throws(SystemError) -> Result {
    card.state.withLock { $0.calls.before.removeValue(forKey: call) }?()
    let now = card.clock.now
    do throws(Refusal) {
      return try card.state.withLock { state throws(Refusal) in
        state.advance(to: now)
        try state.calls.note(call)
        if state.isUnplugged, !worksUnplugged { throw Refusal(ENODEV) }
        return try body(&state, now)
      }
    } catch {
      throw SystemError(call: call.description, subject: subject(), errno: error.errno)
    }
  }

  /// Events can be read even when the card is gone.
  func readEvents(into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int {
    let wanted = buffer.count / CardState.eventSize * CardState.eventSize
    nonisolated(unsafe) let start = buffer.baseAddress  // Used by this call alone.
    let descriptor = descriptor
    let number = number
    do throws(SystemError) {
      return try perform(.read, on: path, worksUnplugged: true) { state, _ throws(Refusal) in
        let count = read(descriptor, start, wanted)
        guard count > 0 else { return 0 }
        state.clients[number].outstandingEvents -= count / CardState.eventSize
        return count
      }
    } catch {
      if error.errno == EAGAIN || error.errno == EINTR { return 0 }
      throw error
    }
  }

  // MARK: Driver and client

  func version() throws(SystemError) -> (name: String, number: String) {
    try perform(.version) { state, _ in (state.driver, "1.0.0") }
  }

  func capability(_ capability: Int32) throws(SystemError) -> UInt64 {
    try perform(.capability, on: "\(capability)") { state, _ throws(Refusal) in
      try state.capability(capability)
    }
  }

  func setClientCapability(_ capability: Int32, to value: UInt64) throws(SystemError) {
    try perform(.setClientCapability, on: "\(capability)") { state, _ throws(Refusal) in
      try state.setClientCapability(capability, to: value, client: number)
    }
  }

  /// Like `drmIsMaster`: true unless the call is refused, whatever else goes wrong.
  var isMaster: Bool {
    do throws(SystemError) {
      return try perform(.isMaster) { state, _ in state.clients[number].isMaster }
    } catch {
      return error.errno != EACCES
    }
  }

  func setMaster() throws(SystemError) {
    try perform(.setMaster) { state, _ throws(Refusal) in try state.setMaster(number) }
  }

  func dropMaster() throws(SystemError) {
    try perform(.dropMaster) { state, _ throws(Refusal) in try state.dropMaster(number) }
  }

  // MARK: Vblanks

  func sequence(ofCRTC crtc: UInt32) throws(SystemError) -> (time: MonotonicTime, sequence: UInt64) {
    try perform(.sequence, on: "CRTC \(crtc)") { state, _ throws(Refusal) in
      guard state.hasSequences else { throw Refusal(EINVAL) }
      guard state.hasVBlanks else { throw Refusal(EOPNOTSUPP) }
      guard let index = state.crtcIndex(crtc) else { throw Refusal(ENOENT) }
      guard state.crtcs[index].settings.isActive else { throw Refusal(EINVAL) }
      return (state.crtcs[index].vblanks.last + state.stampOffset, state.crtcs[index].vblanks.sequence)
    }
  }

  func queueNextSequence(ofCRTC crtc: UInt32, token: UInt64) throws(SystemError) {
    try perform(.queueSequence, on: "CRTC \(crtc)") { state, _ throws(Refusal) in
      guard state.hasSequences else { throw Refusal(EINVAL) }
      guard let index = state.crtcIndex(crtc) else { throw Refusal(state.hasVBlanks ? ENOENT : EOPNOTSUPP) }
      try state.queue(.sequence, crtc: index, client: number, token: token)
    }
  }

  func vblank(ofPipe pipe: Int) throws(SystemError) -> (time: MonotonicTime, sequence: UInt32) {
    try perform(.vblank, on: "pipe \(pipe)") { state, _ throws(Refusal) in
      guard state.hasVBlanks else { throw Refusal(state.vblankRefusal) }
      guard state.crtcs.indices.contains(pipe), state.crtcs[pipe].settings.isActive else { throw Refusal(EINVAL) }
      let counter = state.crtcs[pipe].vblanks
      let microseconds = (counter.last + state.stampOffset).nanoseconds / 1_000
      return (MonotonicTime(nanoseconds: microseconds * 1_000), UInt32(truncatingIfNeeded: counter.sequence))
    }
  }

  func queueNextVBlank(ofPipe pipe: Int, token: UInt64) throws(SystemError) {
    try perform(.queueVBlank, on: "pipe \(pipe)") { state, _ throws(Refusal) in
      guard state.crtcs.indices.contains(pipe) else { throw Refusal(EINVAL) }
      try state.queue(.vblank, crtc: pipe, client: number, token: token)
    }
  }
}
