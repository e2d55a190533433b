import Geometry
import Glibc
import Layers
import LinuxSystem
import Raster
import RenderTree
import XCTest

/// A layer that records the calls of its overrides.
final class RecordingLayer: Layer {
  nonisolated(unsafe) static var journal: [String] = []  // Tests run one at a time, on the main thread.
  var onLayout: ((RecordingLayer) -> Void)?
  var onDraw: ((DrawingContext) -> Void)?
  private(set) var layouts = 0
  private(set) var draws = 0

  convenience init(_ name: String, size: Double = 10) {
    self.init(frame: Rect(x: 0, y: 0, width: size, height: size))
    self.name = name
  }

  override func layoutSublayers() {
    layouts += 1
    Self.journal.append(name ?? "")
    onLayout?(self)
  }

  override func draw(in context: DrawingContext) {
    draws += 1
    onDraw?(context)
  }
}

/// A context with a manual turn: `turn()` does the same as an engine at the end of a turn.
///
/// Its test cases are `@preconcurrency @MainActor`: XCTest calls their tests on the process's main thread, and without
/// `@preconcurrency` the list of tests that SwiftPM makes cannot hold them.
@MainActor
final class Stage {
  let root: Layer
  let context: LayerContext
  private(set) var commitRequests = 0
  private(set) var now = MonotonicTime.zero

  init(root: Layer? = nil, workers: WorkerPool = Stage.workers, scale: Double = 1, now: MonotonicTime = .zero) {
    self.now = now
    self.root = root ?? Layer(frame: Rect(x: 0, y: 0, width: 100, height: 100))
    context = LayerContext(root: self.root, workers: workers, scale: scale)
    context.onNeedsCommit = { [unowned self] in commitRequests += 1 }
  }

  /// A stage that has shown a layer in its root.
  static func showing<Kind: Layer>(_ layer: Kind) -> (stage: Stage, layer: Kind) {
    let stage = Stage()
    stage.root.addSublayer(layer)
    stage.turn()
    return (stage, layer)
  }

  nonisolated static let workers = WorkerPool(threads: 2)

  @discardableResult
  func turn(after milliseconds: Int64 = 0) -> CommitPhases {
    now += .milliseconds(milliseconds)
    context.publishFinishedDrawings()
    defer { Transaction.endTurn() }
    return context.commit(at: now)
  }

  /// Runs turns until a worker's result arrives. Fails after a minute in real time.
  func turn(until condition: () -> Bool) {
    let deadline = SystemClock.monotonic.now + .seconds(60)
    repeat { turn() } while !condition() && SystemClock.monotonic.now < deadline
    XCTAssertTrue(condition(), "not within a minute")
  }

  /// The tree at a time after the last turn.
  func tree(after milliseconds: Int64 = 0) -> TreeSnapshot {
    context.renderTree(at: now + .milliseconds(milliseconds))
  }

  func contentRect(ofRecordAt index: Int) -> Rect {
    let tree = tree()
    return tree.sides[index].effects.contentRect(in: tree.records[index].bounds)
  }

  func record(of layer: Layer, after milliseconds: Int64 = 0) -> RenderRecord? {
    let probe = tree(after: milliseconds)
    return probe.records.first { $0.bounds.width == layer.bounds.width && $0.bounds.height == layer.bounds.height }
  }
}

extension Layer {
  func add(_ sublayers: Layer...) {
    for layer in sublayers { addSublayer(layer) }
  }
}

func milliseconds(_ count: Int64) -> MonotonicTime { MonotonicTime(nanoseconds: count * 1_000_000) }

/// Runs the body of a test on the main actor, in a test case that is not of it.
func onMain(_ body: @MainActor () throws -> Void) rethrows {
  try MainActor.assumeIsolated(body)
}

func hasSamePixels(_ one: Image, _ other: Image) -> Bool {
  one.width == other.width && one.height == other.height
    && (0..<one.height).allSatisfy { memcmp(one.row($0), other.row($0), one.width * 4) == 0 }
}
