public import LinuxSystem

/// How often and when a transfer is tried again.
///
/// Before attempt n the pause is b/2 + r, with b = min(`longestPause`, `firstPause` · 2ⁿ⁻²) and r at random from 0 to b/2: "equal
/// jitter" (Brooker, Exponential Backoff And Jitter, AWS Architecture Blog, 2015). A server that names a pause in `Retry-After` is
/// given at least that.
public struct RetryPolicy: Hashable, Sendable {
  /// The most attempts in all; 1 or less for no second one.
  public var attempts = 4
  public var firstPause = Nanoseconds.milliseconds(250)
  public var longestPause = Nanoseconds.seconds(30)
  /// A server that asks for a longer pause has refused the request.
  public var longestRetryAfter = Nanoseconds.seconds(120)

  public init() {}

  public static var never: RetryPolicy {
    var policy = RetryPolicy()
    policy.attempts = 1
    return policy
  }

  /// The upper bound of the pause before an attempt, from 2 on.
  func bound(beforeAttempt attempt: Int) -> Nanoseconds {
    let (longest, first) = (max(longestPause, .zero), max(firstPause, .zero))
    let doublings = min(max(attempt - 2, 0), 62)
    return min(longest, first * (Int64(1) << Int64(doublings)))
  }
}

/// The attempts of one transfer.
struct RetryMachine: Hashable, Sendable {
  enum Decision: Hashable, Sendable {
    case retry(after: Nanoseconds)
    case giveUp
  }

  let policy: RetryPolicy
  /// The number of the attempt that is under way, from 1.
  private(set) var attempt = 1

  init(policy: RetryPolicy) { self.policy = policy }

  /// The decision after an attempt has failed. A retry counts as begun.
  mutating func failed(_ error: TransferError, using generator: inout some RandomNumberGenerator) -> Decision {
    guard error.isTransient, attempt < policy.attempts else { return .giveUp }
    var asked = Nanoseconds.zero
    if case .status(_, _, let seconds?) = error {
      asked = Nanoseconds.seconds(1) * max(seconds, 0)
      if asked > policy.longestRetryAfter { return .giveUp }
    }
    attempt += 1
    let bound = policy.bound(beforeAttempt: attempt)
    let half = bound / 2
    let pause = half + Nanoseconds(Int64.random(in: 0...(bound - half).count, using: &generator))
    return .retry(after: max(pause, asked))
  }
}
