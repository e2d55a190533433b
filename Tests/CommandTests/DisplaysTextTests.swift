import CDRM
import Foundation
import Framepace
import LinuxSystem
import Metering
import Testing
import Wayland

@testable import FramepaceCLI
@testable import KMS

/// The output of `framepace displays` for invented cards.
struct DisplaysTextTests {
  private static func mode(_ width: Int, _ height: Int, clock: UInt32, _ total: (Int, Int), preferred: Bool = false)
    -> DisplayMode
  {
    var info = drmModeModeInfo()
    info.clock = clock
    (info.hdisplay, info.vdisplay) = (UInt16(width), UInt16(height))
    (info.htotal, info.vtotal) = (UInt16(total.0), UInt16(total.1))
    info.type = preferred ? UInt32(DRM_MODE_TYPE_PREFERRED) : 0
    return DisplayMode(info)
  }

  private static let ntsc = mode(1920, 1080, clock: 148_352, (2200, 1125))
  private static let sixty = mode(1920, 1080, clock: 148_500, (2200, 1125), preferred: true)

  private static func card() -> CardReport {
    var report = CardReport(path: "/dev/dri/card0")
    report.driver = "i915"
    report.driverVersion = "1.6.0"
    report.abilities.vblankEvents = true
    report.abilities.sequenceEvents = true
    report.abilities.atomic = true
    report.abilities.cursorPlane = true
    report.crtcs = [CardReport.CRTC(id: 80, mode: sixty), CardReport.CRTC(id: 131, mode: nil)]
    report.planes = [
      CardReport.Plane(id: 31, kind: .primary, crtc: 80, formats: 12),
      CardReport.Plane(id: 71, kind: .cursor, crtc: nil, formats: 1),
      CardReport.Plane(id: 81, kind: .primary, crtc: nil, formats: 12),
    ]
    report.connectors = [
      CardReport.Connector(
        name: "HDMI-A-1", status: .connected, edid: EDID(Self.monitor), size: PhysicalSize(width: 376, height: 301),
        modes: [sixty, ntsc],
        currentMode: sixty, crtc: 80, takesVariableRate: false),
      CardReport.Connector(name: "DP-1", status: .disconnected, modes: []),
    ]
    return report
  }

