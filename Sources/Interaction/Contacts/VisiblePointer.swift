package import Geometry

/// The place at which a pointer is to be seen.
package struct VisiblePointer: Equatable {
  /// The index of its screen.
  package var screen: Int
  /// Among the frames of the screens.
  package var point: Point
  /// True while a button is down.
  package var isPressed = false
  /// Counts movements, clicks and turns of the wheel: one that leaves the pointer where it is, is another value all the same.
  package var uses = 0
}
