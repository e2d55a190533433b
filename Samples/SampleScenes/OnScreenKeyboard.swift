public import Framepace

/// A keyboard on the screen, of layers: its keys are those of a device of its own.
///
/// It sends presses and releases of keys, and no text: so that layout, dead keys, modifiers, repetition and shortcuts are those that a keyboard on
/// the same machine has, and each key shows what it types. A character that the layout has on no key cannot be typed, as on any keyboard.
///
/// Shift and AltGr stay down after a tap until another key was pressed, or until a second tap.
public final class OnScreenKeyboard: Layer, KeyboardPanel {
  /// It claims no letters: it is there because no device has any.
  private static let device = InputDevice(
    id: InputDevice.ID(rawValue: .max), name: "on-screen keyboard", abilities: .keyboard)

  private let keys: [[KeyCap]]
  private let send: @MainActor (InputEvent) -> Void
  /// The modifiers that are down until another key was pressed.
  private var heldModifiers: [InputCode] = []

  /// - Parameter send: brings events to the input router.
  public init(fonts: FontLibrary, send: @escaping @MainActor (InputEvent) -> Void) {
    keys = Self.rows.map { row in row.map { KeyCap(InputCode(rawValue: $0.code), title: $0.title, width: $0.width, fonts) } }
    self.send = send
    super.init()
    backgroundColor = Palette.panel
    // A touch between keys is none of what lies around.
    responder = Quiet()
    for key in keys.joined() {
      addSublayer(key)
      key.responder = KeyResponder { [unowned self] in press(key, $0) }
    }
    send(InputEvent(time: .zero, device: Self.device.id, action: .added(Self.device)))
  }

  private typealias Key = (code: UInt16, title: String?, width: Double)

  /// The keys by the kernel's numbers, as they lie on a keyboard; those that type nothing have titles. Widths are in parts of a letter's.
  private static let rows: [[Key]] = [
    letters([41] + Array(2...13)) + [(14, "Back", 1.6)],
    [(15, "Tab", 1.5)] + letters(Array(16...27)),
    [(58, "Caps", 1.5)] + letters(Array(30...40) + [43]) + [(28, "Enter", 1.7)],
    [(42, "Shift", 1.6)] + letters([86] + Array(44...53)),
    [(100, "AltGr", 1.6), (57, "", 7), (105, "‹", 1.2), (106, "›", 1.2)],
  ]

  private static func letters(_ codes: [UInt16]) -> [Key] { codes.map { ($0, nil, 1) } }

  /// The middle of a key in the coordinates of the superlayer; nil for a key that is not shown.
  public func point(of code: InputCode) -> Point? {
    layoutIfNeeded()
    guard let key = keys.joined().first(where: { $0.code == code && !$0.isHidden }) else { return nil }
    return Point(frame.minX + key.frame.midX, frame.minY + key.frame.midY)
  }

  /// The keys that type these characters one by one, as far as they need no modifier.
  public func codes(for text: String, _ keyboard: Keyboard) -> [InputCode] {
    text.compactMap { character in
      keys.joined().first { !$0.isHidden && keyboard.label(of: $0.code) == String(character) }?.code
    }
  }

  // MARK: KeyboardPanel

  public func showKeys(of keyboard: Keyboard) {
    isHidden = false
    for key in keys.joined() {
      let symbol = keyboard.keysym(of: key.code).name
      key.show(keyboard.label(of: key.code))
      key.isLit =
        heldModifiers.contains(key.code) || symbol == "Shift_L" && keyboard.modifiers.contains(.shift)
        || symbol == "Caps_Lock" && keyboard.modifiers.contains(.capsLock)
      // Some layouts have no third level.
      let isMissing = key.code == Self.thirdLevel && symbol != "ISO_Level3_Shift"
      if key.isHidden != isMissing {
        key.isHidden = isMissing
        setNeedsLayout()
      }
    }
  }

  public func hideKeys() {
    isHidden = true
    releaseModifiers(at: .zero)
    for key in keys.joined() { key.isLit = false }
  }

  // MARK: Keys

  private static let thirdLevel = InputCode(rawValue: 100)
  private static let modifiers = [InputCode(rawValue: 42), thirdLevel]

