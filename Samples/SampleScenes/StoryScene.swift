public import Framepace

/// An article that scrolls to its end and back: a title, a picture with its caption, paragraphs of mixed weights, and a quotation.
/// Stacks give everything its place.
public final class StoryScene: SampleScene {
  public let root = Layer()
  public let isMoving = true

  /// The time from the top to the end and back, and the part of it during which the page stands at either.
  private static let period = 24.0
  private static let rest = 0.12

  private static let paper = Color(hex: 0xFAF6EE)
  private static let ink = Color(hex: 0x24211D)
  private static let faded = Color(hex: 0x7A7267)
  private static let accent = Color(hex: 0xB5452C)

  private let page = ScrollLayer()
  private let distance: Double

  public init(settings: SceneSettings) throws {
    let (size, unit) = (settings.size, settings.roundUnit)
    root.backgroundColor = Self.paper
    let width = min(size.width - 160 * unit, 1040 * unit)
    let article = Layer()
    let column = StackLayout(.column)
    (column.alignment, column.gap, column.padding) = (.stretch, Size(0, 34 * unit), Insets(all: 0))
    article.layoutManager = column
    let texts = Texts(library: try settings.fonts.library(), size: 38 * unit)

    article.addSublayer(texts.paragraph("HARBOUR NOTES", color: Self.accent, size: 0.66, weight: 700, spacing: 5 * unit))
    article.addSublayer(texts.paragraph("The light that counted ships", size: 1.9, weight: 700, lineHeight: 1.1))
    let lead: AttributedText = """
      For \("sixty-one years", AttributedText.Attributes { $0.font = texts.font(1.08, weight: 700) }) one lamp on the \
      northern pier kept a tally of everything that came in from the sea.
      """
    article.addSublayer(texts.paragraph(lead, color: Self.faded, size: 1.08, weight: 300, lineHeight: 1.4))
    let picture = LandscapeLayer(.pier, cornerRadius: 10 * unit)
    (picture.layoutItem.height, picture.layoutItem.shrink) = (.points(width * 0.5625), 0)
    article.addSublayer(picture)
    article.addSublayer(texts.paragraph("The northern pier, an hour before the boats.", color: Self.faded, size: 0.66))
    article.addSublayer(
      texts.body(
        """
        Nobody had asked it to. The keeper, a patient woman called \(texts.strong("Ines Varga")), had wired a relay to the \
        shutter in the winter of 1958, and \(texts.marked("each time the beam was broken")) a brass wheel moved by one tooth.
        """))
    article.addSublayer(Self.quotation(texts, unit: unit))
    article.addSublayer(
      texts.body(
        """
        The wheel has \(texts.strong("ten thousand teeth")). It went round eleven times; the twelfth turn ended on a quiet \
        Tuesday in March, at tooth 4,806, when the ferry \(texts.ship("Odile")) left the harbour and \(texts.struck("nothing")) \
        nobody came in after her.
        """))
    article.addSublayer(
      texts.body(
        """
        The relay is in the museum now. The wheel still turns, if you lean over the railing and hold a hand before the lamp.
        """))

    let height = article.size(fitting: SizeProposal(width: width)).height
    let top = 96 * unit
    article.frame = Rect(x: (size.width - width) / 2, y: top, width: width, height: height)
    page.frame = Rect(origin: .zero, size: size)
    page.addSublayer(article)
    root.addSublayer(page)
    distance = max(height + 2 * top - size.height, 0)
  }

  public func update(at time: Double) {
    // There and back, with a rest at both ends.
    let phase = (time / Self.period).truncatingRemainder(dividingBy: 1) * 2
    let way = phase < 1 ? phase : 2 - phase
    let moved = min(max((way - Self.rest) / (1 - 2 * Self.rest), 0), 1)
    page.scroll(to: Point(0, distance * moved * moved * (3 - 2 * moved)))
  }

  private static func quotation(_ texts: Texts, unit: Double) -> Layer {
    let quotation = Layer()
    let row = StackLayout(.row)
    (row.alignment, row.gap, row.padding) = (
      .stretch, Size(30 * unit, 0), Insets(top: 14 * unit, left: 0, bottom: 14 * unit, right: 0)
    )
    quotation.layoutManager = row
    let bar = Layer()
    bar.backgroundColor = accent
    bar.cornerRadius = 3 * unit
    bar.layoutItem.width = .points(6 * unit)
    let words = Layer()
    let column = StackLayout(.column)
    column.gap = Size(0, 12 * unit)
    column.alignment = .stretch
    words.layoutManager = column
    words.layoutItem.grow = 1
    words.addSublayer(
      texts.paragraph("“A lighthouse is a clock that only the sea can read.”", size: 1.5, weight: 300, lineHeight: 1.25))
    words.addSublayer(texts.paragraph("Ines Varga, logbook, 1971", color: faded, size: 0.7))
    quotation.addSublayer(bar)
    quotation.addSublayer(words)
    return quotation
  }

  /// Makes the paragraphs of the article.
  @MainActor
  private struct Texts {
    let library: FontLibrary
    /// The size of the body.
    let size: Double

    func font(_ factor: Double, weight: Int) -> FontRequest { FontRequest(["Roboto"], size: size * factor, weight: weight) }

    func paragraph(
      _ text: AttributedText, color: Color = ink, size: Double, weight: Int = 400, lineHeight: Double = 1.3,
      spacing: Double = 0
    ) -> ParagraphLayer {
      let layer = ParagraphLayer()
      layer.fonts = library
      layer.baseFont = font(size, weight: weight)
      layer.baseColor = color
      layer.paragraphStyle = TextLayout.Style { $0.lineHeight = .multiple(lineHeight) }
      var text = text
      if spacing > 0 { text.set(AttributedText.Attributes { $0.letterSpacing = spacing }, in: 0..<text.count) }
      layer.attributedText = text
      return layer
    }

    func body(_ text: AttributedText) -> ParagraphLayer { paragraph(text, size: 1, lineHeight: 1.5) }

    func strong(_ string: String) -> AttributedText {
      AttributedText(string, AttributedText.Attributes { $0.font = font(1, weight: 700) })
    }

    func marked(_ string: String) -> AttributedText {
      AttributedText(string, AttributedText.Attributes { $0.background = Color(hex: 0xF6D98B, alpha: 0.7) })
    }

    func ship(_ string: String) -> AttributedText {
      AttributedText(string, AttributedText.Attributes { $0.underline = LineDecoration(color: accent) })
    }

    func struck(_ string: String) -> AttributedText {
      AttributedText(
        string,
        AttributedText.Attributes {
          $0.strikethrough = LineDecoration(color: faded); $0.color = faded
        })
    }
  }
}
