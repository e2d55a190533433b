import CLinux
import Glibc

/// A file descriptor that is closed with its owner.
public struct OwnedDescriptor: ~Copyable, Sendable {
  /// The number of the descriptor; valid while this value lives.
  public let number: Int32

  /// Takes over `number`, which must be open and must have no other owner.
  public init(owning number: Int32) {
    self.number = number
  }

  deinit {
    close(number)
  }

  /// Opens `path` with `O_CLOEXEC` and `flags`.
  public static func open(_ path: String, flags: Int32, permissions: UInt32 = 0o644) throws(SystemError) -> OwnedDescriptor {
    let number = Glibc.open(path, flags | O_CLOEXEC, permissions)
    guard number >= 0 else { throw .last(call: "open", subject: path) }
    return OwnedDescriptor(owning: number)
  }

  /// Makes an eventfd, a counter that a thread increments and a loop waits for: non-blocking, closed on exec.
  public static func event() throws(SystemError) -> OwnedDescriptor {
    let number = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    guard number >= 0 else { throw .last(call: "eventfd") }
    return OwnedDescriptor(owning: number)
  }

  /// Makes a timer on `CLOCK_MONOTONIC`: non-blocking, closed on exec.
  public static func timer() throws(SystemError) -> OwnedDescriptor {
    let number = timerfd_create(CLOCK_MONOTONIC, Int32(TFD_CLOEXEC | TFD_NONBLOCK))
    guard number >= 0 else { throw .last(call: "timerfd_create") }
    return OwnedDescriptor(owning: number)
  }
}
