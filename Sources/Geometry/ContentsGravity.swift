/// A rule that places contents in a layer of another size. Top is above bottom as seen on screen: y points down here.
///
/// Contents that reach beyond the layer's bounds are cut off.
///
/// ```swift
/// let place = ContentsGravity.resizeAspect.rect(of: Size(320, 200), in: Rect(x: 0, y: 0, width: 1920, height: 1080))
/// ```
public enum ContentsGravity: String, CaseIterable, Hashable, BitwiseCopyable, Sendable {
  // The next nine keep the contents' own size, which is their pixels divided by the contents scale.
  case center
  case top
  case bottom
  case left
  case right
  case topLeft
  case topRight
  case bottomLeft
  case bottomRight
  /// Stretched to the bounds.
  case resize
  /// As large as fits into the bounds with unchanged proportions, in the middle.
  case resizeAspect
  /// As small as fills the bounds with unchanged proportions, in the middle.
  case resizeAspectFill

  /// The place of something of this size in `bounds`. It reaches beyond them where it is larger; an empty size gives `.zero`.
  public func rect(of size: Size, in bounds: Rect) -> Rect {
    guard !size.isEmpty else { return .zero }
    var (width, height) = (size.width, size.height)
    switch self {
    case .resize:
      (width, height) = (bounds.width, bounds.height)
    case .resizeAspect, .resizeAspectFill:
      let horizontal = bounds.width / width
      let vertical = bounds.height / height
      let scale = self == .resizeAspect ? min(horizontal, vertical) : max(horizontal, vertical)
      width *= scale
      height *= scale
    default:
      break
    }
    let x =
      switch self {
      case .left, .topLeft, .bottomLeft, .resize: bounds.minX
      case .right, .topRight, .bottomRight: bounds.maxX - width
      default: bounds.midX - width / 2
      }
    let y =
      switch self {
      case .top, .topLeft, .topRight, .resize: bounds.minY
      case .bottom, .bottomLeft, .bottomRight: bounds.maxY - height
      default: bounds.midY - height / 2
      }
    return Rect(x: x, y: y, width: width, height: height)
  }
}
