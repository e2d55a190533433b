import LinuxSystem
import XCTest

@testable import Wayland

/// Frames that are held back after the compositor's picture.
final class PictureTimingTests: XCTestCase {
  private let interval = Nanoseconds.milliseconds(16)

  /// Vblanks are at multiples of 16 ms.
  private func time(_ milliseconds: Int64) -> MonotonicTime { .zero + .milliseconds(milliseconds) }

  /// Tells whether a frame may be drawn 3 ms before a vblank, in the turn of a callback.
  private func mayDraw(_ timing: PictureTiming, next isKnown: Bool = true) -> Bool {
    var timing = timing
    timing.callback(at: time(157), next: isKnown ? time(160) : nil, interval: interval)
    XCTAssertTrue(timing.mayDraw(at: time(160)))
    return timing.mayDraw(at: time(157))
  }

  private func timing(afterCommitAt commit: Int64, seenAt seen: Int64) -> PictureTiming {
    var timing = PictureTiming()
    timing.committed(7, at: time(commit), next: time(16), interval: interval)
    timing.seen(7, at: time(seen), interval: interval)
    return timing
  }

  func testAFrameIsHeldBackAfterOneThatMissed() {
    XCTAssertTrue(mayDraw(PictureTiming()))
    XCTAssertTrue(mayDraw(timing(afterCommitAt: 13, seenAt: 16)))
    XCTAssertFalse(mayDraw(timing(afterCommitAt: 13, seenAt: 32)))
    // A frame that is committed in the first half has missed for another reason.
    XCTAssertTrue(mayDraw(timing(afterCommitAt: 3, seenAt: 32)))
    XCTAssertTrue(mayDraw(timing(afterCommitAt: 13, seenAt: 32), next: false))
  }

  func testACallbackInTheFirstHalfHoldsNothingBack() {
    var timing = timing(afterCommitAt: 13, seenAt: 32)
    timing.callback(at: time(33), next: time(48), interval: interval)
    XCTAssertTrue(timing.mayDraw(at: time(33)))
  }

  func testAnotherSizeIsDrawnAtOnce() {
    var timing = timing(afterCommitAt: 13, seenAt: 32)
    timing.callback(at: time(45), next: time(48), interval: interval)
    XCTAssertFalse(timing.mayDraw(at: time(45)))
    timing.resized()
    XCTAssertTrue(timing.mayDraw(at: time(45)))
  }

  /// The answer about a frame may be lost, and a new connection counts from 1 again.
  func testALostAnswerIsNotAwaitedForEver() {
    for serial in [UInt64(12), 1] {
      var timing = PictureTiming()
      timing.committed(7, at: time(13), next: time(16), interval: interval)
      timing.committed(8, at: time(29), next: time(32), interval: interval)
      timing.seen(8, at: time(48), interval: interval)
      XCTAssertTrue(mayDraw(timing))
      timing.committed(serial, at: time(45), next: time(48), interval: interval)
      timing.seen(serial, at: time(64), interval: interval)
      XCTAssertFalse(mayDraw(timing))
    }
  }
}
