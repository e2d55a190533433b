public import Framepace

/// A crosshair with the device's name at each finger, pointer and pen: shows a person whether the way from a device to its display is right. The layers
/// of `framepace input --display`.
///
/// The view is told of events before the router is, which finds their places:
///
/// ```swift
/// view.take(event)
/// engine.inputRouter.receive(event)
/// ```
///
/// The cross of a finger that was lifted stays, dimmed, until the device is touched again: a tap is over before it can be looked at.
public final class CrosshairView: Layer {
  /// Marks belong to a finger, or to a device that has one place.
  private enum Owner: Hashable {
    case finger(Touch.ID)
    case device(InputDevice.ID)
  }

  private var marks: [Owner: CrosshairMark] = [:]
  private var devices: [InputDevice] = []
  /// The device that moved the pointer last.
  private var pointer: InputDevice.ID?

  private let hint = TextLayer()
  /// Labels are above the lines of all crosses.
  private let crosses = Layer()
  private let labels = Layer()
  private var rows: [TextLayer] = []
  private let fonts: SceneFonts
  private let screen: @MainActor () -> InputScreen?

  /// - Parameter screen: the screen that the view fills, so that its points are the screen's.
  public init(fonts: SceneFonts, screen: @escaping @MainActor () -> InputScreen?) {
    (self.fonts, self.screen) = (fonts, screen)
    super.init()
    backgroundColor = Palette.night
    (hint.font, hint.color, hint.alignment) = (fonts.medium(size: 20), Palette.dim, .center)
    hint.string = "Touch the screen, or move the pointer."
    for layer in [hint, crosses, labels] { addSublayer(layer) }
    (crosses.isInteractionEnabled, labels.isInteractionEnabled) = (false, false)
    responder = Hand(self)
  }

  /// Takes an event for what its place does not tell: the names of devices, and which of them go.
  public func take(_ event: InputEvent) {
    switch event.action {
    case .added(let device):
      guard !device.abilities.isDisjoint(with: [.touch, .pointer, .pen]) else { return }
      changeDevices { devices.append(device) }
    case .removed:
      for (owner, mark) in marks where mark.device == event.device { remove(mark, of: owner) }
      guard devices.contains(where: { $0.id == event.device }) else { return }
      changeDevices { devices.removeAll { $0.id == event.device } }
    case .motion, .position, .pen: pointer = event.device
    default: break
    }
  }

  public override func layoutSublayers() {
    Transaction.withoutActions {
      hint.frame = Rect(x: 16, y: (bounds.height * 0.3).rounded(), width: max(bounds.width - 32, 0), height: 28)
      layOutRows()
      (crosses.frame, labels.frame) = (bounds, bounds)
      for mark in marks.values { mark.place(in: bounds) }
    }
  }

  /// The devices from the bottom upwards, the last ones where there is no room for all.
  private func layOutRows() {
    let (height, margin) = (22.0, 16.0)
    for (index, row) in rows.enumerated() {
      let place = Double(rows.count - index)
      row.string = line(about: devices[index])
      row.isHidden = place > 1 && place * height > bounds.height / 3
      row.frame = Rect(
        x: margin, y: bounds.height - margin - place * height, width: max(bounds.width - 2 * margin, 0), height: height)
    }
  }

  /// A device came or went.
  private func changeDevices(_ change: () -> Void) {
    change()
    Transaction.withoutActions {
      for row in rows { row.removeFromSuperlayer() }
      rows = devices.map { TextLayer("", font: fonts.regular(size: 15), color: color(of: $0.id)) }
      for row in rows { insertSublayer(row, at: 0) }
    }
    setNeedsLayout()
  }

  /// The way of a device's places: "Goodix Touch Panel on DSI-1, turned by 90°, matrix 0 -1 1 1 0 0".
  private func line(about device: InputDevice) -> String {
    var line = name(of: device.id)
    if let screen = screen() {
      if !screen.name.isEmpty { line += " on \(screen.name)" }
      let isOnPanel = !device.abilities.isDisjoint(with: [.touch, .pen])
      let turns = isOnPanel ? screen.touchQuarterTurns ?? screen.quarterTurns : screen.quarterTurns
      if turns != 0 { line += ", turned by \(turns * 90)°" }
    }
    if let matrix = device.calibration {
      let numbers = [matrix.a, matrix.c, matrix.tx, matrix.b, matrix.d, matrix.ty].map(Self.text)
      line += ", matrix \(numbers.joined(separator: " "))"
    }
    return line
  }

