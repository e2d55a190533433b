public import Geometry
import Input
public import Layers
public import Typesetting

/// Hears what is done in a text field. All methods do nothing by default.
@MainActor
public protocol TextFieldDelegate: AnyObject {
  /// A person changed the text.
  func textFieldDidChange(_ field: TextField)
  /// Return was pressed.
  func textFieldDidReturn(_ field: TextField)
  /// Keys go to the field from now on, or no longer.
  func textFieldDidBeginEditing(_ field: TextField)
  func textFieldDidEndEditing(_ field: TextField)
}

extension TextFieldDelegate {
  public func textFieldDidChange(_ field: TextField) {}
  public func textFieldDidReturn(_ field: TextField) {}
  public func textFieldDidBeginEditing(_ field: TextField) {}
  public func textFieldDidEndEditing(_ field: TextField) {}
}

/// A line of text that people type into, in every script.
///
/// ```swift
/// let name = TextField()
/// name.placeholder = "Name"
/// name.frame = Rect(x: 20, y: 20, width: 300, height: 44)
/// name.editingDelegate = self
/// root.addSublayer(name)
/// ```
///
/// A tap places the caret and lets keys go to the field, a second one selects the word, a long press moves the caret with the finger. A horizontal drag
/// selects: with a pointer, or with a finger where the field has the keys. What a finger selects has handles at its ends, which fingers drag. The keys
/// are those of `TextCommand`; Tab goes to the next field.
///
/// Keys reach it through an `InputRouter`, which needs the events of a keyboard, an event script's or a panel's too, and no more:
/// see `InputRouter.keyboard`.
///
/// The caret blinks while keys go to the field: it costs two wake-ups a second, and none after ten seconds without a key.
open class TextField: Layer {
  public weak var editingDelegate: (any TextFieldDelegate)?
  /// The text, its selection and what can be undone.
  public private(set) var editor = TextEditor()
  /// The text. One that is set begins anew, with the caret at its end; the delegate is not told.
  public var string: String {
    get { editor.string }
    set {
      editor.replaceAll(newValue)
      (responder as? TextFieldResponder)?.edited()
      show()
    }
  }
  /// The most characters that people may type; nil for any number.
  public var maximumLength: Int? {
    get { editor.maximumLength }
    set { editor.maximumLength = newValue }
  }
  /// True to show dots in place of characters, and to let nothing be copied.
  public var isSecure: Bool {
    get { editor.isSecure }
    set {
      editor.isSecure = newValue
      show()
    }
  }
  /// The text that an empty field shows.
  public var placeholder = "" {
    didSet { show() }
  }
  public var font = FontRequest(["sans-serif"], size: 16) {
    didSet { show() }
  }
  /// The fonts that may be used; those of the system at first.
  public var fonts = FontLibrary.system {
    didSet { show() }
  }
  public var textColor = Color.black {
    didSet { show() }
  }
  public var placeholderColor = Color(hex: 0x808890) {
    didSet { show() }
  }
  public var caretColor = Color(hex: 0x1E78E6) {
    didSet { show() }
  }
  public var selectionColor = Color(hex: 0x1E78E6, alpha: 0.3) {
    didSet { show() }
  }
  /// The space between the edges and the text.
  public var insets = Insets(top: 4, left: 10, bottom: 4, right: 10) {
    didSet { show() }
  }
  /// The place to which text is cut and copied.
  public var clipboard = Clipboard.shared
  /// True while keys go to the field.
  public private(set) var isEditing = false
  /// True if the line goes from right to left, so that the arrow to the left goes forward.
  public var isRightToLeft: Bool { label.layout?.lines.first?.isRightToLeft ?? false }

  /// The caret, in the coordinates of the field.
  public var caretRect: Rect {
    layoutIfNeeded()
    return convert(caret.frame, from: clip) ?? .zero
  }

  let label = ParagraphLayer()
  let clip = ScrollLayer()
  private let hint = ParagraphLayer()
  private let caret = Layer()
  private let highlight = Layer()
  let handles = TextSelectionHandles()
  /// True after a finger's touch, false after a pointer's.
  var isTouchedByFinger = false {
    didSet { if isTouchedByFinger != oldValue { setNeedsLayout() } }
  }
  /// False while the caret blinks away.
  private var isCaretLit = true
  private static let caretWidth = 2.0

  public override init() {
    super.init()
    clip.masksToBounds = true
    clip.scrollMode = .horizontally
    for text in [label, hint] {
      text.verticalAlignment = .center
      text.paragraphStyle = TextLayout.Style {
        $0.wrapping = .none
        $0.truncation = .none
      }
    }
    for layer in [highlight, hint, label, caret] { clip.addSublayer(layer) }
    clip.isInteractionEnabled = false
    caret.isHidden = true
    for layer in [clip] + handles.layers { addSublayer(layer) }
    responder = TextFieldResponder(self)
    show()
  }

