public import LinuxSystem

/// A vertical blank: the moment at which a display begins to show the next frame.
public struct VBlank: Hashable, BitwiseCopyable, Sendable {
  /// When it happened, by the source's own stamp, never the time at which the event was read.
  public var timestamp: MonotonicTime
  /// Counts refresh intervals of the source, those that nobody asked for included.
  public var sequence: UInt64

  public init(timestamp: MonotonicTime, sequence: UInt64) {
    self.timestamp = timestamp
    self.sequence = sequence
  }
}
