import LinuxSystem

@testable import Layers

/// The reference on which a `ModelProgram` is played.
final class ReferenceWorld {
  let model = ReferenceModel()
  private(set) var layers: [Int: ReferenceLayer]
  private var displays: Set<Int> = []

  init() {
    layers = [0: model.root]
    model.react = { [weak self] in self?.play($0) }
  }

  func play(_ edit: ModelEdit) {
    switch edit {
    case .insert(let number, let into, let index): insert(number, into: into, at: index)
    case .remove(let number): if number > 0 { layers[number].map(model.remove) }
    case .kill(let number): kill(number)
    case .set(let number, let property, let value): layers[number].map { model.set(property, of: $0, to: value) }
    case .resize(let number, let size): layers[number]?.size = size
    case .add(let number, let movement, let key, let name, let reaction):
      layers[number].map { model.add(movement, to: $0, key: key, number: name, reaction) }
    case .removeAnimation(let number, let key): layers[number].map { model.removeAnimation(key, of: $0) }
    case .removeAllAnimations(let number): layers[number].map(model.removeAllAnimations)
    case .changeClock(let number, let time): layers[number]?.clock = time
    case .begin: model.begin()
    case .commit: model.commitTransaction()
    case .setDuration(let seconds): model.change { $0.duration = seconds }
    case .setCurve(let curve): model.change { $0.curve = curve }
    case .setSpring(let spring): model.change { $0.spring = spring }
    case .disableActions(let isOn): model.change { $0.disablesActions = isOn }
    case .setCompletion(let name, let reaction): model.setCompletion(name, reaction)
    case .draw(let number, let gray): layers[number].map { model.draw($0, gray: gray) }
    case .finishDrawing(let number): layers[number]?.drawing?.isFinished = true
    case .setContents(let number): layers[number].map(model.setContents)
    case .addDisplay(let number): if displays.insert(number).inserted { model.addDisplay(number) }
    case .loseDisplay(let number): if displays.remove(number) != nil { model.loseDisplay(number) }
    case .move:
      displays = []
      model.move()
    case .turn(let milliseconds, _): model.turn(after: Double(milliseconds) / 1000)
    }
  }

  private func insert(_ number: Int, into: Int, at index: Int) {
    let layer = layers[number] ?? ReferenceLayer(number)
    layers[number] = layer
    guard let parent = layers[into], !parent.isInside(of: layer) else { return }
    model.insert(layer, into: parent, at: index)
  }

  private func kill(_ number: Int) {
    guard number > 0, let layer = layers[number] else { return }
    model.remove(layer)
    for inner in layer.all { layers[inner.name] = nil }
  }
}
