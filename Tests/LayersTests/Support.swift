import Geometry
import Layers
import LinuxSystem
import Raster
import RenderTree
import XCTest

/// Writes down what is called on it.
final class RecordingLayer: Layer {
  nonisolated(unsafe) static var journal: [String] = []  // One test at a time, on the main thread.
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

/// A context on a manual turn: `turn()` does what an engine does at the end of one.
@MainActor
final class Stage {
  let root: Layer
  let context: LayerContext
  private(set) var commitRequests = 0
  private(set) var now = MonotonicTime.zero

  init(root: Layer? = nil, workers: WorkerPool = Stage.workers, scale: Double = 1) {
    self.root = root ?? Layer(frame: Rect(x: 0, y: 0, width: 100, height: 100))
    context = LayerContext(root: self.root, workers: workers, scale: scale)
    context.onNeedsCommit = { [unowned self] in commitRequests += 1 }
  }

  nonisolated static let workers = WorkerPool(threads: 2)

  @discardableResult
  func turn(after milliseconds: Int64 = 0) -> CommitPhases {
    now += .milliseconds(milliseconds)
    context.publishFinishedDrawings()
    defer { Transaction.endTurn() }
    return context.commit(at: now)
  }

  /// Turns until a worker has got so far; gives up after ten seconds of the machine's clock, so that a fault ends the test.
  func turn(until condition: () -> Bool) {
    let deadline = SystemClock.monotonic.now + .seconds(10)
    repeat { turn() } while !condition() && SystemClock.monotonic.now < deadline
    XCTAssertTrue(condition(), "not within ten seconds")
  }

  /// The tree at a time after the last turn's.
  func tree(after milliseconds: Int64 = 0) -> TreeSnapshot {
    context.renderTree(at: now + .milliseconds(milliseconds))
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

/// Runs the body of a test of XCTest, which is called on the process's main thread, on the main actor.
func onMain(_ body: @MainActor () throws -> Void) rethrows {
  try MainActor.assumeIsolated(body)
}
