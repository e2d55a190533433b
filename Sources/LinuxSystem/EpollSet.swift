import CLinux
import Glibc

/// A set of descriptors to wait on, each with a number of the caller's choice that comes back when it is ready.
/// Level-triggered: a descriptor stays ready until its cause is gone. Nothing is ever read from it.
public struct EpollSet: ~Copyable, Sendable {
  /// What a descriptor is waited on for, and what it was found ready for.
  public struct Events: OptionSet, Hashable, BitwiseCopyable, Sendable, CustomStringConvertible {
    public let rawValue: UInt32
    public init(rawValue: UInt32) { self.rawValue = rawValue }
    public static let readable = Events(rawValue: EPOLLIN.rawValue)
    public static let writable = Events(rawValue: EPOLLOUT.rawValue)
    /// An error is pending; always reported, never asked for.
    public static let error = Events(rawValue: EPOLLERR.rawValue)
    /// The other end is gone; always reported, never asked for.
    public static let hangUp = Events(rawValue: EPOLLHUP.rawValue)

    /// The names of the events: "readable, hangUp".
    public var description: String {
      let names: [(Events, String)] = [
        (.readable, "readable"), (.writable, "writable"), (.error, "error"), (.hangUp, "hangUp"),
      ]
      return names.filter { contains($0.0) }.map(\.1).joined(separator: ", ")
    }
  }

  /// One descriptor that is ready.
  public struct Ready: Sendable, BitwiseCopyable {
    public var token: UInt64
    public var events: Events
  }

  private let descriptor: OwnedDescriptor

  public init() throws(SystemError) {
    let number = epoll_create1(Int32(EPOLL_CLOEXEC))
    guard number >= 0 else { throw .last(call: "epoll_create1") }
    descriptor = OwnedDescriptor(owning: number)
  }

  /// Adds a descriptor; `token` comes back from `wait` when it is ready. Regular files cannot be waited on (`EPERM`).
  public borrowing func add(_ number: Int32, events: Events, token: UInt64) throws(SystemError) {
    try control(EPOLL_CTL_ADD, number, events, token)
  }

  /// Changes the events or token of a descriptor that is in the set.
  public borrowing func modify(_ number: Int32, events: Events, token: UInt64) throws(SystemError) {
    try control(EPOLL_CTL_MOD, number, events, token)
  }

  /// Removes a descriptor. One that was closed meanwhile has left the set by itself, so that this cannot fail.
  public borrowing func remove(_ number: Int32) {
    _ = clinux_epoll_control(descriptor.number, EPOLL_CTL_DEL, number, 0, 0)
  }

  private borrowing func control(_ operation: Int32, _ number: Int32, _ events: Events, _ token: UInt64) throws(SystemError)
  {
    guard clinux_epoll_control(descriptor.number, operation, number, events.rawValue, token) == 0 else {
      throw .last(call: "epoll_ctl", subject: "descriptor \(number)")
    }
  }

  /// Waits for ready descriptors, at most as many as `buffer` holds, in the order in which they became ready.
  ///
  /// - Parameter timeout: milliseconds; 0 polls, −1 waits for ever. Deadlines belong to a timer descriptor in the set:
  ///   a millisecond is coarse.
  /// - Returns: how many were written to `buffer`; 0 after the time-out or when a signal interrupted the wait.
  public borrowing func wait(into buffer: UnsafeMutableBufferPointer<Ready>, timeout: Int32) -> Int {
    withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: buffer.count) { events in
      guard let base = events.baseAddress else { return 0 }
      let count = Int(epoll_wait(descriptor.number, base, Int32(events.count), timeout))
      // To wait again after any other error would be to do so for ever.
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
