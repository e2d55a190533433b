import Geometry
import Input
import Layers
import LinuxSystem
import RunLoops

/// Brings keys and gestures to a text field, and lets its caret blink.
@MainActor
final class TextFieldResponder: Responder {
  private weak var field: TextField?
  private let tap: TapGestureRecognizer
  private let drag: PanGestureRecognizer
  private let press = LongPressGestureRecognizer(LongPressMachine())
  /// The keys whose press went to the next responder, which gets their release too.
  private var passedKeys: Set<InputCode> = []
  private var isPointer = false
  /// How far the place that is dragged is from the finger that drags it, in points.
  private var grip = 0.0
  private var alarm: FrameLoop.Alarm?
  private var isLit = true
  /// When the caret stays if no key comes.
  private var blinkEnd = MonotonicTime.zero
  /// The usual half period of desktops.
  private static let blinkInterval = Nanoseconds.milliseconds(530)
  /// GTK's `gtk-cursor-blink-timeout`.
  private static let blinkDuration = Nanoseconds.seconds(10)

  init(_ field: TextField) {
    self.field = field
    tap = TapGestureRecognizer(TapMachine())
    drag = PanGestureRecognizer(PanMachine(fingers: 1...1, course: .horizontal))
    super.init()
    tap.addAction { [weak self] in self?.tapped($0) }
    drag.addAction { [weak self] in self?.dragged($0) }
    let secondTap = TapGestureRecognizer(TapMachine(taps: 2)) { [weak self] in self?.tappedTwice($0) }
    press.addAction { [weak self] in self?.pressed($0) }
    for recognizer in [tap, secondTap, press, drag] as [AnyGestureRecognizer] {
      recognizer.delegate = self
      field.addGestureRecognizer(recognizer)
    }
  }

  isolated deinit { alarm?.invalidate() }

  // MARK: Touches

  // Touches are the gestures' business, and that of no responder above.
  override func touchBegan(_ touch: Touch) {}
  override func touchMoved(_ touch: Touch) {}
  override func touchEnded(_ touch: Touch) {}
  override func touchCancelled(_ touch: Touch) {}

  private func place(of point: Point?) -> Int? {
    guard let field, let point, let own = field.point(ofOutput: point) else { return nil }
    return field.place(at: own + Point(grip, 0))
  }

  private func moveCaret(to point: Point?) {
    grip = 0
    guard let place = place(of: point) else { return }
    becomeFirstResponder()
    field?.edit { $0.select(TextSelection(place)) }
  }

  private func tapped(_ tap: TapGestureRecognizer) { moveCaret(to: tap.machine.location) }

  private func tappedTwice(_ tap: TapGestureRecognizer) {
    guard let field, let point = tap.machine.location, let own = field.point(ofOutput: point) else { return }
    let place = field.character(at: own).place
    field.edit { $0.selectWord(at: place) }
  }

  private func pressed(_ press: LongPressGestureRecognizer) {
    if press.state == .began || press.state == .changed { moveCaret(to: press.location) }
  }

  private func dragged(_ drag: PanGestureRecognizer) {
    switch drag.state {
    case .began:
      grip = 0
      let start = drag.machine.contacts.startCenter
      if let (anchor, way) = handle(at: start) {
        grip = way
        return select(from: anchor)
      }
      guard let start = place(of: start) else { return }
      becomeFirstResponder()
      select(from: start)
    case .changed: select(from: field?.editor.selection.anchor)
    case .possible, .ended, .cancelled, .failed: break
    }
  }

  /// The other end of the selection for a finger that takes one by its handle, and the handle's distance from it.
  private func handle(at point: Point) -> (anchor: Int, way: Double)? {
    guard let field, let own = field.point(ofOutput: point) else { return nil }
    // The selection may have changed since the last layout.
    field.layoutIfNeeded()
    guard let (end, way) = field.handles.end(at: own.x) else { return nil }
    let range = field.editor.selection.range
    return (end == .start ? range.upperBound : range.lowerBound, way)
  }

  private func select(from anchor: Int?) {
    guard let anchor, let head = place(of: drag.location) else { return }
    field?.edit { $0.select(TextSelection(anchor: anchor, head: head)) }
  }