  /// Changes text or selection as a person does: the caret is shown, and the delegate is told of another text.
  ///
  /// ```swift
  /// field.edit { $0.selectAll() }
  /// ```
  public func edit(_ change: (inout TextEditor) -> Void) {
    let (before, wasMarked) = (editor.string, !editor.marked.isEmpty)
    let selection = editor.selection
    change(&editor)
    if editor.string != before || editor.selection != selection || wasMarked && editor.marked.isEmpty {
      (responder as? TextFieldResponder)?.edited()
    }
    // An accent that is not shown any more must not change the next letter.
    if wasMarked, editor.marked.isEmpty { router?.keyboard?.endSequence() }
    show()
    (responder as? TextFieldResponder)?.restartBlinking()
    if !editor.string.utf8.elementsEqual(before.utf8) { editingDelegate?.textFieldDidChange(self) }
  }

  /// Does what a key does.
  public func perform(_ command: TextCommand) {
    switch command {
    case .insert(let text): edit { $0.insert(text) }
    case .move(let unit, let direction, let extending): edit { $0.move(unit, direction, extending: extending) }
    case .delete(let unit, let direction): edit { $0.delete(unit, direction) }
    case .selectAll: edit { $0.selectAll() }
    case .cut: edit { if let text = $0.cut() { clipboard.string = text } }
    case .copy: if let text = editor.copy() { clipboard.string = text }
    // The text of another program comes later.
    case .paste: clipboard.read { [weak self] text in self?.edit { $0.paste(text) } }
    case .undo: edit { $0.undo() }
    case .redo: edit { $0.redo() }
    case .submit: editingDelegate?.textFieldDidReturn(self)
    case .focus(let direction): responder?.moveFocus(direction)
    }
  }

  /// Lets keys go to the field.
  @discardableResult
  public func beginEditing() -> Bool { responder?.becomeFirstResponder() ?? false }
  /// Lets keys go to nobody, if they went to the field.
  public func endEditing() { responder?.resignFirstResponder() }

  func setEditing(_ isEditing: Bool) {
    self.isEditing = isEditing
    isCaretLit = true
    // Drops marked text, and lets what is typed next be a step of its own.
    editor.select(editor.selection)
    show()
    if isEditing { editingDelegate?.textFieldDidBeginEditing(self) } else { editingDelegate?.textFieldDidEndEditing(self) }
  }

  func setCaretLit(_ isLit: Bool) {
    isCaretLit = isLit
    Transaction.withoutActions { caret.isHidden = !isCaretShown }
  }

  var isCaretShown: Bool { isEditing && isCaretLit && editor.selection.isEmpty }

  // MARK: Places

  /// The place in the text that is nearest to a point of the field.
  public func place(at point: Point) -> Int {
    let found = character(at: point)
    return found.place + (found.isTrailing ? 1 : 0)
  }

  /// The character at a point of the field, or the nearest one, and whether the point is in its second half.
  func character(at point: Point) -> (place: Int, isTrailing: Bool) {
    if !editor.marked.isEmpty { edit { $0.marked = "" } }
    layoutIfNeeded()
    let x = convert(point, to: label)?.x ?? 0
    guard editor.count > 0, let found = label.offset(at: Point(x, label.bounds.midY)) else { return (0, false) }
    if isSecure { return (found.offset / Self.dot.utf8.count, found.isTrailing) }
    var byte = 0
    for (place, character) in editor.string.enumerated() {
      byte += character.utf8.count
      if byte > found.offset { return (place, found.isTrailing) }
    }
    return (editor.count, false)
  }

  private static let dot = "•"

  /// The marked text as it is shown.
  private var shownMarked: String { isSecure ? String(repeating: Self.dot, count: editor.marked.count) : editor.marked }

  /// The byte of the shown text at a place.
  private func byte(at place: Int) -> Int {
    let isBehind = !editor.marked.isEmpty && place >= editor.selection.range.upperBound
    return (isSecure ? place * Self.dot.utf8.count : editor.byte(at: place)) + (isBehind ? shownMarked.utf8.count : 0)
  }

  /// The byte of the shown text at which the caret is: in marked text where an input method wants it.
  private var caretByte: Int {
    let byte = byte(at: editor.selection.head)
    guard !editor.marked.isEmpty, !isSecure, let caret = editor.markedCaret else { return byte }
    return byte - editor.marked.utf8.count + caret
  }

  // MARK: Display

