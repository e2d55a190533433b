import Foundation
import Geometry
import Layers
import Layouts

/// A case of `Cases`: a style tree and the rectangles in which a browser lays it out. See `collect`.
struct LayoutCase: Decodable {
  let name: String
  let tree: StyleNode
  let rects: [[Double]]

  static func all(in file: String) throws -> [LayoutCase] {
    let folder = String(#filePath.dropLast("LayoutCase.swift".count)) + "Cases/"
    return try JSONDecoder().decode([LayoutCase].self, from: Data(contentsOf: URL(fileURLWithPath: folder + file)))
  }
}

/// A node of a style tree: the settings of a layer as an item, and as a stack or a grid.
final class StyleNode: Decodable {
  let grow, shrink, aspectRatio: Double?
  let order: Int?
  let basis, width, height, minWidth, minHeight, maxWidth, maxHeight: Length?
  let alignSelf, alignment: StackLayout.Alignment?
  let margin: [Length]?
  let absolute: [String: Length]?
  let direction: StackLayout.Direction?
  let wrap: StackLayout.Wrap?
  let justification: StackLayout.Distribution?
  let lineAlignment: StackLayout.LineAlignment?
  let layoutDirection: StackLayout.LayoutDirection?
  let columns, rows, autoColumns, autoRows, column, row: String?
  let flow: GridLayout.Flow?
  let justifyItems, alignItems, justifySelf: StackLayout.Alignment?
  let justifyContent, alignContent: StackLayout.LineAlignment?
  let gap, padding, content, words: [Double]?
  let children: [StyleNode]?

  /// A number, a percentage, `auto` or `content`.
  enum Length: Decodable {
    case length(LayoutLength)
    case word(String)

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let points = try? container.decode(Double.self) {
        self = .length(.points(points))
      } else {
        let text = try container.decode(String.self)
        self = text.hasSuffix("%") ? .length(.percent(Double(text.dropLast()) ?? .nan)) : .word(text)
      }
    }

    var length: LayoutLength? {
      guard case .length(let length) = self else { return nil }
      return length
    }

    var margin: LayoutMargin {
      guard case .length(.points(let points)) = self else { return .auto }
      return .points(points)
    }
  }

  private var item: LayoutItem {
    var item = LayoutItem()
    if let grow { item.grow = grow }
    if let shrink { item.shrink = shrink }
    if let order { item.order = order }
    switch basis {
    case .length(let length): item.basis = .length(length)
    case .word("content"): item.basis = .content
    default: break
    }
    (item.alignSelf, item.aspectRatio) = (alignSelf, aspectRatio)
    item.justifySelf = justifySelf
    if let column { item.column = StyleText.placement(column) }
    if let row { item.row = StyleText.placement(row) }
    (item.width, item.height) = (width?.length, height?.length)
    (item.minWidth, item.minHeight) = (minWidth?.length, minHeight?.length)
    (item.maxWidth, item.maxHeight) = (maxWidth?.length, maxHeight?.length)
    if let margin {
      item.margin = LayoutMargins(
        top: margin[0].margin, left: margin[3].margin, bottom: margin[2].margin, right: margin[1].margin)
    }
    item.absolute = absolute.map {
      AbsoluteInsets(
        top: $0["top"]?.length, left: $0["left"]?.length, bottom: $0["bottom"]?.length, right: $0["right"]?.length)
    }
    return item
  }

  private var insets: Insets? {
    padding.map { Insets(top: $0[0], left: $0[3], bottom: $0[2], right: $0[1]) }
  }

  @MainActor private func manager() -> any LayoutManager { columns == nil ? stack() : grid() }

  @MainActor private func grid() -> GridLayout {
    let grid = GridLayout()
    if let columns { grid.columns = StyleText.tracks(columns) }
    if let rows { grid.rows = StyleText.tracks(rows) }
    if let autoColumns { grid.autoColumns = StyleText.list(autoColumns) }
    if let autoRows { grid.autoRows = StyleText.list(autoRows) }
    if let flow { grid.flow = flow }
    if let justifyItems { grid.justifyItems = justifyItems }
    if let alignItems { grid.alignItems = alignItems }
    if let justifyContent { grid.justifyContent = justifyContent }
    if let alignContent { grid.alignContent = alignContent }
    if let layoutDirection { grid.layoutDirection = layoutDirection }
    if let gap { grid.gap = Size(gap[0], gap[1]) }
    if let insets { grid.padding = insets }
    return grid
  }

  @MainActor private func stack() -> StackLayout {
    let stack = StackLayout(direction ?? .row)
    if let wrap { stack.wrap = wrap }
    if let justification { stack.justification = justification }
    if let alignment { stack.alignment = alignment }
    if let lineAlignment { stack.lineAlignment = lineAlignment }
    if let layoutDirection { stack.layoutDirection = layoutDirection }
    if let gap { stack.gap = Size(gap[0], gap[1]) }
    if let insets { stack.padding = insets }
    return stack
  }

  /// The layers of the tree.
  @MainActor func layer() -> ContentLayer {
    let layer = ContentLayer()
    if let content { layer.words = Words(count: 1, size: Size(content[0], content[1])) }
    if let words { layer.words = Words(count: Int(words[0]), size: Size(words[1], words[2])) }
    layer.layoutItem = item
    if let children {
      layer.layoutManager = manager()
      for child in children { layer.addSublayer(child.layer()) }
    }
    return layer
  }

  /// The tree in a stack in which it takes no room, as `collect` measures it.
  @MainActor func stage() -> (root: Layer, layer: ContentLayer) {
    let root = Layer(frame: Rect(x: 0, y: 0, width: 2000, height: 2000))
    root.layoutManager = StackLayout()
    let layer = layer()
    layer.layoutItem.absolute = AbsoluteInsets(top: 0, left: 0)
    root.addSublayer(layer)
    return (root, layer)
  }
}

/// Content that wraps: words of one size.
struct Words {
  var count = 0
  var size = Size.zero

  func size(fitting width: Double?) -> Size {
    guard count > 1 else { return size }
    let inLine = width.map { min(max(Int(($0 + 1e-6) / size.width), 1), count) } ?? count
    return Size(Double(inLine) * size.width, Double((count + inLine - 1) / inLine) * size.height)
  }
}

/// A layer of words, a stack or a grid; counts what it is asked for.
final class ContentLayer: Layer {
  var words = Words()
  private(set) var measures = 0
  private(set) var layouts = 0

  override func size(fitting proposal: SizeProposal) -> Size {
    measures += 1
    return layoutManager?.size(of: self, fitting: proposal) ?? words.size(fitting: proposal.width)
  }

  override func layoutSublayers() {
    layouts += 1
    super.layoutSublayers()
  }

  /// The layer and all below it, from the top down.
  var tree: [ContentLayer] { [self] + sublayers.flatMap { ($0 as? ContentLayer)?.tree ?? [] } }
}

extension StackLayout.Direction: Decodable {}
extension StackLayout.Wrap: Decodable {}
extension StackLayout.Distribution: Decodable {}
extension StackLayout.LineAlignment: Decodable {}
extension StackLayout.Alignment: Decodable {}
extension StackLayout.LayoutDirection: Decodable {}
extension GridLayout.Flow: Decodable {}
