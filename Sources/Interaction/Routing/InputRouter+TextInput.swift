public import Input

extension InputRouter {
  /// Lets an input method take a step in the text of the first responder. What devices sent before comes first.
  ///
  /// ```swift
  /// router.onTextInput = { input.textInput.state = $0 }   // a WaylandInput
  /// input.textInput.onComposition = { router.compose($0) }
  /// ```
  public func compose(_ step: TextComposition) {
    deliver()
    firstResponder?.compose(step)
  }

  /// Tells the input method what there is to write in, if that is another.
  func tellTextInput() {
    guard let onTextInput else { return }
    let state = firstResponder?.textInputState
    guard state != toldTextInput else { return }
    toldTextInput = state
    onTextInput(state)
  }
}