  @Test func cardAt80Columns() {
    let text = DisplaysText.text([Self.card()], width: 79)
    #expect(
      text == """
        /dev/dri/card0 i915 1.6.0
          usable    HDMI-A-1, paced by vblanks
          can       vblank events, sequence events, atomic commits, cursor plane
          cannot    variable rate, asynchronous flips, asynchronous atomic flips,
                    damage clips, writeback, gamma table, colour matrix
          CRTCs     80 1920x1080@60.00, 131 off
          planes    2 primary, 1 cursor

          HDMI-A-1  connected, Dell E193FP (DEL), serial G656656FLESA, 376 x 301 mm,
                    fixed rate, now 1920x1080@60.00
            modes   1920x1080@60.00 preferred, 1920x1080@59.94

          DP-1      disconnected
        """, "\(text)")
  }

  /// The sentence names what paces frames; a connector with an unknown status counts if no other is connected.
  @Test func theSentenceNamesConnectorAndPace() {
    var card = Self.card()
    card.connectors[0].status = .unknown
    card.abilities.sequenceEvents = false
    #expect(
      DisplaysText.text([card], width: 200).contains(
        "usable    HDMI-A-1, paced by vblanks stamped to the microsecond: the kernel is older than 4.15"))
    card.abilities.vblankEvents = false
    #expect(DisplaysText.text([card], width: 200).contains("HDMI-A-1, paced by a clock at the mode's rate"))
  }

  /// Each reason says what to do, or which program has the card.
  @Test func whyACardCannotBeUsed() {
    var denied = CardReport(path: "/dev/dri/card1")
    denied.problem = .device(path: "/dev/dri/card1", SystemError(call: "open", subject: "/dev/dri/card1", errno: EACCES))
    #expect(
      DisplaysText.text([denied], width: 79) == """
        /dev/dri/card1
          unusable  permission denied on /dev/dri/card1: add the user to the group that
                    owns it (mostly video), then log in again
        """)
    var taken = Self.card()
    taken.problem = .notMaster(path: "/dev/dri/card0")
    taken.users = ["Xorg (812)", "plymouthd (99)"]
    let text = DisplaysText.text([taken], width: 200)
    #expect(text.contains("unusable  /dev/dri/card0 is in use by another program"), "\(text)")
    #expect(text.contains("it is open in Xorg (812), plymouthd (99)"), "\(text)")
    var dark = Self.card()
    dark.problem = .noConnector(path: "/dev/dri/card0", name: nil, available: ["DP-1 disconnected"])
    #expect(DisplaysText.text([dark], width: 200).contains("no connected connector on /dev/dri/card0 (DP-1 disconnected)"))
  }

  @Test func noCardsIsAnAnswer() throws {
    #expect(DisplaysText.text([], width: 200).contains("no DRM device"))
    let object = try #require(try JSONLines(DisplaysText.json([]).line).objects.first)
    #expect((object["cards"] as? [Any])?.isEmpty == true)
    #expect((object["reason"] as? String)?.contains("no DRM device") == true)
  }

  @Test(arguments: [40, 59, 79, 199])
  func linesFit(width: Int) {
    var card = Self.card()
    card.connectors[0].modes = Array(repeating: Self.ntsc, count: 40)
    for line in DisplaysText.text([card, Self.card()], width: width).split(separator: "\n") {
      #expect(line.count <= width, "\(line)")
    }
  }

  /// The modes of a screen that lacks the requested one.
  @Test func theDesktopStandsFirst() throws {
    var desktop = DesktopReport(socket: "/run/user/1000/wayland-1")
    desktop.screens = [
      DesktopScreen(name: "HEADLESS-1", width: 1280, height: 720, refreshRate: .hertz60, scale: 1),
      DesktopScreen(name: "", width: 640, height: 480, refreshRate: nil, scale: 2),
    ]
    #expect(
      DisplaysText.text([], desktop: desktop, width: 79) == """
        Wayland desktop /run/user/1000/wayland-1
          usable      a window: --display wayland or auto
          HEADLESS-1  1280x720@60.00, scale 1
          screen      640x480, scale 2

        no DRM device: the machine has no graphics card, or its driver is not loaded
        (no /dev/dri/card*)
        """)
    let silent = DesktopReport(socket: "wayland-1", problem: .noFolder(socket: "wayland-1"))
    let text = DisplaysText.text([], desktop: silent, width: 79)
    #expect(text.contains("  unusable  the desktop's socket 'wayland-1' is not found, as XDG_RUNTIME_DIR"), "\(text)")
    #expect(text.hasSuffix("Scenes run on a clock that stands in for a display."), "\(text)")

    let object = try #require(try JSONLines(DisplaysText.json([], desktop: desktop).line).objects.first)
    let told = try #require(object["desktop"] as? [String: Any])
    #expect(told["usable"] as? Bool == true && told["problem"] is NSNull)
    let screens = try #require(told["screens"] as? [[String: Any]])
    #expect(screens.map { $0["width"] as? Int } == [1280, 640] && screens[1]["refreshRate"] is NSNull)
    let help = try framepace("help", "displays").output
    for key in ["desktop"] + told.keys + screens[0].keys { #expect(help.contains(key), "\(key) is not in the help") }
  }

  @Test func manyModesStandInColumns() {
    let modes = ["1920x1080@60.00", "1920x1080@59.94", "720x576@50.00i", "640x480@60.00", "1920x1080@60.00"]
    #expect(
      Text.columns(modes, width: 40) == """
          1920x1080@60.00  1920x1080@59.94
           720x576@50.00i    640x480@60.00
        """)
    #expect(Text.columns(modes, width: 1).split(separator: "\n").count == 4)
    #expect(Text.columns([], width: 80) == "")
  }

  @Test func jsonHasEveryKeyThatTheHelpNames() throws {
    var denied = CardReport(path: "/dev/dri/card1")
    denied.problem = .noModeSetting(path: "/dev/dri/card1")
    let object = try #require(try JSONLines(DisplaysText.json([Self.card(), denied]).line).objects.first)
    #expect(object["reason"] is NSNull)
    let cards = try #require(object["cards"] as? [[String: Any]])
    #expect(cards.map { $0["usable"] as? Bool } == [true, false])
    #expect(cards[1]["driver"] is NSNull && cards[1]["abilities"] is NSNull)
    #expect(cards[1]["problem"] as? String == "/dev/dri/card1 drives no screen (no mode setting)")

    let abilities = try #require(cards[0]["abilities"] as? [String: Bool])
    #expect(abilities["vblankEvents"] == true && abilities["writeback"] == false && abilities.count == 11)
    let connector = try #require((cards[0]["connectors"] as? [[String: Any]])?.first)
    #expect(connector["monitor"] as? String == "Dell E193FP")
    #expect(connector["widthMillimeters"] as? Int == 376)
    let modes = try #require(connector["modes"] as? [[String: Any]])
    #expect(modes.map { $0["refreshRateFraction"] as? String } == ["60/1", "148352/2475"])
    #expect((connector["currentMode"] as? [String: Any])?["preferred"] as? Bool == true)

    let help = try framepace("help", "displays").output
    let crtc = try #require((cards[0]["crtcs"] as? [[String: Any]])?.first)
    let plane = try #require((cards[0]["planes"] as? [[String: Any]])?.first)
    let keys = [object, cards[0], abilities, connector, modes[0], crtc, plane].flatMap { Array($0.keys) }
    for key in keys { #expect(help.contains(key), "\(key) is not in the help") }
  }

  /// The command succeeds on any machine, with any cards.
  @Test func listsThisMachine() throws {
    let text = try framepace("displays")
    #expect(text.status == 0 && !text.output.isEmpty, "\(text.error)")
    let json = try framepace("displays", "--json")
    let object = try #require(try JSONLines(json.output).objects.first)
    let cards = try #require(object["cards"] as? [Any])
    #expect(cards.isEmpty == (object["reason"] is String))
  }

  /// The EDID of a monitor from 2005, taken from the log of an X server.
  private static let monitor: [UInt8] = {
    let digits = Array(
      """
      00ffffffffffff0010ac0e7000000000180f010368261e782ec665a2594c9d24125054a54b00714f8180010101010101\
      010101010101302a009851002a4030701300520e1100001e000000ff0047363536363536464c4553410a000000fc0044\
      656c6c204531393346500a20000000fd00384c1e530e000a20202020202000b4
      """)
    return stride(from: 0, to: digits.count, by: 2).compactMap { UInt8(String(digits[$0...$0 + 1]), radix: 16) }
  }()

  /// A desktop is blamed only where another program holds the screens, not for a mode that a screen lacks or a right that is missing.
  @Test func onlyScreensInUseAreTheDesktops() {
    let inUse = KMSError.notMaster(path: "/dev/dri/card0")
    #expect(
      inUse.isHeldByAnother && KMSError.noUsableDevice([.noModeSetting(path: "/dev/dri/card1"), inUse]).isHeldByAnother)
    #expect(!KMSError.unknownMode(connector: "HDMI-A-1", mode: "9x9", available: []).isHeldByAnother)
    #expect(
      !KMSError.noUsableDevice([.device(path: "/dev/dri/card0", SystemError(call: "open", errno: EACCES))]).isHeldByAnother)
  }
}
