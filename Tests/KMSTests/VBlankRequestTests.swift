import Glibc
import Testing

@testable import KMS

@Suite struct VBlankRequestTests {
  @Test func oneEventForARequest() {
    var request = VBlankRequest()
    #expect(request.want() == .queue(1))
    #expect(request.want() == .none)
    #expect(request.receive(1) == true)
    #expect(request.receive(1) == false)
    #expect(request.want() == .queue(2))
    // Left over from before.
    #expect(request.receive(1) == false)
    #expect(request.receive(2) == true)
  }

  @Test func aRequestWaitsForTheFirstModeSet() {
    var request = VBlankRequest()
    #expect(request.want() == .queue(1))
    #expect(request.fail(errno: EINVAL) == .none)
    #expect(request.want() == .none)
    #expect(request.crtcDidTurnOn() == .queue(2))
    #expect(request.crtcDidTurnOn() == .none)
    #expect(request.receive(2) == true)
  }

  @Test func aCRTCThatGoesOffLaterIsALoss() {
    var request = VBlankRequest()
    #expect(request.crtcDidTurnOn() == .none)
    #expect(request.want() == .queue(1))
    #expect(request.fail(errno: EINVAL) == .report)
    #expect(request.fail(errno: EINVAL) == .none)
    #expect(request.want() == .none)
    #expect(request.crtcDidTurnOn() == .none)
  }

  @Test(arguments: [ENODEV, EBADF, ENOMEM]) func otherFailuresAreLosses(errno: Int32) {
    var request = VBlankRequest()
    #expect(request.want() == .queue(1))
    #expect(request.fail(errno: errno) == .report)
    #expect(request.want() == .none)
    #expect(request.receive(1) == false)
  }

  @Test func aLostEventIsAskedForUnderAnotherToken() {
    var request = VBlankRequest()
    #expect(request.askAgain() == .none)
    #expect(request.want() == .queue(1))
    #expect(request.askAgain() == .queue(2))
    #expect(request.receive(1) == false)
    #expect(request.receive(2) == true)
    #expect(request.isQueued == false)
    #expect(request.askAgain() == .none)
  }

  @Test func nothingAfterInvalidate() {
    var request = VBlankRequest()
    #expect(request.want() == .queue(1))
    request.invalidate()
    #expect(request.receive(1) == false)
    #expect(request.want() == .none)
  }
}
