import ArgumentParser
import Framepace
import KMS

struct CaptureCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "capture",
    abstract: "Writes what a screen shows now to a picture, whichever program drives it.",
    discussion: """
      The picture is read back from the memory that the screen shows, without cursor and \
      overlays. The kernel allows that to root and to the program that drives the \
      screen. Pictures that are tiled or compressed in memory cannot be read.
      """)

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The screen: kms, or kms:CONNECTOR such as kms:HDMI-A-1. (default: kms)", valueName: "display"),
    completion: .custom { _, _, _ in ConnectedScreens.displays() }, transform: Accepted.display)
  var display = DisplayChoice.kms(connector: nil)

  @Option(parsing: .unconditional, help: ArgumentHelp("The picture's file.", valueName: "file"))
  var output = "screen.png"

  func validate() throws {
    guard case .kms = display else { throw ValidationError("There is nothing to copy without a screen: use --display kms.") }
    try OutputPath.requirePicture(output, option: "--output")
  }

  func run() throws {
    try onMainActor {
      guard case .kms(let connector) = display else { return }
      try OutputPath.requireWritable(files: [output])
      let image: Image
      // As the other commands say it.
      do { image = try ScreenCapture.image(of: connector) } catch CaptureError.kms(let error) { throw error }
      try PNG.write(image, to: output)
      try Terminal.output.line("\(image.width)x\(image.height) pixels in \(output)")
    }
  }
}
