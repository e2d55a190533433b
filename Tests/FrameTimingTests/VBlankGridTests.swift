import LinuxSystem
import RunLoops
import Testing

@testable import FrameTiming

@Suite struct VBlankGridTests {
  private let rate = RefreshRate.hertz60
  private let grid = VBlankGrid(origin: VBlank(timestamp: .zero + .seconds(100), sequence: 700), frameNumber: 30)

  private func point(_ k: Int64) -> MonotonicTime { grid.origin.timestamp + rate.offset(ofInterval: k) }

  @Test func theNextVBlankIsLaterThanTheTime() {
    for k: Int64 in -40...200 {
      #expect(grid.vblank(after: point(k), rate: rate) == point(k + 1))
      #expect(grid.vblank(after: point(k) - 1, rate: rate) == point(k))
      #expect(grid.vblank(after: point(k + 1) - 1, rate: rate) == point(k + 1))
    }
  }

  @Test func intervalsAreNumberedFromTheirVBlankOn() {
    for k: Int64 in -40...200 {
      let number = UInt64(max(30 + k, 0))
      #expect(grid.frameNumber(at: point(k), rate: rate) == number)
      #expect(grid.frameNumber(at: point(k + 1) - 1, rate: rate) == number)
    }
  }

  @Test func fiftyIntervalsAreReached() {
    #expect(grid.reaches(point(-1000), rate: rate))
    #expect(grid.reaches(point(50), rate: rate))
    #expect(!grid.reaches(point(50) + 1, rate: rate))
  }
}
