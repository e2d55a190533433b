public import Input

/// The input method of a desktop, with which people write what has no keys: Chinese, Japanese, emoji.
///
/// ```swift
/// engine.inputRouter.onTextInput = { input.textInput.state = $0 }
/// input.textInput.onComposition = { engine.inputRouter.compose($0) }
/// ```
///
/// The input method is asked while a text is written in a window that has the keyboard. It is told what is around the caret, and where the caret is,
/// so that its list of words does not cover it; of a password it is told nothing.
@MainActor
public final class WaylandTextInput {
  /// The text that is written in; nil for none.
  public var state: TextInputState? {
    didSet { if state != oldValue { for textInput in input?.textInputs ?? [] { textInput.update() } } }
  }
  /// Called with each step of an input method.
  public var onComposition: (@MainActor (TextComposition) -> Void)?

  private weak var input: WaylandInput?

  init(of input: WaylandInput) { self.input = input }
}
