import Glibc
import LinuxSystem
import Synchronization

/// What ended a wait: the one thing that the pass handles.
enum Port {
  case wakeUp
  case timer
  case mainQueue
  case descriptor(Int32, FrameLoop.DescriptorSource.Events)

  // Descriptors stand for themselves: they are below 2³¹.
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

  /// A descriptor, with what it is ready for by now; nil when it is not ready.
  init?(lookingAt descriptor: Int32) {
    var look = pollfd(fd: descriptor, events: Int16(POLLIN | POLLOUT), revents: 0)
    guard poll(&look, 1, 0) > 0 else { return nil }
    // The bits are the same.
    self = .descriptor(descriptor, FrameLoop.DescriptorSource.Events(rawValue: UInt32(UInt16(bitPattern: look.revents))))
  }
}

/// A descriptor that is waited on in one mode, for one or several sources.
struct DescriptorPort {
  /// As they were added.
  var sources: [FrameLoop.DescriptorSource]

  var events: EpollSet.Events { sources.reduce(into: []) { $0.formUnion($1.events) } }
}

extension ModeState {
  /// - Throws: when the kernel cannot wait on the descriptor.
  func insert(_ source: FrameLoop.DescriptorSource) throws(SystemError) {
    // Ports are few and change seldom: the kernel is told while the lock is held, so that table and set agree.
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
        // Fails only for a descriptor that was closed before its sources were removed, which the kernel has forgotten.
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
        // The number was closed and opened anew while a source of the old one was still here.
        guard error.errno == ENOENT else { throw error }
      }
    }
    try ports.add(descriptor, events: events, token: token)
  }
}