  private func press(_ key: KeyCap, _ change: KeyResponder.Change) {
    switch change {
    case .down(let time) where Self.modifiers.contains(key.code):
      if let index = heldModifiers.firstIndex(of: key.code) {
        heldModifiers.remove(at: index)
        send(key.code, isDown: false, at: time)
      } else {
        heldModifiers.append(key.code)
        send(key.code, isDown: true, at: time)
      }
    case .up where Self.modifiers.contains(key.code): break
    case .down(let time):
      key.isPressed = true
      send(key.code, isDown: true, at: time)
    case .up(let time):
      key.isPressed = false
      send(key.code, isDown: false, at: time)
      releaseModifiers(at: time)
    }
  }

  private func releaseModifiers(at time: MonotonicTime) {
    for code in heldModifiers { send(code, isDown: false, at: time) }
    heldModifiers = []
  }

  private func send(_ code: InputCode, isDown: Bool, at time: MonotonicTime) {
    send(InputEvent(time: time, device: Self.device.id, action: .key(code, isDown: isDown)))
  }

  public override func layoutSublayers() { Transaction.withoutActions { placeKeys() } }

  private func placeKeys() {
    let area = bounds.insetBy(dx: 2, dy: 2)
    let height = area.height / Double(keys.count)
    for (index, row) in keys.enumerated() {
      let shown = row.filter { !$0.isHidden }
      let unit = area.width / shown.reduce(0) { $0 + $1.width }
      var x = area.minX
      for key in shown {
        key.frame = Rect(x: x, y: area.minY + Double(index) * height, width: unit * key.width, height: height)
        x += unit * key.width
      }
    }
  }
}

/// Answers touches, and does nothing.
private final class Quiet: Responder {
  override func touchBegan(_ touch: Touch) {}
  override func touchMoved(_ touch: Touch) {}
  override func touchEnded(_ touch: Touch) {}
  override func touchCancelled(_ touch: Touch) {}
}

/// Tells when the first finger on a key comes and when it goes.
private final class KeyResponder: Responder {
  enum Change {
    case down(MonotonicTime)
    case up(MonotonicTime)
  }

  private let tell: @MainActor (Change) -> Void
  private var finger: Contact.ID?

  init(_ tell: @escaping @MainActor (Change) -> Void) { self.tell = tell }

  override func touchBegan(_ touch: Touch) {
    guard finger == nil else { return }
    finger = touch.id
    tell(.down(touch.time))
  }
  override func touchMoved(_ touch: Touch) {}
  override func touchEnded(_ touch: Touch) {
    guard finger == touch.id else { return }
    finger = nil
    tell(.up(touch.time))
  }
  override func touchCancelled(_ touch: Touch) { touchEnded(touch) }
}

/// A key: it is touched up to its neighbours, and seen a little smaller.
private final class KeyCap: Layer {
  let code: InputCode
  let width: Double
  private let title: String?
  private let cap = Layer()
  private let label = ParagraphLayer()

  /// True while a finger is on it.
  var isPressed = false {
    didSet { showState() }
  }
  /// True for a modifier that applies.
  var isLit = false {
    didSet { if isLit != oldValue { showState() } }
  }

  init(_ code: InputCode, title: String?, width: Double, _ fonts: FontLibrary) {
    (self.code, self.title, self.width) = (code, title, width)
    super.init()
    cap.cornerRadius = 6
    label.fonts = fonts
    label.baseColor = Palette.text
    label.verticalAlignment = .center
    label.paragraphStyle = TextLayout.Style {
      $0.alignment = .center
      $0.wrapping = .none
    }
    show("")
    showState()
    cap.addSublayer(label)
    addSublayer(cap)
  }

  func show(_ typed: String) { label.attributedText = AttributedText(title ?? typed) }

  private func showState() {
    Transaction.withoutActions {
      cap.backgroundColor = isPressed ? Palette.sky : isLit ? Palette.teal : title == nil ? Palette.line : Palette.night
      label.baseColor = isPressed || isLit ? Palette.night : Palette.text
    }
  }

  override func layoutSublayers() {
    Transaction.withoutActions {
      cap.frame = bounds.insetBy(dx: 2, dy: 2)
      label.frame = cap.bounds
    }
    label.baseFont = FontRequest(["Roboto"], size: min(bounds.height * (title?.count ?? 0 > 1 ? 0.26 : 0.4), 30))
  }
}
