public import Geometry
public import Layers
public import Raster

/// Makes the rows of a list.
@MainActor
public protocol ListLayerDataSource: AnyObject {
  /// The layer of a row that is about to be seen. The list gives it its frame and its place among the rows.
  ///
  /// - Parameter recycled: the layer of a row of the same kind that is seen no more, to be filled anew; nil if there is none.
  func list(_ list: ListLayer, layerFor row: Int, recycling recycled: Layer?) -> Layer
  /// The height of a row in points; nil to ask its layer by `size(fitting:)` once it is made. Nil by default.
  func list(_ list: ListLayer, heightOf row: Int) -> Double?
  /// The kind of a row: layers are recycled for rows of their kind. Empty by default.
  func list(_ list: ListLayer, kindOf row: Int) -> String
  /// Rows that may be seen soon: the time to begin to load what they show. The nearest first, and each once until it is no more near. Nothing by
  /// default.
  func list(_ list: ListLayer, willNeed rows: [Int])
  /// Rows that are no longer near: what is being loaded for them is not needed. Nothing by default.
  func list(_ list: ListLayer, needsNoMore rows: [Int])
  /// The picture of a row, for a list with `ListLayer.images`: its name, as the loader knows it, and the size in points into which it is to
  /// fit. It is asked for as the row comes near, and again after edits. Nil, for none, by default.
  func list(_ list: ListLayer, imageFor row: Int) -> (name: String, size: Size)?
  /// Shows a row's picture in its layer; nil to show that there is none yet. It is called with what there is as the layer is made, when
  /// the picture appears, and with nil as the row leaves, so that layers that wait for other rows hold no pictures. Nothing by default.
  func list(_ list: ListLayer, show picture: Image?, in layer: Layer, of row: Int)
}

extension ListLayerDataSource {
  public func list(_ list: ListLayer, heightOf row: Int) -> Double? { nil }
  public func list(_ list: ListLayer, kindOf row: Int) -> String { "" }
  public func list(_ list: ListLayer, willNeed rows: [Int]) {}
  public func list(_ list: ListLayer, needsNoMore rows: [Int]) {}
  public func list(_ list: ListLayer, imageFor row: Int) -> (name: String, size: Size)? { nil }
  public func list(_ list: ListLayer, show picture: Image?, in layer: Layer, of row: Int) {}
}
