import CLinux
import Glibc

/// A file descriptor that is closed when its owner goes.
public struct OwnedDescriptor: ~Copyable, Sendable {
  /// The descriptor's number: borrowed, valid while this value lives.
  public let number: Int32

  /// Takes over `number`, which must be open and have no other owner.
  public init(owning number: Int32) {
    self.number = number
  }

  deinit {
    close(number)
  }

  /// Opens `path`; always with `O_CLOEXEC`.
  public static func open(_ path: String, flags: Int32, permissions: UInt32 = 0o644) throws(SystemError) -> OwnedDescriptor {
    let number = Glibc.open(path, flags | O_CLOEXEC, permissions)
    guard number >= 0 else { throw .last(call: "open", subject: path) }
    return OwnedDescriptor(owning: number)
  }

  /// A counter that a thread adds to and a loop waits on: non-blocking, closed on exec.
  public static func event() throws(SystemError) -> OwnedDescriptor {
    let number = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    guard number >= 0 else { throw .last(call: "eventfd") }
    return OwnedDescriptor(owning: number)
  }

  /// A timer on `CLOCK_MONOTONIC`: non-blocking, closed on exec.
  public static func timer() throws(SystemError) -> OwnedDescriptor {
    let number = timerfd_create(CLOCK_MONOTONIC, Int32(TFD_CLOEXEC | TFD_NONBLOCK))
    guard number >= 0 else { throw .last(call: "timerfd_create") }
    return OwnedDescriptor(owning: number)
  }
}
