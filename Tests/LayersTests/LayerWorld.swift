import Geometry
import Glibc
import LinuxSystem
import Raster
import RenderTree

@testable import Layers

/// Layers on which a `ModelProgram` is played.
@MainActor
final class LayerWorld {
  private(set) var stage: Stage
  let log = Log()
  private(set) var layers: [Int: DrawnLayer] = [:]
  private(set) var displays: [Int: TreeViewer] = [:]
  /// The gates of the pictures that workers draw.
  private var gates: [Latch] = []
  private var dying: [DyingLayer] = []
  private var turns = 0

  private struct DyingLayer {
    weak var layer: Layer?
    let turn: Int
  }

  private static let workers = WorkerPool(threads: 6)

  init() { stage = Stage(workers: Self.workers) }

  func layer(_ number: Int) -> Layer? { number == 0 ? stage.root : layers[number] }

  /// A layer that nobody has any more, but that did not go with the commit after.
  var undead: Layer? { dying.lazy.filter { $0.turn < self.turns - 1 }.compactMap(\.layer).first }

  /// Leaves nothing behind for the next program.
  func finish() {
    for gate in gates + layers.values.compactMap(\.gate) { gate.open() }
    for _ in 0..<64 { Transaction.commit() }
    stage.context.invalidate()
    Transaction.endTurn()
  }

  func play(_ edit: ModelEdit) {
    switch edit {
    case .insert(let number, let into, let index): insert(number, into: into, at: index)
    case .remove(let number): layers[number]?.removeFromSuperlayer()
    case .kill(let number): kill(number)
    case .set(let number, let property, let value): set(property, of: number, to: value)
    case .resize(let number, let size): Transaction.withoutActions { layers[number]?.bounds.size = Size(size, size) }
    case .add(let number, let movement, let key, let name, let reaction): add(movement, to: number, key, name, reaction)
    case .removeAnimation(let number, let key): layer(number)?.removeAnimation(forKey: key)
    case .removeAllAnimations(let number): layer(number)?.removeAllAnimations()
    case .changeClock(let number, let time):
      layer(number)?.beginTime = .zero + .seconds(time.begin)
      layer(number)?.speed = time.speed
      layer(number)?.timeOffset = .seconds(time.offset)
    case .begin: Transaction.begin()
    case .commit: Transaction.commit()
    case .setDuration(let seconds): Transaction.animationDuration = .seconds(seconds)
    case .setCurve(let curve): Transaction.animationTimingFunction = curve
    case .setSpring(let spring): Transaction.animationSpring = spring
    case .disableActions(let isOn): Transaction.disablesActions = isOn
    case .setCompletion(let name, let reaction):
      Transaction.setCompletion { [weak self] in self?.tell("completion \(name)", reaction) }
    case .draw(let number, let gray):
      layers[number]?.gray = gray
      layers[number]?.setNeedsDisplay()
    case .finishDrawing(let number): finishDrawing(number)
    case .setContents(let number): layers[number]?.contents = nil
    case .addDisplay(let number): displays[number] = displays[number] ?? stage.context.makeViewer()
    case .loseDisplay(let number): displays.removeValue(forKey: number)?.invalidate()
    case .move: move()
    case .turn(let milliseconds, _): turn(after: milliseconds)
    }
  }

  private func tell(_ event: String, _ reaction: ModelEdit?) {
    log.append(event)
    if let reaction { play(reaction) }
  }

  private func insert(_ number: Int, into: Int, at index: Int) {
    let layer = layers[number] ?? DrawnLayer(number)
    layers[number] = layer
    guard let parent = self.layer(into), !parent.isDescendant(of: layer) else { return }
    parent.insertSublayer(layer, at: index)
  }

  private func kill(_ number: Int) {
    guard let layer = layers[number] else { return }
    layer.removeFromSuperlayer()
    for (number, inner) in layers where inner.isDescendant(of: layer) {
      dying.append(DyingLayer(layer: inner, turn: turns))
      layers[number] = nil
    }
  }

  private func set(_ property: MovedProperty, of number: Int, to value: [Double]) {
    guard let layer = layer(number) else { return }
    switch property {
    case .positionX: layer.position.x = value[0]
    case .position: layer.position = Point(value)
    case .opacity: layer.opacity = value[0]
    case .cornerRadius: layer.cornerRadius = value[0]
    case .level: layer[.movedLevel] = value[0]
    }
  }

  private func add(_ movement: Movement, to number: Int, _ key: String?, _ name: Int, _ reaction: ModelEdit?) {
    var animation = movement.animation
    animation.didStart = { [weak self] in self?.tell("start \(name)", nil) }
    animation.completion = { [weak self] isFinished in
      self?.tell("end \(name), \(isFinished ? "finished" : "not finished")", reaction)
    }
    layer(number)?.add(animation, forKey: key)
  }

  /// Another context takes the layers.
  private func move() {
    let (root, now) = (stage.root, stage.now)
    displays = [:]
    stage.context.invalidate()
    stage = Stage(root: root, workers: Self.workers, now: now)
  }

  /// Lets a worker finish the picture of a layer, and waits until it is delivered as far as it can be.
  private func finishDrawing(_ number: Int) {
    guard let layer = layers[number] else { return }
    layer.gate?.open()
    for group in stage.context.drawings.pending {
      guard let job = group.members.first(where: { $0.taker === layer && !$0.job.isCancelled })?.job else { continue }
      while job.isUnderWay { sched_yield() }
      if !group.members.contains(where: \.job.isUnderWay) { group.countdown.wait() }
    }
  }

  private func turn(after milliseconds: Int64) {
    stage.turn(after: milliseconds)
    turns += 1
    // Nobody waits for pictures that are not wanted any more.
    for layer in layers.values where !layer.asynchronous.isDrawing { layer.gate?.open() }
    let wanted = layers.values.filter(\.asynchronous.isDrawing).compactMap(\.gate)
    for gate in gates where !wanted.contains(where: { $0 === gate }) { gate.open() }
    gates = wanted
  }
}

extension DrawingJob {
  fileprivate var isUnderWay: Bool {
    switch state {
    case .waiting, .drawing: true
    case .finished, .failed, .cancelled: false
    }
  }
}

/// A layer that workers draw: all of it in one gray.
final class DrawnLayer: Layer {
  var gray = 0
  /// The gate of the last picture.
  private(set) var gate: Latch?

  convenience init(_ number: Int) {
    self.init()
    bounds.size = Size(4, 4)
    (position, name) = (Point(10, 10), "layer\(number)")
  }

  deinit { gate?.open() }

  override func makeDrawing() -> (any Drawing)? {
    let gate = Latch()
    self.gate = gate
    return GatedDrawing(color: Color(white: Double(gray) / 255), gate: gate)
  }

  var shownGray: Int? { contents.map { Int($0.base.load(as: UInt32.self) & 0xFF) } }
}
