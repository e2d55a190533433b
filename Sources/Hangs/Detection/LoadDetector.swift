public import LinuxSystem

/// Finds a loop's thread that keeps a processor busy for long: a value, which is told the thread's processor time now and then.
///
/// Time is cut into pieces of a twelfth of `time`. When the thread used at least `share` of each of twelve pieces in a row, that
/// is a load; then it begins anew.
public struct LoadDetector: Sendable {
  /// The least share and time of a load.
  public struct Limits: Hashable, Sendable {
    /// The share of one processor, from 0 to 1.
    public var share: Double
    /// For how long.
    public var time: Nanoseconds

    public init(share: Double = 0.8, time: Nanoseconds = .seconds(60)) {
      self.share = share
      self.time = max(time, .milliseconds(12))
    }
  }

  /// A time of load.
  public struct Load: Hashable, Sendable {
    public var start: MonotonicTime
    public var duration: Nanoseconds
    /// The share of one processor in all of it.
    public var processorShare: Double
  }

  private struct Mark: Sendable {
    var time: MonotonicTime
    var processorTime: Nanoseconds
  }

  public let limits: Limits
  /// The beginning of the pieces in a row that were busy, and that of the piece that lasts.
  private var row: Mark?
  private var piece: Mark?

  public init(limits: Limits = Limits()) {
    self.limits = limits
  }

  /// True after a busy piece: samples of the stack are wanted.
  public var isSuspicious: Bool { row != nil }

  /// - Returns: a load that has been found at this look.
  public mutating func look(now: MonotonicTime, processorTime: Nanoseconds) -> Load? {
    let here = Mark(time: now, processorTime: processorTime)
    guard let piece else {
      piece = here
      return nil
    }
    guard now - piece.time >= limits.time / 12 else { return nil }
    self.piece = here
    guard Self.share(from: piece, to: here) >= limits.share else {
      row = nil
      return nil
    }
    let start = row ?? piece
    row = start
    guard now - start.time >= limits.time else { return nil }
    row = nil
    return Load(start: start.time, duration: now - start.time, processorShare: Self.share(from: start, to: here))
  }

  private static func share(from: Mark, to: Mark) -> Double {
    Double((to.processorTime - from.processorTime).count) / Double((to.time - from.time).count)
  }
}
