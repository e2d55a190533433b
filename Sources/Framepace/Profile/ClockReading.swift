import Glibc
package import LinuxSystem

/// The clock on the wall and a loop's clock at one moment: tells when on which day something was.
package struct ClockReading: Equatable, Sendable {
  /// The time since 1970, in UTC.
  package var wall: Nanoseconds
  package var loop: MonotonicTime

  package init(wall: Nanoseconds, loop: MonotonicTime) {
    (self.wall, self.loop) = (wall, loop)
  }

  package static func now(loop clock: SystemClock) -> ClockReading {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    return ClockReading(
      wall: Nanoseconds(Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)), loop: clock.now)
  }
}
