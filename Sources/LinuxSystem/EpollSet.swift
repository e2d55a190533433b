import CLinux
import Glibc

/// The events that a descriptor is waited for, or is ready for.
public struct DescriptorEvents: OptionSet, Hashable, BitwiseCopyable, Sendable, CustomStringConvertible {
  public let rawValue: UInt32
  public init(rawValue: UInt32) { self.rawValue = rawValue }
  public static let readable = DescriptorEvents(rawValue: EPOLLIN.rawValue)
  public static let writable = DescriptorEvents(rawValue: EPOLLOUT.rawValue)
  /// An error is pending. It is always reported and need not be requested.
  public static let error = DescriptorEvents(rawValue: EPOLLERR.rawValue)
  /// The other end was closed. It is always reported and need not be requested.
  public static let hangUp = DescriptorEvents(rawValue: EPOLLHUP.rawValue)

  /// The names of the events: "readable, hangUp".
  public var description: String {
    let names: [(DescriptorEvents, String)] = [
      (.readable, "readable"), (.writable, "writable"), (.error, "error"), (.hangUp, "hangUp"),
    ]
    return names.filter { contains($0.0) }.map(\.1).joined(separator: ", ")
  }
}

/// A set of descriptors to wait for. Each has a number of the caller's choice, which is returned when the descriptor is
/// ready.
///
/// Readiness is level-triggered: a descriptor stays ready until its cause is gone. The set never reads from a descriptor.
package struct EpollSet: ~Copyable, Sendable {
  package typealias Events = DescriptorEvents

  /// A ready descriptor.
  package struct Ready: Sendable, BitwiseCopyable {
    package var token: UInt64
    package var events: Events
  }

  private let descriptor: OwnedDescriptor

  package init() throws(SystemError) {
    let number = epoll_create1(Int32(EPOLL_CLOEXEC))
    guard number >= 0 else { throw .last(call: "epoll_create1") }
    descriptor = OwnedDescriptor(owning: number)
  }

  /// Adds a descriptor; `wait` returns `token` when it is ready. Regular files are refused with `EPERM`.
  package borrowing func add(_ number: Int32, events: Events, token: UInt64) throws(SystemError) {
    try control(EPOLL_CTL_ADD, number, events, token)
  }

  /// Changes the events or the token of a descriptor in the set.
  package borrowing func modify(_ number: Int32, events: Events, token: UInt64) throws(SystemError) {
    try control(EPOLL_CTL_MOD, number, events, token)
  }

  /// Removes a descriptor. Cannot fail: a descriptor that was closed in the meantime has left the set by itself.
  package borrowing func remove(_ number: Int32) {
    _ = clinux_epoll_control(descriptor.number, EPOLL_CTL_DEL, number, 0, 0)
  }

  /// Removes all descriptors, also those that were closed while a copy of them was open, which `remove` cannot find.
  package borrowing func removeAll() throws(SystemError) {
    let empty = try EpollSet()
    // The number stays, and is another set from now on.
    guard clinux_dup3(empty.descriptor.number, descriptor.number) >= 0 else { throw .last(call: "dup3") }
  }

  private borrowing func control(_ operation: Int32, _ number: Int32, _ events: Events, _ token: UInt64) throws(SystemError)
  {
    guard clinux_epoll_control(descriptor.number, operation, number, events.rawValue, token) == 0 else {
      throw .last(call: "epoll_ctl", subject: "descriptor \(number)")
    }
  }

  /// Waits for ready descriptors and writes them to `buffer`, as many as fit, in the order in which they became ready.
  ///
  /// - Parameter timeout: in milliseconds; 0 polls, −1 waits without a limit. For precise deadlines add a timer descriptor
  ///   to the set.
  /// - Returns: the number of descriptors; 0 after the timeout or when a signal interrupted the wait.
  package borrowing func wait(into buffer: UnsafeMutableBufferPointer<Ready>, timeout: Int32) -> Int {
    withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: buffer.count) { events in
      guard let base = events.baseAddress else { return 0 }
      let count = Int(epoll_wait(descriptor.number, base, Int32(events.count), timeout))
      // After any other error a loop would wait in vain for ever.
      if count < 0, clinux_errno() != EINTR {
        fatalError("\(SystemError.last(call: "epoll_wait")): somebody closed a descriptor that is not theirs")
      }
      guard count > 0 else { return 0 }
      for index in 0..<count {
        buffer[index] = Ready(
          token: clinux_epoll_event_token(base + index),
          events: Events(rawValue: clinux_epoll_event_events(base + index)))
      }
      return count
    }
  }
}
