import LinuxSystem
import Testing

@testable import Presentation

@Suite struct PlausibleFeedbackTests {
  /// A frame that was handed over at 100 ms, of which a display of 60 Hz tells at 120 ms. A stamp that cannot be true is not told.
  @Test(
    arguments: [
      (110, true), (92, true), (91, false), (128, true), (129, false), (-5_000, false), (1 << 40, false),
    ] as [(Int64, Bool)])
  func aStampIsTakenIfItCanBeTrue(stamp: Int64, isTold: Bool) {
    func time(_ milliseconds: Int64) -> MonotonicTime { .zero + .milliseconds(1) * milliseconds }
    let feedback = PresentationFeedback(timestamp: time(stamp), sequence: 7)
    let found = feedback.plausible(at: time(120), submitted: time(100), interval: .microseconds(16_667))
    #expect(found == (isTold ? feedback : PresentationFeedback(timestamp: time(120), sequence: 7, isKnown: false)))
  }
}
