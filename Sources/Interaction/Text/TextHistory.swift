/// The states of a text that `undo` and `redo` go to.
struct TextHistory: Hashable, Sendable {
  /// A text as it was before a step.
  struct Step: Hashable, Sendable {
    var string: String
    var selection: TextSelection
  }

  /// Changes that follow each other are one step if they are of the same kind.
  enum Kind: Hashable, Sendable {
    case typing
    case deletion(TextDirection)
    /// A step of its own.
    case other
  }

  /// The most steps that are kept; older ones are forgotten.
  static let limit = 100

  private var past: [Step] = []
  private var future: [Step] = []
  /// The kind of the step that further changes may belong to.
  private var open = Kind.other

  var canUndo: Bool { !past.isEmpty }
  var canRedo: Bool { !future.isEmpty }

  /// Called before a change.
  ///
  /// - Parameter next: the kind of changes that continue it.
  mutating func record(_ step: Step, _ kind: Kind, next: Kind) {
    future.removeAll()
    let continues = kind != .other && kind == open
    open = next
    if continues { return }
    if past.count == Self.limit { past.removeFirst() }
    past.append(step)
  }

  /// Lets the next change be a step of its own.
  mutating func close() { open = .other }

  mutating func undo(from current: Step) -> Step? {
    close()
    guard let step = past.popLast() else { return nil }
    future.append(current)
    return step
  }

  mutating func redo(from current: Step) -> Step? {
    close()
    guard let step = future.popLast() else { return nil }
    past.append(current)
    return step
  }
}