  /// Takes over text and looks; places follow in the layout.
  private func show() {
    let string = isSecure ? String(repeating: Self.dot, count: editor.count) : editor.string
    var text = AttributedText(string)
    if !editor.marked.isEmpty {
      let end = editor.selection.range.upperBound
      let byte = isSecure ? end * Self.dot.utf8.count : editor.byte(at: end)
      text.replace(
        byte..<byte,
        with: AttributedText(shownMarked, AttributedText.Attributes { $0.underline = LineDecoration() }))
    }
    label.attributedText = text
    hint.attributedText = AttributedText(placeholder)
    for layer in [label, hint] {
      layer.baseFont = font
      layer.fonts = fonts
    }
    (label.baseColor, hint.baseColor) = (textColor, placeholderColor)
    setNeedsLayout()
  }

  open override var preferredSize: Size {
    let size = string.isEmpty ? hint.preferredSize : label.preferredSize
    return Size(size.width + Self.caretWidth + insets.left + insets.right, size.height + insets.top + insets.bottom)
  }

  open override func layoutSublayers() {
    Transaction.withoutActions { placeParts() }
    responder?.textInputChanged()
  }

  private func placeParts() {
    let frame = Rect(
      x: bounds.minX + insets.left, y: bounds.minY + insets.top,
      width: max(bounds.width - insets.left - insets.right, 0), height: max(bounds.height - insets.top - insets.bottom, 0))
    if clip.frame.size != frame.size || clip.frame.origin != frame.origin { clip.frame = frame }
    var size = Size(max(frame.width, label.preferredSize.width + Self.caretWidth), frame.height)
    label.frame = Rect(origin: .zero, size: size)
    if let blanks = widthOfLastBlanks, label.preferredSize.width + blanks + Self.caretWidth > size.width {
      size.width = (label.preferredSize.width + blanks + Self.caretWidth).rounded(.up)
      label.frame = Rect(origin: .zero, size: size)
    }
    hint.frame = Rect(origin: .zero, size: frame.size)
    let hasText = editor.count > 0 || !editor.marked.isEmpty
    hint.isHidden = hasText
    placeHighlight()
    placeCaret(in: frame, width: size.width, hasText: hasText)
    placeHandles(in: frame)
  }

  /// The width of blanks at the end of the text, which a line leaves out of its own; nil without any.
  private var widthOfLastBlanks: Double? {
    guard let layout = label.layout, let line = layout.lines.first, label.attributedText.string.last == " " else {
      return nil
    }
    let end = layout.caret(at: label.attributedText.count).primary.minX
    return max(line.isRightToLeft ? line.baseline.x - end : end - line.baseline.x - line.width, 0)
  }

  private func placeHighlight() {
    let range = editor.selection.range
    let rects = isEditing && !range.isEmpty ? label.rects(in: byte(at: range.lowerBound)..<byte(at: range.upperBound)) : []
    while highlight.sublayers.count > rects.count { highlight.sublayers.last?.removeFromSuperlayer() }
    while highlight.sublayers.count < rects.count { highlight.addSublayer(Layer()) }
    for (layer, rect) in zip(highlight.sublayers, rects) {
      layer.frame = rect
      layer.backgroundColor = selectionColor
    }
  }

  private func placeCaret(in frame: Rect, width: Double, hasText: Bool) {
    let scale = outputScale
    // An empty field has the caret where the placeholder begins.
    let rect =
      Self.caret(in: hasText ? label : hint, at: hasText ? caretByte : 0)
      ?? Rect(x: 0, y: frame.height / 4, width: 0, height: frame.height / 2)
    let x = (min(max(rect.minX, 0), max(width, frame.width) - Self.caretWidth) * scale).rounded() / scale
    caret.frame = Rect(x: x, y: rect.minY, width: Self.caretWidth, height: rect.height)
    caret.backgroundColor = caretColor
    caret.isHidden = !isCaretShown
    var origin = clip.bounds.minX
    if !isEditing { origin = isRightToLeft ? width : 0 }
    if isEditing { origin = min(max(origin, x + Self.caretWidth - frame.width), x) }
    clip.bounds.origin.x = min(max(origin, 0), max(width - frame.width, 0))
  }

  private static func caret(in label: ParagraphLayer, at byte: Int) -> Rect? {
    label.layout?.caret(at: byte).primary.offsetBy(dx: label.layoutOrigin.x, dy: label.layoutOrigin.y)
  }

  private func placeHandles(in frame: Rect) {
    let range = editor.selection.range
    /// Nil beyond the edges of the text's frame.
    func stem(_ place: Int) -> Rect? {
      guard isEditing, isTouchedByFinger, !range.isEmpty, let caret = Self.caret(in: label, at: byte(at: place)) else {
        return nil
      }
      let rect = caret.offsetBy(dx: frame.minX - clip.bounds.minX, dy: frame.minY)
      return rect.minX >= frame.minX - 1 && rect.minX <= frame.maxX + 1 ? rect : nil
    }
    handles.place(start: stem(range.lowerBound), end: stem(range.upperBound), color: caretColor)
  }
}
