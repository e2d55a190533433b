import Framepace
import Metering

/// Says on a terminal what is being rendered and for how long yet, and at the end how long it took.
@MainActor
final class RenderProgress {
  let total: Int
  /// The pictures that are written completely.
  var written = 0
  /// The size of the pictures that were begun last.
  var size: PixelSize?
  private let start = SystemClock.monotonic.now

  init(total: Int) {
    self.total = total
  }

  /// Shows that a picture is rendered; `number` counts all pictures, from 1.
  func begin(_ scene: String, picture number: Int) {
    let left = seconds / Double(max(number - 1, 1)) * Double(total - number + 1)
    let time = number == 1 ? "" : ", \(Text.rest(left))"
    Terminal.error.show(progress: "rendering \(scene): picture \(number) of \(total)\(time)")
  }

  private var seconds: Double { (SystemClock.monotonic.now - start).seconds }

  /// "wrote 120 files to frames: 8.40 s, 14.29 frames a second", "wrote orbit.png: 1920x1080 pixels, 0.05 s".
  func summary(_ what: String) -> String {
    let time = "\(Text.decimal(seconds, 2)) s"
    if total == 1 { return "\(what): " + (size.map { "\($0) pixels, " } ?? "") + time }
    return "\(what): \(time), \(Text.decimal(Double(written) / max(seconds, 0.001), 2)) frames a second"
  }
}
