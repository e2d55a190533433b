/// The layers of a tree that were marked since the last commit, by what is to be done for them.
///
/// A commit takes a list out before it handles it: an application's code runs meanwhile, and may mark others.
@MainActor
struct DirtyLayers {
  /// For layout, by their depth below the root.
  private var layouts: [[Layer]] = []
  /// For display.
  private var displays: [Layer] = []
  /// Their records in the committed tree are to be made anew.
  private var records: [Layer] = []
  /// True if layers came or went, or changed their order.
  var isStructureMarked = true
  /// True if the clock of a layer was changed.
  var areClocksMarked = false

  /// True if nothing is marked.
  var isEmpty: Bool { !hasLayouts && displays.isEmpty && !isTreeStale && !areClocksMarked }

  var hasLayouts: Bool { layouts.contains { !$0.isEmpty } }
  var hasDisplays: Bool { !displays.isEmpty }
  /// True if the committed tree is no longer that of the layers.
  var isTreeStale: Bool { isStructureMarked || !records.isEmpty }

  /// The numbers of layers that are marked for layout and for display.
  var counts: (layouts: Int, displays: Int) { (layouts.reduce(0) { $0 + $1.count }, displays.count) }

  /// The number of depths at which layers may be marked for layout.
  var depthCount: Int { layouts.count }

  // MARK: Marks

  mutating func markLayout(_ layer: Layer) {
    while layouts.count <= layer.depth { layouts.append([]) }
    layouts[layer.depth].append(layer)
    layer.isLayoutMarked = true
  }

  mutating func markDisplay(_ layer: Layer) {
    displays.append(layer)
    layer.isDisplayMarked = true
  }

  mutating func markRecord(_ layer: Layer) {
    records.append(layer)
    layer.isRecordMarked = true
  }

  // MARK: Handling

  /// Takes out the layers of a depth that are marked for layout.
  mutating func takeLayouts(atDepth depth: Int) -> [Layer] { exchange(&layouts[depth], with: []) }

  mutating func takeDisplays() -> [Layer] { exchange(&displays, with: []) }

  /// Exchanges the layers whose records are marked for an empty list.
  mutating func takeRecords(_ list: inout [Layer]) { swap(&records, &list) }

  // Empty lists are given back, so that the next marks find their memory.

  mutating func giveBackLayouts(_ list: [Layer], atDepth depth: Int) {
    if layouts[depth].isEmpty { layouts[depth] = list }
  }

  mutating func giveBackDisplays(_ list: [Layer]) {
    if displays.isEmpty { displays = list }
  }
}
