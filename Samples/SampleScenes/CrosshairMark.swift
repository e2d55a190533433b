import Framepace

/// A crosshair over the whole view, and its label, which is beside its middle and never leaves the view.
final class CrosshairMark: Layer {
  let device: InputDevice.ID
  /// The name and the place; no part of the cross, as labels are above all crosses.
  let label = Layer()
  /// False for what was lifted: the mark is dim.
  var isThere = true {
    didSet {
      Transaction.withoutActions { (opacity, label.opacity) = isThere ? (1, 1) : (0.4, 0.7) }
    }
  }
  /// True while the finger or the pen is on the panel, or a button is down: the ring is full.
  var isDown = false {
    didSet { Transaction.withoutActions { ring.fillColor = isDown ? color.withAlpha(0.35) : nil } }
  }

  private static let radius = 22.0
  /// The distance from the middle to the label: more than a fingertip.
  private static let gap = 48.0
  private static let margin = 8.0

  private let color: Color
  private let horizontal = Layer()
  private let vertical = Layer()
  private let ring = ShapeLayer()
  private let title: TextLayer
  private let text: TextLayer
  private var point = Point.zero

  init(_ device: InputDevice.ID, _ name: String, color: Color, fonts: SceneFonts) {
    (self.device, self.color) = (device, color)
    title = TextLayer(name, font: fonts.medium(size: 18), color: color)
    text = TextLayer("", font: fonts.regular(size: 16), color: Palette.text)
    super.init()
    ring.bounds = Rect(x: 0, y: 0, width: 2 * Self.radius + 2, height: 2 * Self.radius + 2)
    ring.path = .circle(center: Point(Self.radius + 1, Self.radius + 1), radius: Self.radius)
    (ring.fillColor, ring.strokeColor, ring.strokeStyle) = (nil, color, StrokeStyle(width: 2))
    for line in [horizontal, vertical] { line.backgroundColor = color.withAlpha(0.7) }
    (label.backgroundColor, label.cornerRadius) = (Palette.panel, 6)
    label.addSublayer(title)
    label.addSublayer(text)
    for layer in [horizontal, vertical, ring] { addSublayer(layer) }
  }

  func move(to point: Point, in bounds: Rect, text string: String) {
    self.point = point
    text.string = string
    place(in: bounds)
  }

  /// Places all parts in the bounds of the view, whose size may have changed.
  func place(in bounds: Rect) {
    frame = bounds
    // The lines cover the pixels that the point lies in.
    let (x, y) = (point.x.rounded(.down), point.y.rounded(.down))
    horizontal.frame = Rect(x: 0, y: y, width: bounds.width, height: 1)
    vertical.frame = Rect(x: x, y: 0, width: 1, height: bounds.height)
    ring.position = point
    let (titleSize, textSize) = (title.preferredSize, text.preferredSize)
    let room = max(bounds.width - 2 * Self.margin, 0)
    let width = min(max(titleSize.width, textSize.width).rounded(.up) + 20, room)
    let height = (titleSize.height + textSize.height).rounded(.up) + 12
    let left = min(max(x - (width / 2).rounded(), Self.margin), max(bounds.width - Self.margin - width, 0))
    let above = y - Self.gap - height
    let top = above >= Self.margin ? above : y + Self.gap
    label.frame = Rect(
      x: left, y: min(max(top, Self.margin), max(bounds.height - Self.margin - height, 0)), width: width, height: height)
    title.frame = Rect(x: 10, y: 6, width: max(width - 20, 0), height: titleSize.height)
    text.frame = Rect(x: 10, y: 6 + titleSize.height, width: max(width - 20, 0), height: textSize.height)
  }
}
