import Geometry
public import Layers

/// The settings of a layer as an item, and the sizes that its own layout has measured.
@MainActor
final class LayoutItemBox {
  var item = LayoutItem()
  weak var manager: (any LayoutManager)?
  /// A layout asks for few sizes, unless the size of a layer changes again and again.
  static let mostMeasures = 32
  var measures: [(proposal: SizeProposal, size: Size)] = []

  func size(fitting proposal: SizeProposal, by solver: @autoclosure () -> some ItemSolver) -> Size {
    if let known = measures.first(where: { $0.proposal == proposal }) { return known.size }
    let size = solver().size(fitting: proposal)
    if measures.count >= Self.mostMeasures { measures.removeAll(keepingCapacity: true) }
    measures.append((proposal, size))
    return size
  }
}

extension Layer {
  /// How the layout of the superlayer treats the layer. A layout manager of another kind need not look at it.
  public var layoutItem: LayoutItem {
    get { (layoutItemBox as? LayoutItemBox)?.item ?? LayoutItem() }
    set {
      guard newValue != layoutItem else { return }
      itemBox.item = newValue
      // The limits of a grid say how often tracks are repeated.
      if layoutManager is GridLayout { setNeedsLayout() } else { preferredSizeChanged() }
    }
  }

  var itemBox: LayoutItemBox {
    if let box = layoutItemBox as? LayoutItemBox { return box }
    let box = LayoutItemBox()
    layoutItemBox = box
    return box
  }

  /// The room that the padding of the layer's own layout takes.
  var itemPadding: Size { (layoutManager as? any PaddedLayout)?.paddingSize ?? .zero }

  /// Gives the sublayers the frames that a solver finds.
  func placeItems(by solver: some ItemSolver) {
    let (size, offset) = (placement?.exactSize ?? bounds.size, placement?.offset ?? .zero)
    let scale = outputScale
    let places = solver.places(in: size, isHeightKnown: placement?.isHeightKnown ?? true)
    func pixel(_ place: Double) -> Double { (place * scale).rounded() / scale }
    for (sublayer, place) in zip(sublayers, places) {
      let frame = place.frame
      // Both edges are rounded where they lie in the topmost layout, so that what meets before meets after.
      let (x, y) = (offset.x + frame.minX, offset.y + frame.minY)
      let corner = Point(pixel(x), pixel(y))
      let rounded = Rect(
        x: corner.x, y: corner.y, width: pixel(x + frame.width) - corner.x, height: pixel(y + frame.height) - corner.y)
      sublayer.place(
        in: rounded, exactSize: frame.size, offset: Point(x, y) - corner, isHeightKnown: place.isHeightKnown)
    }
  }
}
