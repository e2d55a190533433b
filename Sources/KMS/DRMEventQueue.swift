import Glibc
import LinuxSystem
import RunLoops

/// Reads a card's events on the loop and hands them to who waits for them: no thread of its own.
///
/// Flips are handed out before vblanks. The kernel puts both into one read, in the order in which they were asked for; a
/// tick that came first would find the last frame still pending and its buffer in use, although it is on the screen.
@MainActor
final class DRMEventQueue {
  /// Who wants events served in a mode. A mode is left when the last of them leaves it.
  enum User { case flips, vblanks }

  var onFlip: ((_ token: UInt64, _ time: MonotonicTime, _ sequence: UInt32) -> Void)?
  var onSequence: ((_ token: UInt64, _ time: MonotonicTime, _ sequence: UInt64) -> Void)?
  /// The descriptor cannot be read any more, and is no longer waited on.
  var onError: ((SystemError) -> Void)?

  private let descriptor: Int32
  private let path: String
  private var source: FrameLoop.DescriptorSource?
  private var memberships: [(user: User, mode: FrameLoop.Mode)] = []
  /// Room for 32 events; two come at a vblank, and what is left in the kernel makes the descriptor ready again. More than
  /// this would not be taken from the stack. (No buffer of the queue's own: a handler may run the loop, and be served.)
  private static let capacity = 1024

  /// - Parameters:
  ///   - descriptor: an open card; must stay open until `invalidate()`.
  ///   - path: the card's, for errors.
  init(descriptor: Int32, path: String) {
    self.descriptor = descriptor
    self.path = path
    source = FrameLoop.DescriptorSource(
      descriptor: descriptor,
      onMain: { [weak self] _, _ in self?.serve() })
  }

  func add(_ user: User, to loop: FrameLoop, mode: FrameLoop.Mode) {
    guard let source, !memberships.contains(where: { $0 == (user, mode) }) else { return }
    memberships.append((user, mode))
    loop.add(source, to: mode)
  }

  func remove(_ user: User, from loop: FrameLoop, mode: FrameLoop.Mode) {
    guard let source, memberships.contains(where: { $0 == (user, mode) }) else { return }
    memberships.removeAll { $0 == (user, mode) }
    if memberships.contains(where: { $0.mode == mode }) { return }
    loop.remove(source, from: mode)
    // To leave the common modes is to leave each of them, also one that is named by itself.
    for membership in memberships { loop.add(source, to: membership.mode) }
  }

  /// Ends it for good; events that were not read are lost.
  func invalidate() {
    source?.invalidate()
    source = nil
    onFlip = nil
    onSequence = nil
    onError = nil
  }

  private func serve() {
    do throws(SystemError) {
      try withUnsafeTemporaryAllocation(byteCount: Self.capacity, alignment: 8) { buffer throws(SystemError) in
        let bytes = try readEvents(into: buffer)
        dispatch(bytes) { $0.isFlip }
        dispatch(bytes) { !$0.isFlip }
      }
    } catch {
      let report = onError
      invalidate()
      report?(error)
    }
  }

  /// Reads the events that wait, whole, as many as fit. None waiting: an empty answer.
  private func readEvents(into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> UnsafeRawBufferPointer {
    let count = read(descriptor, buffer.baseAddress, buffer.count)
    if count >= 0 { return UnsafeRawBufferPointer(rebasing: buffer[..<count]) }
    let error = SystemError.last(call: "read", subject: path)
    if error.errno == EAGAIN || error.errno == EINTR { return UnsafeRawBufferPointer(rebasing: buffer[..<0]) }
    throw error
  }

  private func dispatch(_ bytes: UnsafeRawBufferPointer, where isWanted: (DRMEvent) -> Bool) {
    var parser = DRMEventParser(bytes)
    while let event = parser.next() {
      guard isWanted(event) else { continue }
      switch event {
      case .flip(let token, let time, let sequence): onFlip?(token, time, sequence)
      case .sequence(let token, let time, let sequence): onSequence?(token, time, sequence)
      case .other: break
      }
    }
  }
}
