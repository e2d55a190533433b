import CLinux
import Glibc
import LinuxSystem
import Synchronization

/// The port that ended a wait: the pass handles it, and no other.
enum Port {
  case wakeUp
  case timer
  case mainQueue
  case descriptor(Int32, FrameLoop.DescriptorSource.Events)

  // A descriptor's token is its number, which is below 2³¹.
  static let wakeUpToken = UInt64.max
  static let timerToken = UInt64.max - 1
  static let mainQueueToken = UInt64.max - 2

  init(_ ready: EpollSet.Ready) {
    switch ready.token {
    case Self.wakeUpToken: self = .wakeUp
    case Self.timerToken: self = .timer
    case Self.mainQueueToken: self = .mainQueue
    default: self = .descriptor(Int32(truncatingIfNeeded: ready.token), ready.events)
    }
  }

  /// Polls a descriptor for its events; nil if it is not ready.
  init?(lookingAt descriptor: Int32) {
    var look = pollfd(fd: descriptor, events: Int16(POLLIN | POLLOUT), revents: 0)
    guard poll(&look, 1, 0) > 0 else { return nil }
    // The bits are the same.
    self = .descriptor(descriptor, FrameLoop.DescriptorSource.Events(rawValue: UInt32(UInt16(bitPattern: look.revents))))
  }
}

/// The sources of one descriptor in one mode.
struct DescriptorPort {
  /// In the order of their addition.
  var sources: [FrameLoop.DescriptorSource]

  var events: EpollSet.Events { sources.reduce(into: []) { $0.formUnion($1.events) } }
}

extension ModeState {
  /// - Throws: when the kernel cannot wait on the descriptor.
  func insert(_ source: FrameLoop.DescriptorSource) throws(SystemError) {
    // The kernel is called under the lock, so that table and epoll set agree. Descriptors change seldom.
    let refusal: SystemError? = contents.withLock { contents in
      let number = Int(source.descriptor)
      var port = DescriptorPort(sources: [])
      if number >= 0, number < contents.descriptors.count, let present = contents.descriptors[number] { port = present }
      let isNew = port.sources.isEmpty
      port.sources.append(source)
      do throws(SystemError) {
        try watch(source.descriptor, port.events, isNew: isNew)
      } catch {
        return error
      }
      while contents.descriptors.count <= number { contents.descriptors.append(nil) }
      contents.descriptors[number] = port
      descriptorSourceCount.wrappingAdd(1, ordering: .relaxed)
      return nil
    }
    if let refusal { throw refusal }
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
        // Fails only if the descriptor was closed before its sources were removed: the kernel has removed it then.
        try? ports.modify(source.descriptor, events: port.events, token: UInt64(number))
      }
    }
  }

  func descriptorSources(_ number: Int32) -> [FrameLoop.DescriptorSource] {
    contents.withLock { contents in
      guard Int(number) < contents.descriptors.count else { return [] }
      return contents.descriptors[Int(number)]?.sources ?? []
    }
  }

  private func watch(_ descriptor: Int32, _ events: EpollSet.Events, isNew: Bool) throws(SystemError) {
    let token = UInt64(truncatingIfNeeded: descriptor)
    if !isNew {
      do throws(SystemError) {
        return try ports.modify(descriptor, events: events, token: token)
      } catch {
        // The number was closed and opened again while a source of the old descriptor was still here.
        guard error.errno == ENOENT else { throw error }
      }
    }
    try ports.add(descriptor, events: events, token: token)
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
