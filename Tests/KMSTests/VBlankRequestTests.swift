import Glibc
import Testing

@testable import KMS

@Suite struct VBlankRequestTests {
  @Test func oneEventForARequest() {
    var request = VBlankRequest()
    expectEqual(request.want(), .queue(1))
    expectEqual(request.want(), .none)
    expectEqual(request.receive(1), true)
    expectEqual(request.receive(1), false)
    expectEqual(request.want(), .queue(2))
    // Left over from before.
    expectEqual(request.receive(1), false)
    expectEqual(request.receive(2), true)
  }

  /// Another source takes over the events: that of the one before is none of its own.
  @Test func anEventOfTheSourceBefore() {
    var old = VBlankRequest()
    expectEqual(old.want(), .queue(1))
    var new = VBlankRequest(after: old.lastToken)
    expectEqual(new.want(), .queue(2))
    expectEqual(new.receive(1), false)
    expectEqual(new.receive(2), true)
  }

  @Test func aRequestWaitsForTheFirstModeSet() {
    var request = VBlankRequest()
    expectEqual(request.want(), .queue(1))
    expectEqual(request.fail(errno: EINVAL), .none)
    expectEqual(request.want(), .none)
    expectEqual(request.crtcDidTurnOn(), .queue(2))
    expectEqual(request.crtcDidTurnOn(), .none)
    expectEqual(request.receive(2), true)
  }

  @Test func aCRTCThatGoesOffLaterIsALoss() {
    var request = VBlankRequest()
    expectEqual(request.crtcDidTurnOn(), .none)
    expectEqual(request.want(), .queue(1))
    expectEqual(request.fail(errno: EINVAL), .report)
    expectEqual(request.fail(errno: EINVAL), .none)
    expectEqual(request.want(), .none)
    expectEqual(request.crtcDidTurnOn(), .none)
  }

  @Test(arguments: [ENODEV, EBADF, ENOMEM]) func otherFailuresAreLosses(errno: Int32) {
    var request = VBlankRequest()
    expectEqual(request.want(), .queue(1))
    expectEqual(request.fail(errno: errno), .report)
    expectEqual(request.want(), .none)
    expectEqual(request.receive(1), false)
  }

  @Test func aLostEventIsAskedForUnderAnotherToken() {
    var request = VBlankRequest()
    expectEqual(request.askAgain(), .none)
    expectEqual(request.want(), .queue(1))
    expectEqual(request.askAgain(), .queue(2))
    expectEqual(request.receive(1), false)
    expectEqual(request.receive(2), true)
    expectEqual(request.isQueued, false)
    expectEqual(request.askAgain(), .none)
  }

  @Test func nothingAfterInvalidate() {
    var request = VBlankRequest()
    expectEqual(request.want(), .queue(1))
    request.invalidate()
    expectEqual(request.receive(1), false)
    expectEqual(request.want(), .none)
  }
}

/// For calls that change what they are made on, which `#expect` does not take.
private func expectEqual<Value: Equatable>(_ value: Value, _ expected: Value, at location: SourceLocation = #_sourceLocation)
{
  #expect(value == expected, sourceLocation: location)
}
