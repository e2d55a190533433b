import Framepace
import FramepaceTesting
import XCTest

/// Compares a sheet of paragraphs with a stored picture.
final class TextGoldenTests: XCTestCase {
  /// Paragraphs: wrapped, justified, cut off, placed, with spans and decorations, from right to left, turned, small and faded.
  func testParagraphs() throws {
    let names = ["Roboto-Regular.ttf", "Roboto-Bold.ttf", "DejaVuSans.ttf", "Lohit-Devanagari.ttf"]
    let fonts = try FontLibrary(files: names.map { try SystemFonts.path(of: $0) })
    try Sheet.check("look-paragraphs") { sheet in
      @MainActor func add(_ text: AttributedText, _ change: (ParagraphLayer) -> Void = { _ in }) {
        sheet.add { card in
          let layer = ParagraphLayer(frame: Rect(x: -12, y: -12, width: 84, height: 84))
          (layer.fonts, layer.baseFont, layer.attributedText) = (fonts, FontRequest(["Roboto"], size: 11), text)
          change(layer)
          card.addSublayer(layer)
        }
      }
      let red = Color(hex: 0xC03020)
      let bold = AttributedText.Attributes { $0.font = FontRequest(["Roboto"], size: 14, weight: 700) }
      let marked = AttributedText.Attributes { ($0.background, $0.color) = (Color(hex: 0x204080), .white) }
      let line = AttributedText.Attributes { $0.underline = LineDecoration() }
      let struck = AttributedText.Attributes { $0.strikethrough = LineDecoration(color: red) }
      let spans: AttributedText =
        "A \("bold", bold) word, a \("line", line), \("struck", struck) and \("marked words", marked)."
      add("Words of a paragraph go on in the next line.")
      add("Words of a paragraph go on in the next line.") { $0.paragraphStyle.alignment = .justified }
      add("Centred lines, far from each other") {
        $0.paragraphStyle = TextLayout.Style { ($0.alignment, $0.lineHeight) = (.center, .multiple(1.6)) }
      }
      add("Right, at the bottom") { ($0.paragraphStyle.alignment, $0.verticalAlignment) = (.right, .bottom) }
      add(spans)
      add(spans) { ($0.opacity, $0.transform) = (0.5, .rotation(0.3)) }
      add(spans) { $0.transform = .scale(0.5) }
      add("Cut off after two lines of many words in all") { $0.paragraphStyle.maximumLines = 2 }
      add("\u{5E9}\u{5DC}\u{5D5}\u{5DD} \u{5E2}\u{5D5}\u{5DC}\u{5DD}, 12 Words\n\u{928}\u{92E}\u{938}\u{94D}\u{924}\u{947}")
      add("Insets and\na place") { ($0.insets, $0.verticalAlignment) = (Insets(all: 14), .center) }
      add("incomprehensibilities") { ($0.backgroundColor, $0.baseColor) = (red, .white) }
      add(
        "x\u{B2} and \(AttributedText("raised", AttributedText.Attributes { ($0.baselineOffset, $0.letterSpacing) = (5, 2) }))"
      )
    }
  }
  /// Ink that leans out of lines: seen, cut by a mask to the bounds, by an edge beyond which lines go on, in a shadow, a group and a mask.
  func testLeaningInk() throws {
    let italic = Font(try FontFace(path: SystemFonts.path(of: "Roboto-Italic.ttf")), size: 34)
    let sans = try SystemFonts.font(.sans, size: 22)
    let fonts = try FontLibrary(files: [SystemFonts.path(of: "DejaVuSans.ttf"), SystemFonts.path(of: "Roboto-Italic.ttf")])
    try Sheet.check("look-leaning-ink") { sheet in
      @MainActor func line(_ string: String, _ font: Font, _ change: (TextLayer) -> Void = { _ in }) {
        sheet.add { card in
          let layer = TextLayer()
          (layer.font, layer.string, layer.backgroundColor) = (font, string, Color(hex: 0xFFD54A))
          layer.bounds.size = layer.preferredSize
          layer.position = Point(30, 30)
          change(layer)
          card.addSublayer(layer)
        }
      }
      @MainActor func paragraph(_ text: AttributedText, _ change: (ParagraphLayer) -> Void) {
        sheet.add { card in
          let layer = ParagraphLayer()
          (layer.fonts, layer.baseFont, layer.attributedText) = (fonts, FontRequest(["DejaVu Sans"], size: 14), text)
          layer.backgroundColor = Color(hex: 0xFFD54A)
          layer.bounds.size = layer.size(fitting: SizeProposal(width: 60))
          layer.position = Point(30, 30)
          change(layer)
          card.addSublayer(layer)
        }
      }
      line("jf", italic)
      line("jf", italic) { $0.masksToBounds = true }
      line("jf", italic) { ($0.masksToBounds, $0.cornerRadius) = (true, 12) }
      line("\u{301}o A\u{302}\u{301}\u{302}\u{301}", sans)
      line("jumping off", italic) { ($0.truncation, $0.bounds.size.width) = (.none, 50) }
      line("jf", italic) { $0.transform = .rotation(0.5) }
      line("jf", italic) { ($0.backgroundColor, $0.shadowOpacity, $0.shadowOffset) = (nil, 0.8, Size(5, 5)) }
      line("jf", italic) { $0.opacity = 0.5 }
      line("jf", italic) { ($0.shouldRasterize, $0.blurRadius) = (true, 1) }
      sheet.add { card in
        let mask = TextLayer()
        (mask.font, mask.string, mask.position) = (italic, "jf", Point(30, 30))
        mask.bounds.size = mask.preferredSize
        let layer = Layer(frame: Rect(x: 0, y: 0, width: 60, height: 60))
        (layer.backgroundColor, layer.mask) = (Color(hex: 0x204080), mask)
        card.addSublayer(layer)
      }
      paragraph("A\u{302}\u{301}\u{302} is high, g\u{323}\u{323} low") { $0.paragraphStyle.lineHeight = .multiple(0.8) }
      paragraph("Lines that have no room below") { $0.bounds.size.height = 42 }
      paragraph("gj higher") { $0.bounds.size = Size(60, 12) }
    }
  }
}
