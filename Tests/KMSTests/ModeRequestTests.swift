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

  /// The nearest rate within half a hertz; interlaced modes by name only.
  @Test(
    arguments: [
      (60, false, "60.00"), (59.94, false, "59.94"), (59.9, false, "59.94"), (50, false, "50.00"), (60.4, false, "60.00"),
      (60.6, false, nil), (49.6, false, "50.00"), (49.4, false, nil), (75, false, nil), (60, true, "60.00i"),
    ] as [(Double, Bool, String?)])
  func rate(wanted: Double, isInterlaced: Bool, expected: String?) {
    #expect(choice(wanted, interlaced: isInterlaced) == expected.map { "1920x1080@\($0)" })
    #expect(choice(60, among: [Self.fifty, Self.ntsc]) == "1920x1080@59.94")
    #expect(choice(nil, among: [Self.interlaced]) == nil)
  }

  @Test func withoutARateThePreferredThenTheFastestThenTheFirst() {
    #expect(choice(nil) == "1920x1080@60.00")
    let preferred = DisplayMode.mode(1920, 1080, clock: 148_500, total: (2640, 1125), isPreferred: true)
    #expect(choice(nil, among: Self.modes + [preferred]) == "1920x1080@50.00")
    let twin = DisplayMode.mode(1920, 1080, clock: 148_500, total: (2200, 1125), vscan: 1)
    #expect(ModeRequest(width: 1920, height: 1080).choice(among: [Self.sixty, twin])?.info.vscan == 0)
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
