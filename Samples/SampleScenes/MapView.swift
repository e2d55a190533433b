public import Framepace
import Glibc

/// A map that fingers move, turn and bring nearer: the layers of the sample `Map`. A wheel brings it nearer, a mouse's left button moves
/// it, and the right one turns it. A tap on the compass turns it back to the north.
public final class MapView: Layer, GestureRecognizerDelegate {
  /// The least and the greatest magnification.
  public static let scales = 0.1...8.0

  /// The map from the land to the view.
  public private(set) var mapToView: Affine {
    didSet { compass.affineTransform = .rotation(turn) }
  }
  /// The magnification, and the turn in radians clockwise.
  public var scale: Double { (mapToView.a * mapToView.a + mapToView.b * mapToView.b).squareRoot() }
  public var turn: Double { atan2(mapToView.b, mapToView.a) }

  private let map: MapTiles
  private let names: MapNames
  private let compass = Layer()
  private var (lastPan, lastScale, lastTurn) = (Point.zero, 1.0, 0.0)

  public init(frame: Rect, fonts: SceneFonts, seed: UInt64 = 7) {
    map = MapTiles(MapTerrain(seed: seed))
    names = MapNames(map.terrain, on: map, fonts: fonts)
    let scale = max(frame.width, frame.height) / MapTerrain.side * 1.15
    mapToView = Affine(
      a: scale, b: 0, c: 0, d: scale, tx: (frame.width - MapTerrain.side * scale) / 2,
      ty: (frame.height - MapTerrain.side * scale) / 2)
    super.init()
    self.frame = frame
    (masksToBounds, backgroundColor) = (true, Color(hex: 0x86BCDD))
    responder = Wheel(self)
    map.affineTransform = mapToView
    addSublayer(map)
    names.update(mapToView, in: bounds)
    makeCompass()
    let pan = PanGestureRecognizer(PanMachine(slop: 4)) { [unowned self] in panned($0) }
    let pinch = PinchGestureRecognizer(PinchMachine(slop: 6)) { [unowned self] in pinched($0) }
    let rotation = RotationGestureRecognizer(RotationMachine(slop: 12)) { [unowned self] in rotated($0) }
    let turning = PanGestureRecognizer(PanMachine(slop: 2)) { [unowned self] in turned($0) }
    turning.button = .rightButton
    for recognizer in [pan, pinch, rotation, turning] as [AnyGestureRecognizer] {
      recognizer.delegate = self
      addGestureRecognizer(recognizer)
    }
  }

  private func makeCompass() {
    compass.bounds = Rect(x: 0, y: 0, width: 48, height: 48)
    compass.position = Point(bounds.width - 40, 40)
    (compass.backgroundColor, compass.cornerRadius) = (Color(white: 1, alpha: 0.9), 24)
    (compass.shadowOpacity, compass.shadowRadius, compass.shadowOffset) = (0.25, 4, Size(0, 1))
    for (isNorth, color) in [(true, Color(hex: 0xD8453A)), (false, Color(hex: 0xA7AEB5))] {
      let needle = ShapeLayer()
      var path = Path()
      path.move(to: Point(24, isNorth ? 6 : 42))
      path.line(to: Point(18, 24))
      path.line(to: Point(30, 24))
      path.close()
      (needle.path, needle.fillColor, needle.isInteractionEnabled) = (path, color, false)
      compass.addSublayer(needle)
    }
    addSublayer(compass)
    compass.addGestureRecognizer(
      TapGestureRecognizer(TapMachine()) { [unowned self] _ in
        change(animated: .milliseconds(300)) { self.mapToView.turned(by: -self.turn, around: self.middle) }
      })
  }

  public override func layoutSublayers() {
    compass.position = Point(bounds.width - 40, 40)
    names.update(mapToView, in: bounds)
  }

  private var middle: Point { Point(bounds.midX, bounds.midY) }

  /// All fingers may move, turn and stretch the map at once.
  public func gestureRecognizer(
    _ recognizer: AnyGestureRecognizer, shouldRecognizeSimultaneouslyWith other: AnyGestureRecognizer
  ) -> Bool { other.layer === self }

  /// Fingers turn the map by two of them, and a mouse by its right button.
  public func gestureRecognizer(_ recognizer: AnyGestureRecognizer, shouldReceive touch: Touch) -> Bool {
    if case .pointer = touch.kind { return true }
    return recognizer.button != .rightButton
  }

