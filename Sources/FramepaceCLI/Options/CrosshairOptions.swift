import ArgumentParser
import Framepace

/// The options of `framepace input` that show crosses on a display.
struct CrosshairOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      """
      Also show a cross with the device's name and place at each finger, pointer and pen: in a window on a desktop (wayland), \
      on a screen (kms, or kms:CONNECTOR such as kms:HDMI-A-1), or on the first of these that can be used (auto). On a clock \
      that stands in for one (fallback) it is for --screenshot.
      """, valueName: "display"),
    completion: .custom { _, _, _ in ConnectedScreens.displays() }, transform: Accepted.display)
  var display: DisplayChoice?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "With --display: turn the picture clockwise, for a display that is mounted sideways: \(Accepted.rotations). (default: upright, as far as the kernel knows how the panel is mounted)",
      valueName: "degrees"),
    completion: .list(DisplayRotation.allCases.map { "\($0.rawValue)" }), transform: Accepted.rotation)
  var rotate: DisplayRotation?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "With --display: the picture's size where there is no screen, or that of a window: \(Accepted.sizes). (default: \(PixelSize.standard))",
      valueName: "WxH"),
    transform: Accepted.size)
  var size: PixelSize?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("With --display: at the end, write the picture that it shows, as a PNG.", valueName: "file.png"),
    completion: .file(extensions: ["png"]))
  var screenshot: String?

  /// The first option that needs a display and has none.
  var unused: String? {
    if display != nil { return nil }
    return rotate != nil ? "--rotate" : size != nil ? "--size" : screenshot != nil ? "--screenshot" : nil
  }

  func validate() throws {
    if let unused { throw ValidationError("\(unused) belongs to a display: use --display auto, or leave it out.") }
    if size != nil, case .kms = display {
      throw ValidationError("--size belongs to a window: a screen has the size of its mode. Leave it out.")
    }
    if rotate != nil, display == .wayland {
      throw ValidationError("--rotate belongs to a screen, and those of a desktop are the desktop's: use --display kms.")
    }
    if let screenshot { try OutputPath.requirePicture(screenshot, option: "--screenshot") }
  }
}
