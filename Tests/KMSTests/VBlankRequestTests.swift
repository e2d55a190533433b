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

@Suite struct SavedScreenTests {
  private func screen(framebuffer: UInt32 = 70, isOn: Bool = true, connectors: [UInt32] = [36]) -> SavedScreen {
    SavedScreen(
      crtc: 35, framebuffer: framebuffer, x: 0, y: 0, mode: isOn ? DisplayMode.mode(640, 480) : nil,
      connectors: connectors)
  }

  /// A mode without a picture, or one that no connector shows, cannot be set again: off is what is nearest to it.
  @Test func whatCanBeBroughtBack() {
    #expect(screen().hasPicture)
    #expect(!screen(framebuffer: 0).hasPicture)
    #expect(!screen(isOn: false).hasPicture)
    #expect(!screen(connectors: []).hasPicture)
  }

  @Test func aFailureNamesCallAndCRTC() {
    #expect {
      try screen().restore(on: LibDRM(path: "/dev/null"))
    } throws: { error in
      "\(error)" == "drmModeSetCrtc CRTC 35: Inappropriate ioctl for device (25)"
    }
  }
}

/// For calls that change what they are made on, which `#expect` does not take.
private func expectEqual<Value: Equatable>(_ value: Value, _ expected: Value, at location: SourceLocation = #_sourceLocation)
{
  #expect(value == expected, sourceLocation: location)
}
