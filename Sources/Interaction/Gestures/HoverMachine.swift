public import Geometry

/// A pointer that is over a layer without touching it, as UIHoverGestureRecognizer's: the gesture begins when the pointer comes, changes as it
/// moves, and ends when it leaves.
///
/// A pointer without a button held is no contact: the machine is given its places instead.
public struct HoverMachine: Sendable {
  private var phase = ContinuousPhase<Void, Point>.possible(())

  public init() {}

  /// The state after everything that was handled; `possible` at first.
  public var state: GestureState { phase.state }

  /// The place of the pointer, or its last one; nil before it came.
  public var location: Point? { phase.during }

  /// Takes the place of the pointer in points of the root layer, or nil as soon as it is not over the layer. A place that is not a number is
  /// ignored.
  public mutating func handle(_ location: Point?) {
    guard let location else {
      if case .possible = phase { return }
      return phase.end()
    }
    guard location.isUsable else { return }
    if case .possible = phase { phase.begin(location) } else { phase.change(location) }
  }

  /// Something else takes the pointer: a touch, or a button that is held.
  public mutating func cancel() { phase.cancel() }

  /// Begins anew.
  public mutating func reset() { phase = .possible(()) }
}