  /// Takes over a placement, as far as it shows land and is not too near or far.
  private func change(animated: Nanoseconds? = nil, _ next: () -> Affine) {
    // A map that glides is caught where it is seen.
    if map.animation(forKey: "transform") != nil {
      mapToView = map.presentation.affineTransform
      map.removeAnimation(forKey: "transform")
    }
    var next = next()
    let scale = (next.a * next.a + next.b * next.b).squareRoot()
    let limited = min(max(scale, Self.scales.lowerBound), Self.scales.upperBound)
    if scale != limited { next = next.scaled(by: limited / scale, around: middle) }
    if let seen = next.inverted?.apply(middle) {
      let nearest = Point(min(max(seen.x, 0), MapTerrain.side), min(max(seen.y, 0), MapTerrain.side))
      let way = middle - next.apply(nearest)
      (next.tx, next.ty) = (next.tx + way.x, next.ty + way.y)
    }
    let old = mapToView
    mapToView = next
    Transaction.withoutActions { map.affineTransform = next }
    guard let animated, old != next else { return names.update(next, in: bounds) }
    map.glide(from: old, for: animated)
    names.update(next, in: bounds, glide: (old, animated))
  }

  // MARK: Gestures

  private func panned(_ pan: PanGestureRecognizer) {
    switch pan.state {
    case .began, .changed:
      if pan.state == .began { lastPan = .zero }
      let way = pan.machine.translation - lastPan
      lastPan = pan.machine.translation
      change { mapToView.concatenating(.translation(x: way.x, y: way.y)) }
    case .ended:
      let velocity = pan.machine.velocity
      guard hypot(velocity.x, velocity.y) > 150 else { return }
      // It glides on as far as a list would in half a second.
      let way = velocity * 0.25
      change(animated: .milliseconds(700)) { mapToView.concatenating(.translation(x: way.x, y: way.y)) }
    case .cancelled, .possible, .failed: break
    }
  }

  private func pinched(_ pinch: PinchGestureRecognizer) {
    guard pinch.state == .began || pinch.state == .changed else { return }
    if pinch.state == .began { lastScale = 1 }
    let factor = pinch.machine.scale / lastScale
    lastScale = pinch.machine.scale
    guard let place = pinch.location(in: self), factor > 0 else { return }
    change { mapToView.scaled(by: factor, around: place) }
  }

  private func rotated(_ rotation: RotationGestureRecognizer) {
    guard rotation.state == .began || rotation.state == .changed else { return }
    if rotation.state == .began { lastTurn = 0 }
    let turn = rotation.machine.rotation - lastTurn
    lastTurn = rotation.machine.rotation
    guard let place = rotation.location(in: self) else { return }
    change { mapToView.turned(by: turn, around: place) }
  }

  /// A mouse with its right button: from side to side it turns the map around the middle.
  private func turned(_ pan: PanGestureRecognizer) {
    guard pan.state == .began || pan.state == .changed else { return }
    if pan.state == .began { lastTurn = 0 }
    let turn = pan.machine.translation.x / 200 - lastTurn
    lastTurn += turn
    change { mapToView.turned(by: turn, around: middle) }
  }

  private final class Wheel: Responder {
    private weak let view: MapView?
    init(_ view: MapView) { self.view = view }

    override func scrolled(_ scroll: InputEvent.Scroll, at point: Point, time: MonotonicTime) {
      guard let view, let place = view.convertFromOutput(point) else { return }
      switch scroll {
      case .wheel(let clicks):
        view.change(animated: .milliseconds(200)) { view.mapToView.scaled(by: pow(1.3, -clicks.y), around: place) }
      case .fingers(let way), .continuous(let way):
        view.change { view.mapToView.concatenating(.translation(x: -way.x, y: -way.y)) }
      case .fingersEnded: break
      }
    }
  }

  private func convertFromOutput(_ point: Point) -> Point? {
    var top: Layer = self
    while let superlayer = top.superlayer { top = superlayer }
    return top.convert(point, to: self)
  }
}

/// The map in tiles.
private final class MapTiles: TiledLayer {
  let terrain: MapTerrain

  init(_ terrain: MapTerrain) {
    self.terrain = terrain
    super.init()
    (anchorPoint, position) = (.zero, .zero)
    bounds = Rect(x: 0, y: 0, width: MapTerrain.side, height: MapTerrain.side)
    // From an eighth of a pixel a point to eight.
    (levelsOfDetail, levelsOfDetailBias, isOpaque) = (7, 3, true)
  }

  override func makeDrawing(of rect: Rect, scale: Double) -> (any Drawing)? {
    MapDrawing(terrain: terrain, rect: rect, scale: scale)
  }
}

extension Affine {
  fileprivate func scaled(by factor: Double, around place: Point) -> Affine {
    concatenating(.translation(x: -place.x, y: -place.y)).concatenating(.scale(factor))
      .concatenating(.translation(x: place.x, y: place.y))
  }

  fileprivate func turned(by radians: Double, around place: Point) -> Affine {
    concatenating(.translation(x: -place.x, y: -place.y)).concatenating(.rotation(radians))
      .concatenating(.translation(x: place.x, y: place.y))
  }
}
