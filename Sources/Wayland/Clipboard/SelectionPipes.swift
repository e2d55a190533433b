import CWaylandProtocols
import Glibc
import LinuxSystem
import RunLoops

/// Reads a text that another program writes into a pipe, as it comes.
@MainActor
final class SelectionReader {
  /// A mebibyte: far more than anybody pastes into a line.
  static let mostBytes = 1 << 20
  static let longestTime = Nanoseconds.seconds(2)
  /// The most bytes that are read in a pass of the loop: a pipe's.
  private static let bytesAtOnce = 1 << 16

  private let connection: WaylandConnection
  private var file: OwnedDescriptor?
  /// The other program's end, until it has it.
  private var otherEnd: OwnedDescriptor?
  private var bytes: [UInt8] = []
  private var handlers: [@MainActor (String?) -> Void] = []
  private var ended: (@MainActor () -> Void)?
  private var items: [any FrameLoop.Item] = []

  /// - Parameter ended: called before the handlers.
  /// - Returns: nil if there are no descriptors left.
  init?(_ connection: WaylandConnection, ended: @escaping @MainActor () -> Void) {
    var ends: [Int32] = [-1, -1]
    guard cwayland_pipe(&ends) == 0 else { return nil }
    (self.connection, self.ended) = (connection, ended)
    file = OwnedDescriptor(owning: ends[0])
    otherEnd = OwnedDescriptor(owning: ends[1])
  }

  /// - Parameter handler: called with the text, or with nil if it does not come.
  func add(_ handler: @escaping @MainActor (String?) -> Void) { handlers.append(handler) }

  /// - Parameter send: sends the other end to the program that has the text.
  func start(_ send: (Int32) -> Void) {
    guard let number = file?.number, let other = otherEnd?.number else { return }
    send(other)
    // libwayland has a copy. Without this one, the pipe ends when that program closes it.
    otherEnd = nil
    let source = FrameLoop.DescriptorSource(descriptor: number, .onMain { [weak self] _, _ in self?.read() })
    let alarm = FrameLoop.Alarm(.onMain { [weak self] in self?.end(nil) })
    alarm.fireTime = connection.clock.now + Self.longestTime
    items = [source, alarm]
    for item in items { connection.serve(item) }
  }

  private func read() {
    guard let number = file?.number else { return }
    var error: Int32 = 0
    let got = withUnsafeTemporaryAllocation(byteCount: Self.bytesAtOnce, alignment: 1) { piece in
      let got = Glibc.read(number, piece.baseAddress, piece.count)
      if got < 0 { error = SystemError.last(call: "read").errno }
      bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: piece[..<max(got, 0)]))
      return got
    }
    switch got {
    case 0: end(bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self))
    case 1...: if bytes.count > Self.mostBytes { end(nil) }
    default: if error != EAGAIN, error != EINTR { end(nil) }
    }
  }

  func end(_ text: String?) {
    guard let ended else { return }
    self.ended = nil
    for item in items { connection.stop(item) }
    items = []
    file = nil
    otherEnd = nil
    ended()
    for handler in handlers { handler(text) }
    handlers = []
  }
}

/// Writes a text into the pipe of another program, as it reads.
///
/// It lives until it has written all, or the other program has gone, or has read nothing for ten seconds.
@MainActor
final class SelectionWriter {
  private static let longestPause = Nanoseconds.seconds(10)

  private let connection: WaylandConnection
  private var file: OwnedDescriptor?
  private let bytes: [UInt8]
  private var written = 0
  private var ended: (@MainActor () -> Void)?
  private var items: [any FrameLoop.Item] = []
  private var alarm: FrameLoop.Alarm?

  init(
    _ bytes: [UInt8], _ file: consuming OwnedDescriptor, _ connection: WaylandConnection,
    ended: @escaping @MainActor () -> Void
  ) {
    (self.bytes, self.connection, self.ended) = (bytes, connection, ended)
    self.file = consume file
  }

  func start() {
    guard let number = file?.number else { return }
    let flags = fcntl(number, F_GETFL)
    guard flags >= 0, fcntl(number, F_SETFL, flags | O_NONBLOCK) == 0 else { return end() }
    // Most texts fit into a pipe. A file, for which no loop can wait, takes all at once.
    write()
    guard ended != nil else { return }
    let source = FrameLoop.DescriptorSource(descriptor: number, events: .writable, .onMain { _, _ in self.write() })
    let alarm = FrameLoop.Alarm(.onMain { self.end() })
    (items, self.alarm) = ([source, alarm], alarm)
    wait()
    for item in items { connection.serve(item) }
  }

  private func wait() { alarm?.fireTime = connection.clock.now + Self.longestPause }

  private func write() {
    guard let number = file?.number else { return }
    while written < bytes.count {
      let (start, count) = (written, bytes.count - written)
      let taken = bytes.withUnsafeBytes { cwayland_write(number, $0.baseAddress.map { $0 + start }, UInt(count)) }
      switch taken {
      case 0...: written += taken
      case Int(-EAGAIN): return wait()
      case Int(-EINTR): continue
      default: return end()
      }
    }
    end()
  }

  private func end() {
    guard let ended else { return }
    self.ended = nil
    for item in items { connection.stop(item) }
    (items, alarm) = ([], nil)
    file = nil
    ended()
  }
}
