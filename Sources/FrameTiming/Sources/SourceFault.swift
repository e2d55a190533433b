public import LinuxSystem

/// What is wrong with what a source tells, as far as its ticker can see it. The ticker goes on all the same.
public enum SourceFault: Hashable, Sendable {
  /// Stamps are so far ahead of the loop's clock, as they are in a time namespace: the arrival of a vblank counts as its stamp.
  case stampsAhead(Nanoseconds)
  /// Requests are answered at once by vblanks that were told before. They are repeated twice an interval at most.
  case oldVBlanks
}

extension SourceFault: CustomStringConvertible {
  public var description: String {
    switch self {
    case .stampsAhead(let distance):
      let seconds = (distance.seconds * 10).rounded() / 10
      return "its stamps are \(seconds) s ahead of the clock, so that the time of arrival is taken"
    case .oldVBlanks: return "it answers requests with vblanks that were before"
    }
  }
}
