public import Geometry

/// A layer whose sublayers are scrolled: it moves the origin of its `bounds`, in the directions that are allowed.
///
/// ```swift
/// let list = ScrollLayer(frame: Rect(x: 0, y: 0, width: 320, height: 480))
/// (list.masksToBounds, list.scrollMode) = (true, .vertically)
/// list.addSublayer(rows)
/// rows.scrollRectToVisible(selection.frame)
/// ```
///
/// As in Core Animation it knows no end of what is in it, and cuts nothing off unless `masksToBounds` is set. A scroll by whole pixels
/// paints little more than the strip that appears.
open class ScrollLayer: Layer {
  /// The directions in which a layer is scrolled.
  public enum ScrollMode: String, Sendable, CaseIterable {
    case none, vertically, horizontally, both
  }

  /// The directions in which `scroll(to:)` moves: both at first. `bounds` can be set as those of any layer.
  public var scrollMode = ScrollMode.both

  /// Scrolls until a point of the sublayers' coordinates is in the left upper corner.
  public func scroll(to point: Point) {
    var origin = bounds.origin
    if scrollMode == .horizontally || scrollMode == .both { origin.x = point.x }
    if scrollMode == .vertically || scrollMode == .both { origin.y = point.y }
    bounds.origin = origin
  }

  /// Scrolls as little as makes a rectangle of the sublayers' coordinates visible; one that is larger than this layer fills it then.
  public func scroll(to rect: Rect) {
    func nearest(_ origin: Double, _ length: Double, _ start: Double, _ end: Double) -> Double {
      // With its end at this layer's end, and with its start at the start.
      let places = (end - length, start)
      return max(min(origin, max(places.0, places.1)), min(places.0, places.1))
    }
    let rect = rect.standardized
    let view = bounds.standardized
    scroll(
      to: Point(
        nearest(view.minX, view.width, rect.minX, rect.maxX), nearest(view.minY, view.height, rect.minY, rect.maxY)))
  }
}

extension Layer {
  /// Scrolls the nearest scroll layer that this layer is in, until a point of this layer's coordinates is in its left upper corner.
  public func scroll(_ point: Point) {
    guard let scrollLayer = scrollLayers.first, let place = convert(point, to: scrollLayer) else { return }
    scrollLayer.scroll(to: place)
  }

  /// Scrolls the nearest scroll layer that this layer is in as little as makes a rectangle of this layer's coordinates visible.
  public func scrollRectToVisible(_ rect: Rect) {
    guard let scrollLayer = scrollLayers.first, let place = convert(rect, to: scrollLayer) else { return }
    scrollLayer.scroll(to: place)
  }

  /// The part of `bounds` that the scroll layers around this layer show, in its own coordinates: all of it outside of them, and a rectangle
  /// without width or height if none of it is shown. Other layers' clips do not count.
  public var visibleRect: Rect {
    scrollLayers.reduce(bounds.standardized) { visible, scrollLayer in
      convert(scrollLayer.bounds.standardized, from: scrollLayer).map { visible.intersection($0) } ?? visible
    }
  }

  /// The scroll layers above this one, the nearest first.
  private var scrollLayers: [ScrollLayer] {
    sequence(first: self, next: \.superlayer).dropFirst().compactMap { $0 as? ScrollLayer }
  }
}
