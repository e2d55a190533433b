import Geometry
package import WaylandTesting

extension CompositorWindow {
  /// The mistake in the places of the window's own frame around its content, or nil.
  package var frameFault: String? {
    guard let (width, height) = contentSize, !frameParts.isEmpty else { return nil }
    let floating = [
      IntRect(x: -8, y: -38, width: width + 16, height: 38), IntRect(x: -8, y: 0, width: 8, height: height),
      IntRect(x: width, y: 0, width: 8, height: height), IntRect(x: -8, y: height, width: width + 16, height: 8),
    ]
    let fitted = [IntRect(x: 0, y: -30, width: width, height: 30)]
    let isWhole = geometry == IntRect(x: 0, y: -30, width: width, height: height + 30)
    return isWhole && (frameParts == floating || frameParts == fitted)
      ? nil : "a frame of \(frameParts) and \(String(describing: geometry)) around \(width)x\(height)"
  }
}
