import Layers
import Typesetting

/// The names of layers by the ids of their records. A layer that was removed keeps the name that it had.
@MainActor
final class LayerNames {
  private struct Entry {
    weak var layer: Layer?
    var name: String
  }

  private weak var context: LayerContext?
  private var entries: [UInt32: Entry] = [:]

  init(of context: LayerContext) {
    self.context = context
  }

  /// The names of these layers. A layer without one is named by its text or its kind, and by what it is in.
  func names(of ids: Set<UInt32>) -> [UInt32: String] {
    if ids.contains(where: { entries[$0] == nil }) { findLayers(keeping: ids) }
    var names: [UInt32: String] = [:]
    for id in ids {
      if let layer = entries[id]?.layer { entries[id]?.name = Self.name(of: layer) }
      names[id] = entries[id]?.name
    }
    return names
  }

  private func findLayers(keeping ids: Set<UInt32>) {
    entries = entries.filter { ids.contains($0.key) }
    var left = context.map { [$0.root] } ?? []
    var originals: [UInt32: UInt32] = [:]
    while let layer = left.popLast() {
      entries[layer.id] = Entry(layer: layer, name: Self.name(of: layer))
      left += layer.innerLayers + layer.sublayers
      if let mask = layer.mask { left.append(mask) }
      for copy in (layer as? ReplicatorLayer)?.copyIDs ?? [] { originals[copy.id] = copy.original }
    }
    // A copy has the name of its layer, which may be a copy itself.
    for id in originals.keys {
      var original = id
      while let next = originals[original] { original = next }
      entries[id] = entries[original]
    }
  }

  /// The name of a layer; one without is named by its text or its kind, and by what it is in.
  static func name(of layer: Layer) -> String {
    if let name = layer.name { return name }
    let string = (layer as? TextLayer)?.string ?? (layer as? ParagraphLayer)?.attributedText.string ?? ""
    if !string.isEmpty { return "“\(string.prefix(20))\(!string.dropFirst(20).isEmpty ? "…" : "")”" }
    guard let superlayer = layer.superlayer else { return "root" }
    let kind = "\(type(of: layer))"
    var outer: Layer? = superlayer
    while let layer = outer {
      if let name = layer.name { return "\(kind) in \(name)" }
      outer = layer.superlayer
    }
    return kind
  }
}
