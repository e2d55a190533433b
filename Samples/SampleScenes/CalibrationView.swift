public import Framepace

/// Five crosses, one after the other, that a finger is to touch: the layers of the sample `Calibrate`.
public final class CalibrationView: Layer {
  /// In parts of the view.
  public static let places = [Point(0.1, 0.1), Point(0.9, 0.1), Point(0.9, 0.9), Point(0.1, 0.9), Point(0.5, 0.5)]

  public private(set) var calibration = TouchCalibration()
  /// The touch screen, which is that of the first finger.
  public private(set) var device: InputDevice.ID?
  public var isDone: Bool { calibration.count == Self.places.count }

  /// The finger that is on its way to the cross. Others do not count until it is lifted, nor does a palm that came meanwhile.
  private var finger: Touch?
  private let cross = ShapeLayer()
  private let hint = TextLayer()
  private let screen: @MainActor () -> InputScreen?
  private let onDone: @MainActor () -> Void

  /// - Parameters:
  ///   - screen: the screen that the view fills.
  ///   - onDone: called after the last touch.
  public init(
    frame: Rect, fonts: SceneFonts, screen: @escaping @MainActor () -> InputScreen?,
    onDone: @escaping @MainActor () -> Void = {}
  ) {
    (self.screen, self.onDone) = (screen, onDone)
    super.init()
    self.frame = frame
    backgroundColor = Palette.night
    var path = Path.circle(center: Point(30, 30), radius: 16)
    for (from, to) in [(Point(0, 30), Point(60, 30)), (Point(30, 0), Point(30, 60))] {
      path.move(to: from)
      path.line(to: to)
    }
    cross.bounds = Rect(x: 0, y: 0, width: 60, height: 60)
    (cross.path, cross.fillColor, cross.strokeColor, cross.strokeStyle) = (path, nil, Palette.sky, StrokeStyle(width: 2))
    (hint.font, hint.color, hint.alignment) = (fonts.medium(size: 22), Palette.text, .center)
    addSublayer(cross)
    addSublayer(hint)
    responder = Finger(self)
    showNext()
  }

  public override func layoutSublayers() { showNext() }

  private func point(_ part: Point) -> Point { Point(part.x * bounds.width, part.y * bounds.height) }

  private func showNext() {
    Transaction.withoutActions {
      cross.isHidden = isDone
      if !isDone { cross.position = point(Self.places[calibration.count]) }
      hint.frame = Rect(x: 0, y: bounds.height * 0.3, width: bounds.width, height: 32)
      hint.string = isDone ? "Thank you." : "Touch the cross: \(calibration.count + 1) of \(Self.places.count)"
    }
  }

  fileprivate func began(_ touch: Touch) {
    if finger == nil, touch.kind == .finger, touch.device == device ?? touch.device { finger = touch }
  }

  /// - Parameter isTaken: false for a touch that was cancelled.
  fileprivate func ended(_ touch: Touch, isTaken: Bool) {
    guard touch === finger else { return }
    finger = nil
    guard isTaken, !isDone, let screen = screen() else { return }
    device = touch.device
    let target = point(Self.places[calibration.count])
    calibration.add(target: screen.part(over: target), touchedAt: screen.part(over: touch.location))
    showNext()
    if isDone { onDone() }
  }

  private final class Finger: Responder {
    private weak let view: CalibrationView?
    init(_ view: CalibrationView) { self.view = view }
    override func touchBegan(_ touch: Touch) { view?.began(touch) }
    override func touchMoved(_ touch: Touch) {}
    override func touchEnded(_ touch: Touch) { view?.ended(touch, isTaken: true) }
    override func touchCancelled(_ touch: Touch) { view?.ended(touch, isTaken: false) }
  }
}
