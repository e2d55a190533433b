import CDRM
import FrameTiming
import Testing

@testable import KMS

struct ModeRequestTests {
  private static let ntsc = DisplayMode.mode(1920, 1080, clock: 148_352, total: (2200, 1125))
  private static let sixty = DisplayMode.mode(1920, 1080, clock: 148_500, total: (2200, 1125))
  private static let fifty = DisplayMode.mode(1920, 1080, clock: 148_500, total: (2640, 1125))
  private static let interlaced = DisplayMode.mode(
    1920, 1080, clock: 74_250, total: (2200, 1125), flags: DRM_MODE_FLAG_INTERLACE)
  private static let broken = DisplayMode.mode(1920, 1080, clock: 0)
  private static let modes: [DisplayMode] = [broken, ntsc, fifty, interlaced, sixty, .mode(1280, 720)]

  private func choice(_ rate: Double?, interlaced: Bool = false, among modes: [DisplayMode] = modes) -> String? {
    ModeRequest(width: 1920, height: 1080, rate: rate.flatMap { RefreshRate(hertz: $0) }, isInterlaced: interlaced)
      .choice(among: modes)?.description
  }

  @Test func theNearestRateIsTaken() {
    #expect(choice(60) == "1920x1080@60.00")
    #expect(choice(59.94) == "1920x1080@59.94")
    #expect(choice(59.9) == "1920x1080@59.94")
    #expect(choice(50) == "1920x1080@50.00")
    #expect(choice(60, among: [Self.fifty, Self.ntsc]) == "1920x1080@59.94")
  }

  @Test func noRateIsFurtherThanHalfAHertz() {
    #expect(choice(60.4) == "1920x1080@60.00")
    #expect(choice(60.6) == nil)
    #expect(choice(49.6) == "1920x1080@50.00")
    #expect(choice(49.4) == nil)
    #expect(choice(75) == nil)
  }

  @Test func withoutARateThePreferredThenTheFastestThenTheFirst() {
    #expect(choice(nil) == "1920x1080@60.00")
    let preferred = DisplayMode.mode(1920, 1080, clock: 148_500, total: (2640, 1125), isPreferred: true)
    #expect(choice(nil, among: Self.modes + [preferred]) == "1920x1080@50.00")
    let twin = DisplayMode.mode(1920, 1080, clock: 148_500, total: (2200, 1125), vscan: 1)
    #expect(ModeRequest(width: 1920, height: 1080).choice(among: [Self.sixty, twin])?.info.vscan == 0)
  }

  @Test func interlacedModesAreAskedForByName() {
    #expect(choice(60, interlaced: true) == "1920x1080@60.00i")
    #expect(choice(nil, among: [Self.interlaced]) == nil)
  }

  @Test func sizesMustBeExact() {
    #expect(ModeRequest(width: 1920, height: 1200).choice(among: Self.modes) == nil)
    #expect(ModeRequest(width: 1280, height: 1080).choice(among: Self.modes) == nil)
    #expect(ModeRequest(width: 1920, height: 1080).choice(among: [Self.broken]) == nil)
    #expect(ModeRequest(width: 1920, height: 1080).choice(among: []) == nil)
  }

  @Test func description() {
    #expect("\(ModeRequest(width: 1920, height: 1080))" == "1920x1080")
    #expect("\(ModeRequest(width: 1920, height: 1080, rate: .hertz60, isInterlaced: true))" == "1920x1080@60.00i")
  }
}
