public import Layers

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
}

extension ListLayerDataSource {
  public func list(_ list: ListLayer, heightOf row: Int) -> Double? { nil }
  public func list(_ list: ListLayer, kindOf row: Int) -> String { "" }
  public func list(_ list: ListLayer, willNeed rows: [Int]) {}
  public func list(_ list: ListLayer, needsNoMore rows: [Int]) {}
}
