import CDRM
import FrameTiming
import Testing

@testable import KMS

@Suite struct DisplayModeTests {
  /// Timings of CEA-861 and VESA DMT, and what they come to.
  @Test(arguments: [
    (148_500, 2200, 1125, 0 as Int32, 0, 60, 1),  // 1080p60
    (148_352, 2200, 1125, 0, 0, 148_352_000, 2_475_000),  // 1080p59.94 as the kernel rounds its clock
    (74_250, 2750, 1125, 0, 0, 24, 1),  // 1080p24
    (74_250, 2200, 1125, DRM_MODE_FLAG_INTERLACE, 0, 60, 1),  // 1080i: fields
    (27_000, 1716, 262, DRM_MODE_FLAG_DBLSCAN, 0, 27_000_000, 899_184),
    (65_000, 1344, 806, 0, 0, 65_000_000, 1_083_264),  // 1024x768 of vkms: 60.0038 Hz
    (60_000, 1000, 500, 0, 2, 60, 1),
    (60_000, 1000, 1000, 0, 1, 60, 1),  // A vscan of 1 scans each row once, as one of 0 does
  ])
  func rate(clock: Int, width: Int, height: Int, flags: Int32, vscan: Int, numerator: Int, denominator: Int) throws {
    let mode = DisplayMode.mode(640, 480, clock: UInt32(clock), total: (width, height), flags: flags, vscan: vscan)
    let rate = try #require(mode.refreshRate)
    #expect(rate.numerator * Int64(denominator) == Int64(numerator) * rate.denominator)
    #expect(gcd(rate.numerator, rate.denominator) == 1)
  }

  @Test func wildTimingHasNoRate() {
    #expect(DisplayMode.mode(640, 480, clock: 0).refreshRate == nil)
    #expect(DisplayMode.mode(640, 480, total: (0, 525)).refreshRate == nil)
    #expect(DisplayMode.mode(640, 480, total: (800, 0)).refreshRate == nil)
    #expect(DisplayMode.mode(640, 480, clock: .max, total: (1, 1)).refreshRate == nil)
    #expect(DisplayMode.mode(640, 480, clock: 1, total: (65_535, 65_535), vscan: 65_535).refreshRate == nil)
  }

  @Test func description() {
    #expect("\(DisplayMode.mode(1920, 1080, clock: 148_352, total: (2200, 1125)))" == "1920x1080@59.94")
    let interlaced = DisplayMode.mode(1920, 1080, clock: 74_250, total: (2200, 1125), flags: DRM_MODE_FLAG_INTERLACE)
    #expect("\(interlaced)" == "1920x1080@60.00i")
  }

  private func choice(_ modes: [DisplayMode], _ maximum: (Int, Int) = (8192, 8192)) -> DisplayMode? {
    DisplayMode.choices(among: modes, maximumWidth: maximum.0, maximumHeight: maximum.1).first
  }

  /// The largest, then those that are not interlaced, then the fastest, then the first.
  @Test func withoutPreference() {
    func mode(_ clock: UInt32, _ total: Int, flags: Int32 = 0, vscan: Int = 0) -> DisplayMode {
      .mode(1920, 1080, clock: clock, total: (total, 1125), flags: flags, vscan: vscan)
    }
    let (slow, fast, twin) = (mode(74_250, 2200), mode(148_500, 2200), mode(148_500, 2200, vscan: 1))
    let interlaced = mode(74_250, 2200, flags: DRM_MODE_FLAG_INTERLACE)
    #expect(choice([.mode(800, 600), slow, fast, .mode(1280, 720)]) == fast)
    #expect(choice([fast, slow]) == fast)
    #expect(choice([fast, twin]) == fast)
    #expect(choice([interlaced, mode(74_250, 2640)])?.isInterlaced == false)
    #expect(choice([interlaced, .mode(1280, 720)]) == interlaced)
  }

  @Test func lesserModesFollowTheBest() {
    let modes: [DisplayMode] = [.mode(640, 480), .mode(1920, 1080), .mode(1024, 768, isPreferred: true), .mode(1280, 720)]
    let choices = DisplayMode.choices(among: modes, maximumWidth: 8192, maximumHeight: 8192)
    #expect(choices.map(\.width) == [1024, 1920, 1280, 640], "the preferred one first")
  }

  @Test func unusableModesDoNotCount() {
    #expect(choice([]) == nil)
    #expect(choice([.mode(0, 480, isPreferred: true), .mode(640, 480, clock: 0, isPreferred: true)]) == nil)
    #expect(choice([.mode(4096, 2160, isPreferred: true), .mode(640, 480)], (2048, 2048))?.width == 640)
    #expect(choice([.mode(2048, 1200), .mode(640, 480)], (2048, 1080))?.width == 640)
    #expect(choice([.mode(2048, 1080)], (2048, 1080)) != nil)
  }

  private func gcd(_ first: Int64, _ second: Int64) -> Int64 { second == 0 ? first : gcd(second, first % second) }
}
