public import Framepace

/// Ten thousand articles in a list that people scroll, in a column in the middle. Nothing moves until somebody touches it.
public final class FeedScene: SampleScene {
  public let root = Layer()
  private let feed: FeedList

  public init(settings: SceneSettings) throws {
    let size = settings.size
    root.backgroundColor = Palette.line
    let width = min(size.width, 720)
    let left = settings.edge(near: (size.width - width) / 2)
    feed = FeedList(
      frame: Rect(x: left, y: 0, width: width, height: size.height), fonts: settings.fonts, loader: nil)
    root.addSublayer(feed.list)
  }

  /// True from the drag of a finger until the list stands still.
  public var isMoving: Bool { feed.list.controller.isDragging || feed.list.controller.velocity != .zero }

  public func update(at time: Double) {}
}
