import Layers

/// The names of layers in a printed scene. In a tree a state means the first of several layers with a name; in a text, where that is a
/// mistake, the others get a number behind their name.
@MainActor
struct PrintedNames {
  private var changed: [ObjectIdentifier: String] = [:]

  init() {}

  init(_ root: Layer, _ events: [Scene.Event]) {
    var search = Search()
    search.visit(root, events.map(\.layer))
    guard !search.ambiguous.isEmpty else { return }
    var numbers: [String: Int] = [:]
    for layer in search.ambiguous {
      guard let name = layer.name else { continue }
      var printed = name
      repeat {
        numbers[name, default: 1] += 1
        printed = "\(name) \(numbers[name] ?? 2)"
      } while search.all.contains(printed)
      changed[ObjectIdentifier(layer)] = printed
    }
  }

  subscript(layer: Layer) -> String? { changed[ObjectIdentifier(layer)] ?? layer.name }

  /// The name of a state: `none` would be no state.
  static func state(_ name: String) -> String { name == "none" ? "none " : name }

  /// Goes through a tree in its order.
  @MainActor
  private struct Search {
    /// All names.
    var all: Set<String> = []
    /// Layers that have the name of one before them, which a state or an event means.
    var ambiguous: [Layer] = []
    private var marked: Set<ObjectIdentifier> = []
    /// By name, the layers that were visited, with their numbers; those in masks apart.
    private var visited: [String: [(number: Int, layer: Layer)]] = [:]
    private var count = 0

    /// - Parameter events: the names in events, which find the layer itself too.
    mutating func visit(_ layer: Layer, _ events: [String] = []) {
      count += 1
      let number = count
      if let name = layer.name {
        all.insert(name)
        visited[name, default: []].append((number, layer))
      }
      if let mask = layer.mask {
        let outside = visited
        visited = [:]
        visit(mask)
        visited = outside
      }
      for sublayer in layer.sublayers { visit(sublayer) }
      for name in Set(layer.targetsOfStates.lazy.compactMap(\.self)) { mark(name, after: number) }
      for name in Set(events) { mark(name, after: number - 1) }
    }

    /// Marks all layers with a name after the first one that is behind a number.
    private mutating func mark(_ name: String, after number: Int) {
      guard let layers = visited[name] else { return }
      // They are at the end.
      var first = layers.count
      while first > 0, layers[first - 1].number > number { first -= 1 }
      for (_, layer) in layers[first...].dropFirst() where marked.insert(ObjectIdentifier(layer)).inserted {
        ambiguous.append(layer)
      }
    }
  }
}

extension Layer {
  /// The names in its states and their transitions; nil for the layer itself.
  var targetsOfStates: [String?] {
    states.flatMap { $0.elements.map(\.target) } + valuesBeforeState.map(\.target)
      + stateTransitions.flatMap { $0.animations.map(\.target) }
  }
}
