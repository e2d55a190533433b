package import Geometry

/// The place at which a pointer is to be seen.
package struct VisiblePointer: Equatable {
  /// The index of its screen.
  package var screen: Int
  /// Among the frames of the screens.
  package var point: Point
}
