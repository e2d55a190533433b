import LinuxSystem

/// The animations of a layer in the order in which they were added.
struct LayerAnimations: RandomAccessCollection {
  private var running: [RunningAnimation] = []
  /// See `stack()`; nil until it is asked for after a change.
  private var knownStack: AnimationStack?

  var startIndex: Int { 0 }
  var endIndex: Int { running.count }
  subscript(index: Int) -> RunningAnimation { running[index] }

  /// The same as they are evaluated; nil without any. It is another one only after a change of what they show.
  @inline(__always)
  mutating func stack() -> AnimationStack? {
    if let knownStack { return knownStack }
    if running.isEmpty { return nil }
    knownStack = .make(running.map(\.timed)[...])
    return knownStack
  }

  mutating func append(_ animation: RunningAnimation) {
    running.append(animation)
    knownStack = nil
  }

  mutating func remove(at index: Int) -> RunningAnimation {
    knownStack = nil
    return running.remove(at: index)
  }

  mutating func moveLastBelowAll() {
    running.insert(running.removeLast(), at: 0)
    knownStack = nil
  }

  mutating func removeAll() { self = LayerAnimations() }

  /// Begins the one that was added last unless its beginning is known.
  mutating func beginLast(at time: MonotonicTime) {
    guard !running.isEmpty else { return }
    running[running.count - 1].begin(at: time)
    knownStack = nil
  }

  /// Notes that the committed tree has them, see `RunningAnimation.commit(at:shown:)`.
  mutating func commit(at time: MonotonicTime, shown: MonotonicTime) {
    for index in running.indices where running[index].commit(at: time, shown: shown) { knownStack = nil }
  }

  mutating func setReported(_ report: RunningAnimation.Report, at index: Int) { running[index].setReported(report) }
}
