import LinuxSystem
import RunLoops
import TestLength
import Testing

@testable import Downloads

@Suite struct RetryPolicyTests {
  private static let address = {
    do { return try WebAddress("http://example.org/a") } catch { fatalError("\(error)") }
  }()

  /// Transient errors, without and with a pause that is asked for.
  private func error(_ random: inout SplitMix64) -> TransferError {
    switch Int.random(in: 0..<5, using: &random) {
    case 0: .connectionLost(Self.address, reason: "")
    case 1: .timedOut(Self.address, .receiving, limit: .seconds(1))
    case 2: .status(Self.address, 503, retryAfter: nil)
    case 3: .status(Self.address, 429, retryAfter: Int64.random(in: 0...40, using: &random))
    default: .cannotConnect(Self.address, reason: "")
    }
  }

  /// The machine on manual time, against the formula with the same random numbers.
  @Test func pausesAreThoseOfTheFormula() {
    for round in 0..<2_000 {
      let seed = UInt64(runSeed) << 20 | UInt64(round)
      var random = SplitMix64(seed: seed)
      var policy = RetryPolicy()
      policy.attempts = Int.random(in: 0...80, using: &random)
      policy.firstPause = Nanoseconds(Int64.random(in: 0...2_000_000_000, using: &random))
      policy.longestPause = Nanoseconds(Int64.random(in: 0...100_000_000_000, using: &random))
      policy.longestRetryAfter = .seconds(Double(Int.random(in: 0...60, using: &random)))
      let clock = ManualClock()
      var expectedTime = 0.0
      var machine = RetryMachine(policy: policy)
      var (generator, same) = (SplitMix64(seed: seed &+ 1), SplitMix64(seed: seed &+ 1))
      var attempts = 1
      while true {
        let error = error(&random)
        var asked = 0.0
        if case .status(_, _, let seconds?) = error { asked = Double(seconds) }
        guard case .retry(let pause) = machine.failed(error, using: &generator) else {
          let mayGoOn = attempts < policy.attempts && asked <= policy.longestRetryAfter.seconds
          #expect(!mayGoOn, "seed \(seed)")
          break
        }
        attempts += 1
        clock.advance(by: pause)
        // b = min(longest, first · 2ⁿ⁻²), in seconds; the exponent has no bound here.
        var bound = policy.firstPause.seconds
        for _ in 0..<(attempts - 2) where bound < 1e6 { bound *= 2 }
        bound = min(bound, policy.longestPause.seconds)
        let nanoseconds = Int64((bound * 1e9).rounded())
        let r = Int64.random(in: 0...(nanoseconds - nanoseconds / 2), using: &same)
        expectedTime += max(Double(nanoseconds / 2 + r) / 1e9, asked)
        #expect(abs(clock.now.seconds - expectedTime) < 1e-6 * Double(attempts), "seed \(seed)")
        #expect(machine.attempt == attempts, "seed \(seed)")
      }
      #expect(attempts <= max(policy.attempts, 1), "seed \(seed)")
    }
  }

  @Test func onlyTransientErrorsAreTriedAgain() {
    let address = Self.address
    let lasting: [TransferError] = [
      .invalidAddress("x", reason: ""), .invalidField("x"), .tooManyRedirects(address, limit: 1),
      .forbiddenRedirect(address, reason: ""),
      .status(address, 404, retryAfter: nil), .status(address, 200, retryAfter: nil),
      .unexpectedType(address, "", accepted: []),
      .tooLarge(address, limit: 1), .malformed(address, reason: ""), .insecure(address, reason: ""),
      .failed(address, reason: ""),
      .noMemory, .cancelled, .status(address, 600, retryAfter: nil),
    ]
    var random = SplitMix64(seed: 1)
    for error in lasting {
      var machine = RetryMachine(policy: RetryPolicy())
      #expect(machine.failed(error, using: &random) == .giveUp, "\(error)")
    }
    for status in [408, 429, 500, 502, 503, 504, 599] {
      var machine = RetryMachine(policy: RetryPolicy())
      #expect(machine.failed(.status(address, status, retryAfter: nil), using: &random) != .giveUp, "\(status)")
    }
    var never = RetryMachine(policy: .never)
    #expect(never.failed(.connectionLost(address, reason: ""), using: &random) == .giveUp)
  }

  @Test func extremeValuesDoNotTrap() {
    var policy = RetryPolicy()
    (policy.attempts, policy.firstPause, policy.longestPause) = (.max, Nanoseconds(.max), Nanoseconds(.max))
    policy.longestRetryAfter = Nanoseconds(.max)
    var (machine, random) = (RetryMachine(policy: policy), SplitMix64(seed: 2))
    for _ in 0..<200 { _ = machine.failed(.status(Self.address, 503, retryAfter: .max), using: &random) }
    (policy.firstPause, policy.longestPause) = (Nanoseconds(-5), Nanoseconds(.min))
    machine = RetryMachine(policy: policy)
    #expect(machine.failed(.connectionLost(Self.address, reason: ""), using: &random) == .retry(after: .zero))
  }
}
