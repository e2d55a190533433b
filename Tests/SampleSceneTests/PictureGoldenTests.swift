import Framepace
import FramepaceTesting
import XCTest

/// Sheets of pictures that come from files and from fonts.
final class PictureGoldenTests: XCTestCase {
  func testPicturesOfOtherFormats() throws {
    try Sheet.check("look-picture-formats") { sheet in
      sheet.addPicture("drawing.svg")
      sheet.addPicture("drawing.svg") { ($0.contentsGravity, $0.masksToBounds) = (.resizeAspectFill, true) }
      sheet.addPicture("drawing.svg") { $0.contentsGravity = .center }
      sheet.addPicture("filter.svg") { $0.transform = .rotation(0.3) }
      sheet.addPicture("translucent.avif")
      sheet.addPicture("turned-1t.avif")
      // In its fourth picture, and in the one for readers of stills.
      sheet.addPicture("moving.png") { ($0.speed, $0.timeOffset) = (0, .milliseconds(210)) }
      sheet.addPicture("moving-beside.png") { $0.animates = false }
    }
  }

  /// Pictures between letters: among words, over a background, turned, cut off, translucent, and in a single line.
  func testEmoji() throws {
    let files = try ["DejaVuSans.ttf", "NotoColorEmoji.ttf"].map { try SystemFonts.path(of: $0) }
    let fonts = try FontLibrary(files: files)
    let emoji = Font(try FontFace(path: files[1]), size: 22)
    try Sheet.check("look-emoji") { sheet in
      @MainActor func add(_ text: AttributedText, size: Double = 20, _ change: (ParagraphLayer) -> Void = { _ in }) {
        sheet.add { card in
          let layer = ParagraphLayer(frame: card.bounds)
          (layer.fonts, layer.baseFont, layer.attributedText) = (fonts, FontRequest(["DejaVu Sans"], size: size), text)
          change(layer)
          card.addSublayer(layer)
        }
      }
      add("Sun ☀️ rain 🌧️, a 🐈‍⬛ 🐟", size: 13)
      add("👍🏻👍🏽👍🏿 👩‍🚀 👨‍👩‍👧 🇩🇪 🏳️‍🌈 1️⃣", size: 12)
      var marked = AttributedText("on 🎈 blue")
      marked.set(
        AttributedText.Attributes { ($0.background, $0.underline) = (Color(hex: 0x3060C0), LineDecoration()) }, in: 3..<7)
      add(marked)
      add("🎲 turned 🎲", size: 15) { $0.transform = .rotation(0.3) }
      add("🦊", size: 48)
      add("pale 🍓🍋🫐", size: 16) { $0.baseColor = Color(red: 1, green: 1, blue: 1, alpha: 0.4) }
      add("🍏🍎🍐🍊🍋🍌🍉", size: 14) {
        $0.paragraphStyle = TextLayout.Style { ($0.maximumLines, $0.truncation) = (1, .end) }
      }
      sheet.add { card in
        let layer = TextLayer(frame: card.bounds)
        (layer.font, layer.string, layer.alignment) = (emoji, "😀😎", .center)
        card.addSublayer(layer)
      }
    }
  }
}
