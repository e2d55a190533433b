import Layers
import LinuxSystem

/// The reason why a state cannot be set from outside a scene.
public enum SceneStateError: Error, Hashable, Sendable, CustomStringConvertible {
  /// No layer has the name.
  case noLayer(String)
  /// The layer has no such state, or no layer has one if none was named.
  case noState(String, layer: String?)
  /// Several layers have the name; the lines of the text where they stand.
  case severalLayers(String, lines: [Int])
  /// Several layers have such a state, and none was named.
  case severalStates(String, lines: [Int])
  /// A state was to be taken away, and no layer was named.
  case layerMissing

  public var description: String {
    let text =
      switch self {
      case .noLayer(let name): "no layer of the scene has the name \(name)"
      case .noState(let state, let layer?): "the layer \(layer) has no state \(state)"
      case .noState(let state, nil): "no layer of the scene has a state \(state)"
      case .severalLayers(let name, let lines):
        "the layers in \(Self.text(lines)) have the name \(name): give each a name of its own"
      case .severalStates(let state, let lines): "the layers in \(Self.text(lines)) have a state \(state): name the layer"
      case .layerMissing: "name the layer whose state is taken away"
      }
    return text.withoutControlCharacters
  }

  private static func text(_ all: [Int]) -> String {
    // They are in their order.
    let lines = all.indices.filter { $0 == 0 || all[$0] != all[$0 - 1] }.map { all[$0] }
    if lines.count == 1 { return "line \(lines[0])" }
    return "lines " + lines.dropLast().map { "\($0)" }.joined(separator: ", ") + " and " + (lines.last.map { "\($0)" } ?? "")
  }
}

extension LayerNames {
  /// The layer with a name that has a state, or without a name the only one that has it.
  @MainActor
  func layer(_ name: String?, withState state: String?) throws(SceneStateError) -> Layer {
    guard let name else {
      guard let state else { throw .layerMissing }
      guard let all = states[state] else { throw .noState(state, layer: nil) }
      guard all.count == 1 else { throw .severalStates(state, lines: all.prefix(5).map(\.line)) }
      return all[0].layer
    }
    guard let all = layers[name] else { throw .noLayer(name) }
    guard all.count == 1 else { throw .severalLayers(name, lines: all.prefix(5).map(\.line)) }
    let layer = all[0].layer
    if let state, !layer.states.contains(where: { $0.name == state }) { throw .noState(state, layer: name) }
    return layer
  }
}
