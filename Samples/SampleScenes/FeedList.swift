public import Framepace

/// Ten thousand articles with pictures, in a list that people scroll: the data source of the sample `Feed`.
///
/// Workers load the pictures before their rows are seen: photographs from files, or landscapes that they paint in their place. A row shows its
/// grey place until its picture is there. Without a loader each row draws its landscape once it is in the tree.
@MainActor
public final class FeedList: ListLayerDataSource {
  public let list: ListLayer
  private let fonts: SceneFonts
  private let count: Int
  private let photographs: [String]

  /// - Parameters:
  ///   - frame: the place of the list, in points.
  ///   - photographs: the paths of picture files, of which the articles take turns; without any, landscapes are painted.
  ///   - loader: loads the pictures; `FeedList.loader(workers:loop:)` knows the names of both. Nil for rows that draw their landscapes.
  public init(
    frame: Rect, fonts: SceneFonts, count: Int = 10_000, photographs: [String] = [], loader: (any OrderedImageLoader)?,
    byteBudget: Int = 64 << 20, appearance: RowImages.Appearance = .afterFastFling
  ) {
    (self.fonts, self.count, self.photographs) = (fonts, count, photographs)
    list = ListLayer(frame: frame, estimatedRowHeight: 180)
    list.backgroundColor = Palette.night
    list.dataSource = self
    list.images = loader.map { RowImages(loader: $0, byteBudget: byteBudget, appearance: appearance) }
    list.reload(count: count)
  }

  /// Decodes photographs, and paints landscapes.
  public static func loader(workers: WorkerPool, loop: FrameLoop = .main) -> WorkerImageLoader {
    WorkerImageLoader(workers: workers, loop: loop) { name, box, isCancelled in
      guard let row = Int(name) else { return try WorkerImageLoader.decode(name, box, isCancelled) }
      return try Landscape.ofArticle(row).picture(box, isCancelled: isCancelled)
    }
  }

  public func list(_ list: ListLayer, layerFor row: Int, recycling recycled: Layer?) -> Layer {
    let layer = recycled as? ArticleRow ?? ArticleRow(fonts: fonts, drawsLandscape: list.images == nil)
    layer.show(row)
    return layer
  }

  public func list(_ list: ListLayer, heightOf row: Int) -> Double? {
    ArticleRow.height(of: row, width: list.bounds.width)
  }

  public func list(_ list: ListLayer, imageFor row: Int) -> (name: String, size: Size)? {
    let name = photographs.isEmpty ? "\(row)" : photographs[row % photographs.count]
    return (name, ArticleRow.pictureSize(of: row, width: list.bounds.width))
  }

  public func list(_ list: ListLayer, show picture: Image?, in layer: Layer, of row: Int) {
    (layer as? ArticleRow)?.picture.contents = picture
  }
}

extension Landscape {
  /// The landscape of an article, like no other's.
  fileprivate static func ofArticle(_ row: Int) -> Landscape {
    let kinds: [Landscape] = [.dawn, .fjord, .dunes, .night, .pier]
    var landscape = kinds[(row * 7 + row / 5) % kinds.count]
    landscape.sunPlace.x = 0.15 + 0.7 * Double((row * 31) % 97) / 97
    landscape.ridges += row % 4
    return landscape
  }

  fileprivate func picture(_ size: PixelSize, isCancelled: @escaping () -> Bool) throws -> Image {
    let bitmap = try Bitmap(width: size.width, height: size.height)
    let context = DrawingContext(bitmap: bitmap, scale: 1, isCancelled: isCancelled)
    draw(in: context, bounds: Rect(x: 0, y: 0, width: Double(size.width), height: Double(size.height)))
    context.flush()
    return bitmap.freeze()
  }
}

/// A picture with a title and a line below it; every fifth article has a large picture.
private final class ArticleRow: Layer {
  private static let margin = 16.0
  private let card = Layer()
  let picture: Layer
  private let title: TextLayer
  private let line: TextLayer
  private var row = 0

  init(fonts: SceneFonts, drawsLandscape: Bool) {
    picture = drawsLandscape ? LandscapeLayer(.dawn, cornerRadius: 8) : Layer()
    title = TextLayer("", font: fonts.medium(size: 20), color: Palette.text)
    line = TextLayer("", font: fonts.regular(size: 14), color: Palette.dim)
    super.init()
    card.backgroundColor = Palette.panel
    card.cornerRadius = 12
    picture.backgroundColor = Palette.line
    (picture.cornerRadius, picture.masksToBounds, picture.contentsGravity) = (8, true, .resizeAspectFill)
    for text in [title, line] { text.truncation = .end }
    for layer in [picture, title, line] { card.addSublayer(layer) }
    addSublayer(card)
  }

  static func isLarge(_ row: Int) -> Bool { row % 5 == 0 }

  /// The size in points, in a list of a width.
  static func pictureSize(of row: Int, width: Double) -> Size {
    let height = height(of: row, width: width) - 1.5 * margin
    return isLarge(row) ? Size(width - 2 * margin, height - 64) : Size(height * 1.5, height)
  }

  static func height(of row: Int, width: Double) -> Double {
    isLarge(row) ? ((width - 2 * margin) * 0.5625).rounded() + 96 : 112
  }

  func show(_ row: Int) {
    self.row = row
    let landscape = Landscape.ofArticle(row)
    (picture as? LandscapeLayer)?.landscape = landscape
    title.string = "\(landscape.name), number \(row + 1)"
    let answers = 1 + row * 17 % 40
    line.string = "\(3 + row * 13 % 55) minutes ago · \(answers == 1 ? "1 answer" : "\(answers) answers")"
    setNeedsLayout()
  }

  override func layoutSublayers() {
    let margin = Self.margin
    card.frame = bounds.insetBy(dx: margin / 2, dy: margin / 4)
    let inner = card.bounds.insetBy(dx: margin / 2, dy: margin / 2)
    picture.frame = Rect(origin: inner.origin, size: Self.pictureSize(of: row, width: bounds.width))
    let text: Rect
    if Self.isLarge(row) {
      text = Rect(x: inner.minX, y: picture.frame.maxY + 8, width: inner.width, height: 56)
    } else {
      let left = picture.frame.maxX + margin
      text = Rect(x: left, y: inner.midY - 28, width: max(inner.maxX - left, 0), height: 56)
    }
    title.frame = Rect(x: text.minX, y: text.minY, width: text.width, height: 28)
    line.frame = Rect(x: text.minX, y: text.minY + 30, width: text.width, height: 22)
  }
}
