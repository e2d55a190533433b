public import Framepace

/// Ten thousand articles with pictures, in a list that people scroll: the data source of the sample `Feed`.
///
/// Worker threads paint the pictures; a row that comes into view shows its grey place until its picture is there.
@MainActor
public final class FeedList: ListLayerDataSource {
  public let list: ListLayer
  private let fonts: SceneFonts
  private let count: Int

  /// - Parameter frame: the place of the list, in points.
  public init(frame: Rect, fonts: SceneFonts, count: Int = 10_000) {
    (self.fonts, self.count) = (fonts, count)
    list = ListLayer(frame: frame, estimatedRowHeight: 180)
    list.backgroundColor = Palette.night
    list.dataSource = self
    list.reload(count: count)
  }

  public func list(_ list: ListLayer, layerFor row: Int, recycling recycled: Layer?) -> Layer {
    let layer = recycled as? ArticleRow ?? ArticleRow(fonts: fonts)
    layer.show(row)
    return layer
  }

  public func list(_ list: ListLayer, heightOf row: Int) -> Double? {
    ArticleRow.height(of: row, width: list.bounds.width)
  }
}

/// A picture with a title and a line below it; every fifth article has a large picture.
private final class ArticleRow: Layer {
  private static let margin = 16.0
  private let card = Layer()
  private let picture = LandscapeLayer(.dawn, cornerRadius: 8)
  private let title: TextLayer
  private let line: TextLayer
  private var row = 0

  init(fonts: SceneFonts) {
    title = TextLayer("", font: fonts.medium(size: 20), color: Palette.text)
    line = TextLayer("", font: fonts.regular(size: 14), color: Palette.dim)
    super.init()
    card.backgroundColor = Palette.panel
    card.cornerRadius = 12
    picture.backgroundColor = Palette.line
    for text in [title, line] { text.truncation = .end }
    for layer in [picture, title, line] { card.addSublayer(layer) }
    addSublayer(card)
  }

  static func isLarge(_ row: Int) -> Bool { row % 5 == 0 }

  static func height(of row: Int, width: Double) -> Double {
    isLarge(row) ? ((width - 2 * margin) * 0.5625).rounded() + 96 : 112
  }

  func show(_ row: Int) {
    self.row = row
    let kinds: [Landscape] = [.dawn, .fjord, .dunes, .night, .pier]
    var landscape = kinds[(row * 7 + row / 5) % kinds.count]
    landscape.sunPlace.x = 0.15 + 0.7 * Double((row * 31) % 97) / 97
    landscape.ridges += row % 4
    picture.landscape = landscape
    title.string = "\(landscape.name), number \(row + 1)"
    line.string = "\(3 + row * 13 % 55) minutes ago · \(1 + row * 17 % 40) answers"
    setNeedsLayout()
  }

  override func layoutSublayers() {
    let margin = Self.margin
    card.frame = bounds.insetBy(dx: margin / 2, dy: margin / 4)
    let inner = card.bounds.insetBy(dx: margin / 2, dy: margin / 2)
    let text: Rect
    if Self.isLarge(row) {
      picture.frame = Rect(x: inner.minX, y: inner.minY, width: inner.width, height: inner.height - 64)
      text = Rect(x: inner.minX, y: picture.frame.maxY + 8, width: inner.width, height: 56)
    } else {
      picture.frame = Rect(x: inner.minX, y: inner.minY, width: inner.height * 1.5, height: inner.height)
      let left = picture.frame.maxX + margin
      text = Rect(x: left, y: inner.midY - 28, width: max(inner.maxX - left, 0), height: 56)
    }
    title.frame = Rect(x: text.minX, y: text.minY, width: text.width, height: 28)
    line.frame = Rect(x: text.minX, y: text.minY + 30, width: text.width, height: 22)
  }
}
