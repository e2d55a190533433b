import Geometry
import LinuxSystem
import RenderTree
import SceneText

@testable import Layers

/// Plays a program on layers and on the reference, and compares after each edit what was told, and after each turn what is shown.
@MainActor
struct ModelPlayer {
  private let real = LayerWorld()
  private let reference = ReferenceWorld()

  private init(_ program: ModelProgram) {
    for (index, parent) in program.parents.enumerated() { _ = play(.insert(index + 1, into: parent, at: 9)) }
    _ = play(.turn(after: 0, looks: []))
  }

  /// Plays a program.
  ///
  /// - Returns: the first difference, with the number of the edit at which it was seen.
  static func failure(of program: ModelProgram) -> (edit: Int, text: String)? {
    let player = ModelPlayer(program)
    defer { player.real.finish() }
    for (index, edit) in program.edits.enumerated() {
      if let failure = player.play(edit) { return (index, failure) }
    }
    return nil
  }

  /// The tree with which a program begins, as text.
  static func tree(of program: ModelProgram) throws -> String {
    let player = ModelPlayer(program)
    defer { player.real.finish() }
    return try Scene.text(of: player.real.stage.root)
  }

  private func play(_ edit: ModelEdit) -> String? {
    real.play(edit)
    reference.play(edit)
    if let failure = differenceOfLogs { return failure }
    guard case .turn(_, let looks) = edit else { return nil }
    if let layer = real.undead { return "\(layer) is still alive" }
    if let failure = differenceOfLayers { return failure }
    for look in looks {
      if let failure = difference(in: look) { return failure }
    }
    return nil
  }

  // MARK: Differences

  private var differenceOfLogs: String? {
    let (told, expected) = (real.log.entries, reference.model.log)
    guard told != expected else { return nil }
    let same = zip(told, expected).prefix { $0 == $1 }.count
    return "told \(told.dropFirst(same)) instead of \(expected.dropFirst(same)), after \(told.prefix(same).suffix(4))"
  }

  private var differenceOfLayers: String? {
    guard Set(reference.layers.keys) == Set(real.layers.keys).union([0]) else { return "other layers are alive" }
    for (number, part) in reference.layers {
      let inside = real.layer(number)?.sublayers.map { $0.name ?? "" }
      if inside != part.inside.map({ "layer\($0.name)" }) { return "layer \(number) has the sublayers \(inside ?? [])" }
      let gray = real.layers[number]?.shownGray
      if gray != part.picture { return "layer \(number) shows \(gray ?? -1) instead of \(part.picture ?? -1)" }
    }
    return nil
  }

  private func difference(in look: ModelEdit.Look) -> String? {
    let time = real.stage.now + Nanoseconds(look.after)
    let viewer = real.displays[look.display]
    let tree = viewer?.renderTree(at: time) ?? real.stage.context.renderTree(at: time)
    let model = reference.model
    model.look(at: time.seconds, display: viewer == nil ? nil : look.display)
    if model.hasNews(at: time.seconds), !real.stage.context.isDirty { return "nobody asks for a commit at \(time)" }
    let drawn = model.committed
    guard tree.records.count == drawn.count else { return "\(tree.records.count) records instead of \(drawn.count)" }
    for (record, part) in zip(tree.records, drawn) {
      let (place, expected) = (record.transform, part.shown(at: time.seconds))
      guard isClose([place.tx, place.ty], expected.values.prefix(2).map { $0 - part.size / 2 }) else {
        return "layer \(part.name) is drawn at \(place.tx), \(place.ty) instead of \(expected) at \(time)"
      }
    }
    for (number, part) in reference.layers {
      guard let shown = real.layer(number)?.presentation(at: time) else { continue }
      let expected = part.shown(at: part.time(at: time.seconds))
      let got = [
        shown.position.x, shown.position.y, shown.opacity, shown.cornerRadius, shown[.movedLevel],
        shown.rare.transition?.progress ?? -1,
      ]
      guard isClose(got, expected.values + [expected.transition ?? -1]) else {
        return "layer \(number) shows \(got) instead of \(expected) at \(time)"
      }
    }
    return nil
  }

  private func isClose(_ got: [Double], _ expected: [Double]) -> Bool {
    zip(got, expected).allSatisfy { abs($0 - $1) <= 1e-4 + abs($1) * 1e-6 }
  }
}