  private static func text(_ number: Double) -> String {
    let rounded = (number * 1000).rounded() / 1000 + 0
    return Int(exactly: rounded).map { "\($0)" } ?? "\(rounded)"
  }

  private func name(of device: InputDevice.ID) -> String {
    let name = devices.first { $0.id == device }?.name ?? ""
    let text = String(name.map { $0.isNewline ? " " : $0 })
    return text.isEmpty ? "device \(device)" : text
  }

  private func color(of device: InputDevice.ID) -> Color {
    Palette.accents[Int(device.rawValue % UInt32(Palette.accents.count))]
  }

  // MARK: Places

  fileprivate func show(_ touch: Touch, isDown: Bool) {
    let owner: Owner
    switch touch.kind {
    case .finger: owner = .finger(touch.id)
    case .pen, .pointer: owner = .device(touch.device)
    }
    if touch.kind == .finger, touch.phase == .began {
      for (owner, mark) in marks where mark.device == touch.device && !mark.isThere { remove(mark, of: owner) }
    }
    show(owner, touch.device, at: touch.location)
    marks[owner]?.isDown = isDown
    marks[owner]?.isThere = isDown || touch.kind != .finger
  }

  fileprivate func hover(at point: Point?) {
    guard let pointer else { return }
    guard let point else {
      // A pen that touches the panel does not hover any more.
      if let mark = marks[.device(pointer)], !mark.isDown { mark.isThere = false }
      return
    }
    for (owner, mark) in marks where owner != .device(pointer) && owner == .device(mark.device) { remove(mark, of: owner) }
    show(.device(pointer), pointer, at: point)
    marks[.device(pointer)]?.isThere = true
  }

  private func show(_ owner: Owner, _ device: InputDevice.ID, at point: Point) {
    // A wrong matrix sends places far away. The text says how far, up to those that no number has: there the mark stays.
    guard point.x.isFinite, point.y.isFinite else { return }
    hint.isHidden = true
    var places = ["\(Self.text(point.x.rounded(.down))), \(Self.text(point.y.rounded(.down)))"]
    // A pointer is moved on the picture; the others lie on the panel.
    let isOnPanel = devices.first { $0.id == device }.map { !$0.abilities.isDisjoint(with: [.touch, .pen]) } ?? false
    if isOnPanel, let screen = screen() {
      let part = screen.part(over: point)
      places.append("\(Self.text(part.x)) \(Self.text(part.y)) of the panel")
    }
    Transaction.withoutActions {
      let mark = marks[owner] ?? add(CrosshairMark(device, name(of: device), color: color(of: device), fonts: fonts), owner)
      mark.move(to: point, in: bounds, text: places.joined(separator: "  ·  "))
    }
  }

  private func add(_ mark: CrosshairMark, _ owner: Owner) -> CrosshairMark {
    marks[owner] = mark
    crosses.addSublayer(mark)
    labels.addSublayer(mark.label)
    return mark
  }

  private func remove(_ mark: CrosshairMark, of owner: Owner) {
    marks[owner] = nil
    Transaction.withoutActions {
      mark.removeFromSuperlayer()
      mark.label.removeFromSuperlayer()
    }
  }

  private final class Hand: Responder {
    private weak let view: CrosshairView?
    init(_ view: CrosshairView) { self.view = view }
    override func touchBegan(_ touch: Touch) { view?.show(touch, isDown: true) }
    override func touchMoved(_ touch: Touch) { view?.show(touch, isDown: true) }
    override func touchEnded(_ touch: Touch) { view?.show(touch, isDown: false) }
    override func touchCancelled(_ touch: Touch) { view?.show(touch, isDown: false) }
    override func hovered(at point: Point) { view?.hover(at: point) }
    override func hoverEnded() { view?.hover(at: nil) }
  }
}