  // MARK: Keys

  override var canBecomeFirstResponder: Bool { true }
  override var takesText: Bool { true }

  override func keyChanged(_ key: KeyEvent) {
    guard let field else { return }
    guard key.phase == .down || key.phase == .repeated else {
      if passedKeys.remove(key.code) != nil { super.keyChanged(key) }
      return
    }
    if key.isPending {
      let sign = layer?.router?.keyboard?.sign(of: key.keysym) ?? ""
      return field.edit { if !sign.isEmpty { $0.marked = sign } }
    }
    if key.keysym.isModifier { return }
    let isPending = !field.editor.marked.isEmpty
    if isPending { field.edit { $0.marked = "" } }
    if let command = TextCommand(key, isRightToLeft: field.isRightToLeft) {
      field.perform(command)
    } else if !isPending {
      passedKeys.insert(key.code)
      super.keyChanged(key)
    }
  }

  // MARK: Input methods

  /// Counts the changes that no input method made.
  private var change: UInt64 = 0
  private var isComposing = false

  /// The text is another one, or is selected elsewhere.
  func edited() {
    if !isComposing { change &+= 1 }
  }

  override var textInputState: TextInputState? {
    guard let field, field.isEditing else { return nil }
    let (editor, top) = (field.editor, field.top)
    let caret = field.convert(field.caretRect, to: top) ?? .zero
    let (width, height) = (max(top.bounds.width, 1), max(top.bounds.height, 1))
    let place = Rect(
      x: (caret.minX - top.bounds.minX) / width, y: (caret.minY - top.bounds.minY) / height, width: caret.width / width,
      height: caret.height / height)
    if editor.isSecure { return TextInputState(text: "", anchor: 0, head: 0, caret: place, isSecure: true, change: change) }
    return TextInputState(
      text: editor.string, anchor: editor.byte(at: editor.selection.anchor), head: editor.byte(at: editor.selection.head),
      caret: place, isSecure: false, change: change)
  }

  override func compose(_ step: TextComposition) {
    isComposing = true
    defer { isComposing = false }
    field?.edit { $0.compose(step) }
  }

  override func becameFirstResponder() {
    field?.setEditing(true)
    guard let router = layer?.router else { return }
    let alarm = FrameLoop.Alarm(.onMain { [weak self] in self?.blink() })
    router.loop.add(alarm, to: .common)
    self.alarm = alarm
    restartBlinking()
  }

  override func resignedFirstResponder() {
    alarm?.invalidate()
    alarm = nil
    passedKeys = []
    field?.setEditing(false)
  }

  // MARK: Caret

  /// Shows the caret: it is to be seen where something happens.
  func restartBlinking() {
    guard let alarm, let now = layer?.router?.now else { return }
    isLit = true
    field?.setCaretLit(true)
    alarm.fireTime = now + Self.blinkInterval
    blinkEnd = now + Self.blinkDuration
  }

  private func blink() {
    guard let alarm, let now = layer?.router?.now else { return }
    isLit = !isLit || now >= blinkEnd
    field?.setCaretLit(isLit)
    alarm.fireTime = now < blinkEnd ? now + Self.blinkInterval : nil
  }
}

extension TextFieldResponder: GestureRecognizerDelegate {
  func gestureRecognizer(_ recognizer: AnyGestureRecognizer, shouldReceive touch: Touch) -> Bool {
    if case .pointer = touch.kind { isPointer = true } else { isPointer = false }
    field?.isTouchedByFinger = !isPointer
    // A pointer that waits before it drags selects all the same.
    return !(isPointer && recognizer === press)
  }

  /// A finger that drags over a field without keys may mean what the field lies in.
  func gestureRecognizerShouldBegin(_ recognizer: AnyGestureRecognizer) -> Bool {
    recognizer !== drag || isPointer || isFirstResponder
  }

  /// The first tap places the caret at once, and does not wait for a second one.
  func gestureRecognizer(
    _ recognizer: AnyGestureRecognizer, shouldRecognizeSimultaneouslyWith other: AnyGestureRecognizer
  ) -> Bool {
    recognizer is TapGestureRecognizer && other is TapGestureRecognizer && other.layer === recognizer.layer
  }
}
