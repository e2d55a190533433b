public import Framepace

/// A form that asks for a name, with a keyboard on the screen where there is no other: the layers of the sample `Form`.
public final class NameForm: Layer, TextFieldDelegate {
  public let firstName: TextField
  public let lastName: TextField
  public let code: TextField
  public let keyboard: OnScreenKeyboard
  public let clearButton: PushButton
  public let sendButton: PushButton
  /// The line above the fields: a question, and after `sendButton` a greeting.
  public var message: String { title.attributedText.string }

  private let title = ParagraphLayer()
  private let captions: [ParagraphLayer]
  private var fields: [TextField] { [firstName, lastName, code] }

  /// Makes the form, and lets the router show its keyboard.
  public init(frame: Rect, fonts: FontLibrary, router: InputRouter) {
    func field(_ placeholder: String) -> TextField {
      let field = TextField()
      field.fonts = fonts
      field.placeholder = placeholder
      (field.textColor, field.placeholderColor) = (Palette.text, Palette.dim)
      (field.caretColor, field.selectionColor) = (Palette.sky, Palette.sky.withAlpha(0.35))
      field.backgroundColor = Palette.panel
      field.cornerRadius = 8
      (field.borderColor, field.borderWidth) = (Palette.line, 1)
      field.maximumLength = 40
      return field
    }
    firstName = field("Ada")
    lastName = field("Lovelace")
    code = field("four digits or letters")
    (code.isSecure, code.maximumLength) = (true, 4)
    captions = ["First name", "Last name", "Code"].map { caption in
      let layer = ParagraphLayer()
      layer.attributedText = AttributedText(caption)
      layer.baseColor = Palette.dim
      return layer
    }
    keyboard = OnScreenKeyboard(fonts: fonts) { [weak router] in router?.receive($0) }
    clearButton = PushButton("Clear", fonts: fonts, color: Palette.line, textColor: Palette.text)
    sendButton = PushButton("Send", fonts: fonts, color: Palette.sky, textColor: Palette.night)
    super.init()
    self.frame = frame
    backgroundColor = Palette.night
    title.baseColor = Palette.text
    for text in [title] + captions { text.fonts = fonts }
    for layer in [title] + captions + fields + [clearButton, sendButton, keyboard] { addSublayer(layer) }
    for field in fields { field.editingDelegate = self }
    clearButton.action = { [unowned self] in clear() }
    sendButton.action = { [unowned self] in send() }
    keyboard.isHidden = true
    responder = Background(self)
    ask()
    router.keyboardPanel = keyboard
  }

  private func ask() { title.attributedText = "What is your name?" }

  private func clear() {
    for field in fields { field.string = "" }
    ask()
    firstName.beginEditing()
  }

  private func send() {
    for field in fields { field.endEditing() }
    let name = [firstName.string, lastName.string].filter { !$0.isEmpty }.joined(separator: " ")
    if name.isEmpty { ask() } else { title.attributedText = AttributedText("Hello, \(name)!") }
  }

  /// A touch beside the fields ends the editing.
  private final class Background: Responder {
    private weak var form: NameForm?
    init(_ form: NameForm) { self.form = form }
    override func touchBegan(_ touch: Touch) { for field in form?.fields ?? [] { field.endEditing() } }
  }

  // MARK: TextFieldDelegate

  public func textFieldDidBeginEditing(_ field: TextField) { (field.borderColor, field.borderWidth) = (Palette.sky, 2) }
  public func textFieldDidEndEditing(_ field: TextField) { (field.borderColor, field.borderWidth) = (Palette.line, 1) }
  public func textFieldDidReturn(_ field: TextField) {
    if field === code { send() } else { field.perform(.focus(.forward)) }
  }

  // MARK: Layout

  public override func layoutSublayers() {
    let unit = min(bounds.width / 480, bounds.height / 640)
    let width = min(bounds.width - 48 * unit, 432 * unit)
    let left = (bounds.width - width) / 2
    var y = 16 * unit
    func place(_ layer: Layer, _ height: Double, gap: Double) {
      layer.frame = Rect(x: left, y: y, width: width, height: height * unit)
      y += (height + gap) * unit
    }
    title.baseFont = FontRequest(["Roboto"], size: 26 * unit, weight: 500)
    place(title, 36, gap: 8)
    for (field, caption) in zip(fields, captions) {
      caption.baseFont = FontRequest(["Roboto"], size: 14 * unit)
      place(caption, 18, gap: 2)
      field.font = FontRequest(["Roboto"], size: 20 * unit)
      field.insets = Insets(top: 4 * unit, left: 12 * unit, bottom: 4 * unit, right: 12 * unit)
      place(field, 44, gap: 10)
    }
    let half = (width - 16 * unit) / 2
    clearButton.frame = Rect(x: left, y: y, width: half, height: 44 * unit)
    sendButton.frame = Rect(x: left + width - half, y: y, width: half, height: 44 * unit)
    let height = 290 * unit
    keyboard.frame = Rect(x: 0, y: bounds.height - height, width: bounds.width, height: height)
  }
}

/// A button that a finger or a pointer presses: its action follows when it is lifted on the button.
public final class PushButton: Layer {
  public var action: (@MainActor () -> Void)?
  private let label = ParagraphLayer()

  init(_ title: String, fonts: FontLibrary, color: Color, textColor: Color) {
    super.init()
    backgroundColor = color
    cornerRadius = 8
    label.attributedText = AttributedText(title)
    label.fonts = fonts
    label.baseColor = textColor
    label.verticalAlignment = .center
    label.paragraphStyle = TextLayout.Style { $0.alignment = .center }
    addSublayer(label)
    responder = Press()
  }

  public override func layoutSublayers() {
    label.frame = bounds
    label.baseFont = FontRequest(["Roboto"], size: bounds.height * 0.4, weight: 500)
  }

  private final class Press: Responder {
    private func show(_ touch: Touch, isOver: Bool) { layer?.opacity = isOver ? 0.6 : 1 }
    private func isOver(_ touch: Touch) -> Bool { layer.flatMap { touch.location(in: $0).map($0.contains) } ?? false }

    override func touchBegan(_ touch: Touch) { show(touch, isOver: true) }
    override func touchMoved(_ touch: Touch) { show(touch, isOver: isOver(touch)) }
    override func touchCancelled(_ touch: Touch) { show(touch, isOver: false) }
    override func touchEnded(_ touch: Touch) {
      show(touch, isOver: false)
      if isOver(touch) { (layer as? PushButton)?.action?() }
    }
  }
}
