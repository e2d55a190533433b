public import LinuxSystem

/// How many durations are at most as long as each of some bounds: a histogram as Prometheus has it.
public struct DurationBuckets: Equatable, Sendable {
  /// The longest duration of each bucket, rising. One bucket more has all durations.
  public let bounds: [Nanoseconds]
  /// For each bound, how many durations are at most as long, to 1/512 of the bound. They do not fall from one to the next.
  public let counts: [Int]
  /// How many durations there are.
  public let count: Int
  /// Their sum, exact.
  public let sum: Nanoseconds

  /// Bounds for the time from frame to frame at 24 to 240 Hz, up to a second. They lie between the intervals of the common rates, and
  /// between those in which a frame is left out, so that the frames of a steady display fall into one bucket.
  public static let frameIntervalBounds: [Nanoseconds] = [
    3, 5, 6.5, 7.5, 9.5, 11.6, 15, 18, 23, 29.5, 37.5, 45, 60, 75, 110, 150, 250, 500, 1000,
  ].map { .seconds($0 / 1000) }

  /// Bounds for the work of a frame: the refresh intervals of the common rates from 24 to 240 Hz, which are budgets, with a few shorter and
  /// longer ones. The bucket of a rate has the frames whose work fits it.
  public static let workBounds: [Nanoseconds] =
    [0.0005, 0.001, 0.002, 0.003].map(Nanoseconds.seconds)
    + [240, 165, 144, 120, 90, 75, 60, 50, 30, 24].map { .seconds(1 / $0) }
    + [0.1, 0.25, 1].map(Nanoseconds.seconds)

  /// Bounds for the time from input to vblank: closer where people begin to feel it, up to a second.
  public static let inputLatencyBounds: [Nanoseconds] = [
    5, 10, 15, 20, 25, 30, 40, 50, 60, 80, 100, 150, 200, 300, 500, 1000,
  ].map { .milliseconds($0) }
}
