/// The phases of a gesture that lasts, each with its data. They follow each other as its methods say, and in no other way.
enum ContinuousPhase<Before: Sendable, During: Sendable>: Sendable {
  case possible(Before)
  case began(During)
  case changed(During)
  case ended(During)
  case cancelled(During)
  case failed

  var state: GestureState {
    switch self {
    case .possible: .possible
    case .began: .began
    case .changed: .changed
    case .ended: .ended
    case .cancelled: .cancelled
    case .failed: .failed
    }
  }

  /// The data of a gesture that has begun, also after its end.
  var during: During? {
    switch self {
    case .began(let during), .changed(let during), .ended(let during), .cancelled(let during): during
    case .possible, .failed: nil
    }
  }

  mutating func begin(_ during: During) {
    if case .possible = self { self = .began(during) }
  }

  /// Becomes another gesture, or none.
  mutating func fail() {
    if case .possible = self { self = .failed }
  }

  mutating func change(_ during: During) {
    switch self {
    case .began, .changed: self = .changed(during)
    case .possible, .ended, .cancelled, .failed: break
    }
  }

  /// Takes other data without a change that is told.
  mutating func update(_ during: During) {
    switch self {
    case .began: self = .began(during)
    case .changed: self = .changed(during)
    case .possible, .ended, .cancelled, .failed: break
    }
  }

  /// Ends: a gesture that has not begun fails.
  mutating func end() {
    switch self {
    case .possible: self = .failed
    case .began(let during), .changed(let during): self = .ended(during)
    case .ended, .cancelled, .failed: break
    }
  }

  /// Ends, as something else takes the gesture: one that has not begun fails.
  mutating func cancel() {
    switch self {
    case .possible: self = .failed
    case .began(let during), .changed(let during): self = .cancelled(during)
    case .ended, .cancelled, .failed: break
    }
  }
}
