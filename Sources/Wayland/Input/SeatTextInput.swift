import CWaylandClient
import CWaylandProtocols
import Geometry
import Input

/// The input method of a seat.
@MainActor
final class SeatTextInput {
  private let pointer: OpaquePointer
  private unowned let seat: WaylandSeat
  private var window: WaylandWindow?
  /// The state that the input method has; nil while it is off.
  private var told: TextInputState?
  /// How often a state was committed: the input method answers with the number that it knows.
  private var commits: UInt32 = 0
  /// True while the input method has not heard of the newest state.
  private var isBehind = false
  private var step = TextComposition()
  private var hasMarked = false

  /// - Returns: nil where the desktop has no input methods.
  init?(of seat: WaylandSeat, _ seatPointer: OpaquePointer) {
    guard let manager = seat.connection.globals.textInputs,
      let pointer = zwp_text_input_manager_v3_get_text_input(manager, seatPointer)
    else { return nil }
    (self.seat, self.pointer) = (seat, pointer)
    zwp_text_input_v3_add_listener(pointer, Self.listener, listenerData(self))
  }

  func destroy() { zwp_text_input_v3_destroy(pointer) }

  /// The text is another one.
  func update() {
    guard let window else { return }
    guard let state = seat.textState else {
      guard told != nil else { return }
      told = nil
      (step, hasMarked) = (TextComposition(), false)
      zwp_text_input_v3_disable(pointer)
      return commit()
    }
    let isOwn = state.change == told?.change
    // An input method that does not know the newest state is told no other as the answer to what it did.
    if isOwn, isBehind { return }
    guard state != told else { return }
    if told == nil {
      zwp_text_input_v3_enable(pointer)
      (step, hasMarked) = (TextComposition(), false)
    }
    let hint: UInt32 =
      state.isSecure
      ? ZWP_TEXT_INPUT_V3_CONTENT_HINT_HIDDEN_TEXT.rawValue | ZWP_TEXT_INPUT_V3_CONTENT_HINT_SENSITIVE_DATA.rawValue : 0
    let purpose = state.isSecure ? ZWP_TEXT_INPUT_V3_CONTENT_PURPOSE_PASSWORD : ZWP_TEXT_INPUT_V3_CONTENT_PURPOSE_NORMAL
    zwp_text_input_v3_set_content_type(pointer, hint, purpose.rawValue)
    if !state.isSecure {
      let (text, anchor, head) = state.surroundings
      zwp_text_input_v3_set_surrounding_text(pointer, text, Int32(head), Int32(anchor))
    }
    let cause = isOwn ? ZWP_TEXT_INPUT_V3_CHANGE_CAUSE_INPUT_METHOD : ZWP_TEXT_INPUT_V3_CHANGE_CAUSE_OTHER
    zwp_text_input_v3_set_text_change_cause(pointer, cause.rawValue)
    let (width, height) = (Double(window.configuration.extent.width), Double(window.configuration.extent.height))
    func points(_ part: Double, _ side: Double) -> Int32 { Int32(min(max((part * side).rounded(), -32768), 32767)) }
    zwp_text_input_v3_set_cursor_rectangle(
      pointer, points(state.caret.minX, width), points(state.caret.minY, height), max(points(state.caret.width, width), 1),
      max(points(state.caret.height, height), 1))
    told = state
    commit()
  }

  private func commit() {
    commits &+= 1
    zwp_text_input_v3_commit(pointer)
    seat.connection.flush()
  }

  // MARK: Events

  private func entered(_ surface: UInt) {
    window = seat.window(surface)
    told = nil
    update()
  }

  private func left() {
    (window, told) = (nil, nil)
    let isShown = hasMarked
    (step, hasMarked) = (TextComposition(), false)
    // Text that was not complete goes.
    if isShown { seat.compose(TextComposition()) }
  }

  private func done(_ serial: UInt32) {
    isBehind = serial != commits
    let step = step
    self.step = TextComposition()
    guard told != nil, step != TextComposition() || hasMarked else { return update() }
    hasMarked = !step.marked.isEmpty
    seat.compose(step)
    update()
  }

  private static let listener = listenerTable(
    zwp_text_input_v3_listener(
      enter: { data, _, surface in
        let surface = UInt(bitPattern: surface)
        onMain(data) { (input: SeatTextInput) in input.entered(surface) }
      },
      leave: { data, _, _ in onMain(data) { (input: SeatTextInput) in input.left() } },
      preedit_string: { data, _, text, begin, end in
        let text = text.map { String(cString: $0) } ?? ""
        onMain(data) { (input: SeatTextInput) in
          input.step.marked = text
          // Both ends are -1 for a caret that is not to be seen; the end of the text is as good.
          input.step.markedCaret = begin >= 0 ? Int(end >= 0 ? end : begin) : nil
        }
      },
      commit_string: { data, _, text in
        let text = text.map { String(cString: $0) } ?? ""
        onMain(data) { (input: SeatTextInput) in input.step.inserted = text }
      },
      delete_surrounding_text: { data, _, before, behind in
        onMain(data) { (input: SeatTextInput) in
          (input.step.deletedBefore, input.step.deletedBehind) = (Int(before), Int(behind))
        }
      },
      done: { data, _, serial in onMain(data) { (input: SeatTextInput) in input.done(serial) } }))
}
