import Geometry
import Layers
import LinuxSystem
import Raster
import TestLength
import XCTest

/// Random programs on layers whose pictures are drawn by simulated workers, in the middle of drawings too, and what must hold in
/// each turn of them.
@preconcurrency @MainActor final class AsynchronousProgramTests: XCTestCase {
  func testRandomPrograms() {
    for seed in some(400, of: 1...20_000) {
      let program = Program(seed: UInt64(seed))
      program.run()
      if let failure = program.failure { return XCTFail("seed \(seed): \(failure)") }
    }
  }
}

@MainActor
private final class Program {
  /// A picture that a commit began.
  private struct Request {
    /// Its layer, by its number.
    let layer: Int
    /// The requests with the same number are to appear together.
    let group: Int
    /// True once the layer asked for a newer one.
    var isSuperseded = false
    /// True once its layer left the tree.
    var isOver = false
    /// The turn in which it was shown.
    var shown: Int?
  }

  private(set) var failure: String?
  private var random: SplitMix64
  private let workers: SimulatedWorkers
  /// By the numbers of their pictures, from 1 on.
  private var requests: [Int: Request] = [:]
  /// The layers' numbers, and the pictures that they showed after the last turn.
  private var layers: [(layer: NumberedLayer, number: Int, shown: Int)] = []
  private var layerCount = 0
  /// The groups of the coming commit.
  private var groups: [DrawingPriority: Int] = [:]
  private var groupCount = 0
  private var turns = 0
  private var depth = 0
  private var isEnding = false

  init(seed: UInt64) {
    random = SplitMix64(seed: seed)
    workers = SimulatedWorkers(layers: 0, threads: Int(seed % 3) + 1)
    for _ in 0..<4 { addLayer() }
  }

  func run() {
    for _ in 0..<80 where failure == nil { step() }
    isEnding = true
    for (layer, _, _) in layers {
      if layer.superlayer == nil { workers.stage.root.addSublayer(layer) }
      if layer.bounds.isEmpty { layer.bounds.size = Size(4, 4) }
    }
    turn()
    workers.workOff()
    turn()
    for (layer, number, _) in layers {
      let newest = requests.filter { $0.value.layer == number }.keys.max()
      check(layer.shown == newest, "at rest \(layer.shown ?? 0) is shown, not \(newest ?? 0)")
    }
    check(workers.stage.context.pendingDrawings == 0, "drawings wait for ever")
    check(Set(workers.log.begun).count == workers.log.begun.count, "a picture was drawn twice")
  }

  private func check(_ condition: Bool, _ message: @autoclosure () -> String) {
    if !condition, failure == nil { failure = "turn \(turns): \(message())" }
  }

  // MARK: Events

  private func step() {
    switch Int.random(in: 0..<12, using: &random) {
    case 0, 1, 2: turn()
    case 3, 4, 5: for _ in 0..<Int.random(in: 1...3, using: &random) { _ = workers.pool.runNextJob() }
    default: change(.random(in: layers.indices, using: &random))
    }
  }

  private func change(_ index: Int) {
    let layer = layers[index].layer
    switch Int.random(in: 0..<14, using: &random) {
    case 0: layer.publishesDrawingsAlone.toggle()
    case 1, 2: layer.drawingPriority = DrawingPriority.allCases.randomElement(using: &random) ?? .normal
    case 3: layer.bounds.size = layer.bounds.isEmpty ? Size(4, 4) : .zero
    case 4:
      leave(layer, layers[index].number)
      if random.chance(0.7) { workers.stage.root.addSublayer(layer) }
    case 5:
      leave(layer, layers[index].number)
      layers.remove(at: index)
      addLayer()
    default: layer.setNeedsDisplay()
    }
  }

  private func addLayer() {
    layerCount += 1
    let (layer, number) = (workers.makeLayer(), layerCount)
    layer.picture = { [unowned self] in request($0, number) }
    workers.stage.root.addSublayer(layer)
    layers.append((layer, number, 0))
  }

  private func leave(_ layer: Layer, _ number: Int) {
    layer.removeFromSuperlayer()
    for (picture, request) in requests where request.layer == number { requests[picture]?.isOver = true }
  }

  /// A commit begins a picture.
  private func request(_ layer: NumberedLayer, _ number: Int) -> (number: Int, meanwhile: @MainActor () -> Void) {
    for (picture, request) in requests where request.layer == number { requests[picture]?.isSuperseded = true }
    groupCount += 1
    let group = layer.publishesDrawingsAlone ? groupCount : groups[layer.drawingPriority, default: groupCount]
    if !layer.publishesDrawingsAlone { groups[layer.drawingPriority] = group }
    let picture = requests.count + 1
    requests[picture] = Request(layer: number, group: group)
    return (picture, { [unowned self] in begin(picture) })
  }

  /// A worker draws a picture.
  private func begin(_ picture: Int) {
    check(requests[picture]?.isOver == false, "picture \(picture) is drawn, although its layer left before")
    depth += 1
    if !isEnding, depth <= 3 { for _ in 0..<Int.random(in: 0...4, using: &random) { step() } }
    depth -= 1
  }

  private func turn() {
    turns += 1
    groups = [:]
    let before = requests
    workers.stage.turn()
    look(at: before)
  }

  // MARK: Checks

  /// Compares what is seen with the requests as they were before the turn.
  private func look(at before: [Int: Request]) {
    var appeared: Set<Int> = []
    for index in layers.indices {
      let (layer, number, old) = layers[index]
      guard let picture = layer.shown, picture != old else { continue }
      layers[index].shown = picture
      guard let request = before[picture] else { return check(false, "picture \(picture) appears as it is requested") }
      check(picture > old, "picture \(picture) appears after \(old), which is newer")
      check(request.layer == number, "picture \(picture) appears in another layer")
      check(!request.isOver, "picture \(picture) appears, although its layer left since")
      check(request.shown == nil, "picture \(picture) appears twice")
      requests[picture]?.shown = turns
      appeared.insert(request.group)
    }
    for (picture, request) in before where appeared.contains(request.group) {
      let isSeen = requests[picture]?.shown == turns
      check(isSeen || request.isSuperseded || request.isOver, "picture \(picture) does not appear with its group")
    }
  }
}
