public import Geometry

/// Where contents lie in a layer whose size is not theirs. Top is above bottom as seen on screen: y points down here.
///
/// What reaches beyond the layer's bounds is not shown.
public enum ContentsGravity: String, CaseIterable, Hashable, BitwiseCopyable, Sendable {
  // In their own size, which is their pixels divided by the contents scale.
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

  /// Where something lies.
  ///
  /// - Parameters:
  ///   - size: its own size.
  ///   - bounds: what it lies in. It reaches beyond them where it is larger.
  /// - Returns: nothing for an empty size.
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

/// How contents are to be placed, apart from the bounds they are placed in.
struct ContentsPlacement: BitwiseCopyable {
  var gravity: ContentsGravity
  /// In the layer's units.
  var size: Size
  /// How much larger the bitmap is than `size`: 1, but for what a layer has drawn, whose last column and row of pixels
  /// may lie partly beyond its size.
  var overhang = Size(1, 1)

  /// Where the bitmap lies in a layer with these bounds.
  func rect(in bounds: Rect) -> Rect {
    let rect = gravity.rect(of: size, in: bounds)
    return Rect(x: rect.minX, y: rect.minY, width: rect.width * overhang.width, height: rect.height * overhang.height)
  }
}
