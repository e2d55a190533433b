import LinuxSystem
import TestLength
import Testing

@testable import Wayland

@Suite struct WindowConfigurationTests {
  private typealias Extent = WindowConfiguration.Extent

  @Test func theCompositorMayLeaveTheChoice() {
    var window = WindowConfiguration(width: 300, height: 200)
    window.propose(width: 0, height: 0, states: [])
    let changes = window.take(serial: 7)
    #expect(changes == .first && window.extent == Extent(width: 300, height: 200))
    let answer = window.takeAnswer()
    let again = window.takeAnswer()
    #expect(answer == 7 && again == nil)
  }

  @Test func itsOwnSizeComesBackAfterTheFullScreen() {
    var window = WindowConfiguration(width: 300, height: 200)
    window.propose(width: 0, height: 0, states: [])
    _ = window.take(serial: 1)
    window.propose(width: 500, height: 400, states: .activated)
    var changes = window.take(serial: 2)
    #expect(changes == .resized && window.states == .activated)
    window.propose(width: 1920, height: 1080, states: .fullScreen)
    changes = window.take(serial: 3)
    #expect(changes == .resized && window.states == .fullScreen)
    window.propose(width: 0, height: 0, states: [])
    changes = window.take(serial: 4)
    #expect(changes == .resized && window.states == [] && window.extent == Extent(width: 500, height: 400))
  }

  @Test func theNewestProposalIsAnswered() {
    var window = WindowConfiguration(width: 300, height: 200)
    for serial in 1...5 as ClosedRange<UInt32> {
      window.propose(width: 100 * Int(serial), height: 100, states: [])
      _ = window.take(serial: serial)
    }
    let answer = window.takeAnswer()
    #expect(answer == 5 && window.extent.width == 500)
  }

  @Test func halvesOfPixelsAreRoundedUp() {
    var window = WindowConfiguration(width: 1, height: 333)
    let changes = window.rescale(180)
    #expect(changes == .resized && window.pixels == (2, 500))
    _ = window.rescale(150)
    #expect(window.pixels == (1, 416))
    let none = window.rescale(150)
    #expect(none == [])
  }

  /// Sizes and scales of any kind, those that mean nothing included, give a size that a bitmap can have.
  @Test func anySize() {
    var random = SplitMix64(seed: UInt64(runSeed))
    for _ in 0..<(isLongRun ? 1_000_000 : 20_000) {
      var window = WindowConfiguration(
        width: Int(Int32.random(in: .min ... .max, using: &random)), height: Int.random(in: -3...3, using: &random))
      window.propose(
        width: Int(Int32.random(in: .min ... .max, using: &random)), height: Int.random(in: -9...40_000, using: &random),
        states: [])
      _ = window.take(serial: 1)
      _ = window.rescale(Int(Int32.random(in: .min ... .max, using: &random)) >> Int.random(in: 0...31, using: &random))
      let (width, height) = window.pixels
      #expect((1...32_767).contains(width) && (1...32_767).contains(height), "FRAMEPACE_SEED=\(runSeed)")
    }
  }
}
