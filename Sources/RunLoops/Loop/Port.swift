import CLinux
import Glibc
import LinuxSystem
import Synchronization

/// The port that ended a wait: the pass handles it, and no other.
enum Port {
  case wakeUp
  case timer
  case mainQueue
  case descriptor(token: UInt64, FrameLoop.DescriptorSource.Events)

  // A descriptor's token is its number in the lower half, and the number of its registration in the upper half, below 2³¹.
  static let wakeUpToken = UInt64.max
  static let timerToken = UInt64.max - 1
  static let mainQueueToken = UInt64.max - 2

  init(_ ready: EpollSet.Ready) {
    switch ready.token {
    case Self.wakeUpToken: self = .wakeUp
    case Self.timerToken: self = .timer
    case Self.mainQueueToken: self = .mainQueue
    default: self = .descriptor(token: ready.token, ready.events)
    }
  }

  /// Polls a descriptor for its events; nil if it is not ready.
  init?(lookingAt token: UInt64) {
    var look = pollfd(fd: Int32(truncatingIfNeeded: token), events: Int16(POLLIN | POLLOUT), revents: 0)
    guard poll(&look, 1, 0) > 0 else { return nil }
    // The bits are the same.
    self = .descriptor(token: token, FrameLoop.DescriptorSource.Events(rawValue: UInt32(UInt16(bitPattern: look.revents))))
  }
}

/// The sources of one descriptor in one mode.
struct DescriptorPort {
  /// Identifies the registration with the kernel: the number of a descriptor that was closed may be in use again.
  var token: UInt64
  /// In the order of their addition.
  var sources: [FrameLoop.DescriptorSource] = []

  var descriptor: Int32 { Int32(truncatingIfNeeded: token) }
  var events: EpollSet.Events { sources.reduce(into: []) { $0.formUnion($1.events) } }
}

extension ModeState {
  // The kernel is called under the lock, so that table and epoll set agree. Descriptors change seldom.

  /// - Throws: when the kernel cannot wait on the descriptor.
  func insert(_ source: FrameLoop.DescriptorSource) throws(SystemError) {
    try contents.withLock { (contents) throws(SystemError) in
      let number = Int(source.descriptor)
      let present = contents.descriptors.indices.contains(number) ? contents.descriptors[number] : nil
      var port = present ?? DescriptorPort(token: contents.newToken(source.descriptor))
      port.sources.append(source)
      do throws(SystemError) {
        if present == nil { try ports.add(port) } else { try ports.modify(port) }
      } catch {
        switch error.errno {
        // The number was closed and opened again while a source of the old descriptor was still here.
        case ENOENT where present != nil:
          port.token = contents.newToken(source.descriptor)
          try ports.add(port)
        // The number was closed, and has become that of a copy again: the kernel has kept the registration.
        case EEXIST: try ports.modify(port)
        default: throw error
        }
      }
      while contents.descriptors.count <= number { contents.descriptors.append(nil) }
      contents.descriptors[number] = port
      descriptorSourceCount.wrappingAdd(1, ordering: .relaxed)
    }
  }

  func remove(_ source: FrameLoop.DescriptorSource) {
    contents.withLock { contents in
      let number = Int(source.descriptor)
      guard number < contents.descriptors.count, var port = contents.descriptors[number] else { return }
      port.sources.removeAll { $0 === source }
      descriptorSourceCount.wrappingSubtract(1, ordering: .relaxed)
      contents.descriptors[number] = port.sources.isEmpty ? nil : port
      if port.sources.isEmpty {
        ports.remove(source.descriptor)
      } else {
        // Fails only if the descriptor was closed before its sources were removed.
        try? ports.modify(port)
      }
    }
  }

  /// - Returns: the sources of a registered descriptor; nil if it is not registered any more.
  func descriptorSources(_ token: UInt64) -> [FrameLoop.DescriptorSource]? {
    contents.withLock { contents in
      guard let port = contents.descriptors[Int(Int32(truncatingIfNeeded: token))], port.token == token else { return nil }
      return port.sources
    }
  }

  /// Called when the kernel reports a descriptor that is not registered any more. Its source may have been removed after the
  /// wait, and then it is reported once. A descriptor that was closed while a copy of it is open is reported for ever, and
  /// cannot be removed: all others are registered anew, with an empty set.
  func ignore(_ token: UInt64) {
    let refused: [(FrameLoop.DescriptorSource, SystemError)]? = contents.withLock { contents in
      guard contents.ignoredTokens.contains(token) else {
        if contents.ignoredTokens.count == 1_000 { contents.ignoredTokens = [] }
        contents.ignoredTokens.append(token)
        return nil
      }
      guard (try? ports.removeAll()) != nil else { return nil }
      contents.ignoredTokens = []
      orFatal { () throws(SystemError) in try watchOwnPorts() }
      if contents.watchesMainQueue { watchMainQueue(true, &contents) }
      var refused: [(FrameLoop.DescriptorSource, SystemError)] = []
      for case let port? in contents.descriptors {
        do throws(SystemError) {
          try ports.add(port)
        } catch {
          refused += port.sources.map { ($0, error) }
        }
      }
      return refused
    }
    guard let refused else { return }
    Self.reportClosedDescriptor
    for (source, error) in refused { source.refuse(error) }
  }

  private static let reportClosedDescriptor: Void = {
    StandardError.print(
      sentence:
        "framepace: a descriptor was closed before its source was invalidated, and a copy of it is open; invalidate first")
  }()

  func watchOwnPorts() throws(SystemError) {
    try ports.add(wakeUp.descriptor, events: .readable, token: Port.wakeUpToken)
    try ports.add(timer.number, events: .readable, token: Port.timerToken)
  }
}

extension EpollSet {
  fileprivate borrowing func add(_ port: DescriptorPort) throws(SystemError) {
    try add(port.descriptor, events: port.events, token: port.token)
  }

  fileprivate borrowing func modify(_ port: DescriptorPort) throws(SystemError) {
    try modify(port.descriptor, events: port.events, token: port.token)
  }
}

extension ModeState.Contents {
  fileprivate mutating func newToken(_ descriptor: Int32) -> UInt64 {
    registrationCount += 1
    return (registrationCount & 0x7FFF_FFFF) << 32 | UInt64(UInt32(bitPattern: descriptor))
  }
}

/// The port of libdispatch's main queue, which is also the main actor's executor.
enum MainQueue {
  /// The event descriptor that libdispatch writes when the empty queue gets its first block.
  static let descriptor: Int32 = _dispatch_get_main_queue_handle_4CF()

  /// True inside a block of the queue. A nested run must not serve the queue there: libdispatch would do nothing.
  private static let draining = Atomic<Bool>(false)
  static var isDraining: Bool { draining.load(ordering: .relaxed) }

  /// True while blocks wait.
  static var isReady: Bool {
    var descriptor = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&descriptor, 1, 0) > 0
  }

  /// Runs the blocks that are queued by now, on the main thread.
  static func drain() {
    var count: UInt64 = 0
    // Read before the drain: a block that is queued during it writes again.
    _ = read(descriptor, &count, 8)
    draining.store(true, ordering: .relaxed)
    _dispatch_main_queue_callback_4CF(nil)
    draining.store(false, ordering: .relaxed)
  }
}
