import Geometry
import LinuxSystem
import Raster
import RenderTree
import XCTest

@testable import Layers

@preconcurrency @MainActor final class AnimationTests: XCTestCase {
  func testExplicitAnimationLivesAndEnds() throws {
    let (stage, layer) = Stage.showing(Layer(frame: Rect(x: 0, y: 0, width: 7, height: 7)))
    XCTAssertFalse(stage.context.isAnimating)
    let log = Log()
    layer.add(
      BasicAnimation(
        .opacity, from: 0, to: 1, duration: .milliseconds(100), completion: { log.append("ended \($0)") }),
      forKey: "fade")
    XCTAssertEqual(stage.record(of: layer)?.opacity, 1, "not before its commit")
    XCTAssertTrue(stage.context.isDirty)
    XCTAssertTrue(stage.turn(after: 10).treeChanged)
    XCTAssertTrue(stage.context.isAnimating)
    XCTAssertEqual(try XCTUnwrap(stage.record(of: layer, after: 25)).opacity, 0.25, accuracy: 1e-6)
    XCTAssertEqual(layer.presentation.opacity, 0.25, accuracy: 1e-6)
    XCTAssertEqual(layer.opacity, 1)
    XCTAssertFalse(stage.context.isDirty, "nothing to commit while it runs")
    XCTAssertEqual(try XCTUnwrap(stage.record(of: layer, after: 99)).opacity, 0.99, accuracy: 1e-6)
    XCTAssertTrue(stage.context.isAnimating)
    XCTAssertEqual(stage.record(of: layer, after: 100)?.opacity, 1)
    XCTAssertFalse(stage.context.isAnimating)
    XCTAssertEqual(log.entries, [])
    XCTAssertTrue(stage.context.isDirty, "its end is to be reported")
    XCTAssertNotNil(layer.animation(forKey: "fade"))
    stage.turn(after: 90)
    XCTAssertEqual(log.entries, ["ended true"])
    XCTAssertNil(layer.animation(forKey: "fade"))
    stage.turn(after: 500)
    XCTAssertEqual(log.entries, ["ended true"])
  }

  func testStartIsReportedAfterTheCommitThatBeginsIt() throws {
    let stage = Stage()
    stage.turn(after: 5)
    let log = Log()
    var fade = BasicAnimation(.opacity, from: 0, to: 1, duration: .milliseconds(100), repeatCount: 2)
    fade.didStart = { log.append("start") }
    fade.completion = { log.append("end \($0)") }
    stage.root.add(fade, forKey: "fade")
    XCTAssertNil(stage.root.animation(forKey: "fade")?.beginTime)
    fade.repeatCount = 7
    XCTAssertEqual(log.entries, [])
    stage.turn(after: 10)
    XCTAssertEqual(log.entries, ["start"])
    let resolved = try XCTUnwrap(stage.root.animation(forKey: "fade"))
    XCTAssertEqual(resolved.beginTime, milliseconds(15))
    XCTAssertEqual(resolved.repeatCount, 2, "a copy")
    XCTAssertEqual(resolved.timingFunction, .linear)
    XCTAssertFalse(stage.context.isDirty)
    stage.turn(after: 200)
    XCTAssertEqual(log.entries, ["start", "end true"])
  }

  func testStartOfALaterBeginningAwakesACommit() {
    let stage = Stage()
    stage.turn()
    let log = Log()
    var fade = BasicAnimation(.opacity, from: 0, to: 1, beginTime: milliseconds(50), duration: .milliseconds(100))
    fade.didStart = {
      log.append("start")
      Transaction.withoutActions { stage.root.cornerRadius += 1 }
    }
    stage.root.add(fade)
    var past = fade
    past.beginTime = milliseconds(-500)
    past.completion = { log.append("end \($0)") }
    stage.root.add(past)
    stage.turn()
    XCTAssertEqual(log.entries, ["start"], "of the one that begins in the past, and is over")
    XCTAssertTrue(stage.context.isDirty, "changes that it makes are for the next commit")
    stage.turn()
    XCTAssertEqual(log.entries, ["start", "end true"])
    _ = stage.tree(after: 49)
    XCTAssertFalse(stage.context.isDirty)
    _ = stage.tree(after: 50)
    XCTAssertTrue(stage.context.isDirty)
    stage.turn(after: 50)
    XCTAssertEqual(log.entries, ["start", "end true", "start"])
    XCTAssertEqual(stage.root.cornerRadius, 2)
  }

  /// A beginning asks for a commit only where somebody is told of it.
  func testABeginningThatNobodyHearsOfAwakesNoCommit() {
    let stage = Stage()
    stage.turn()
    stage.root.add(BasicAnimation(.opacity, from: 0, to: 1, beginTime: milliseconds(50), duration: .milliseconds(100)))
    stage.turn()
    for time in [49, 50, 149] as [Int64] {
      _ = stage.tree(after: time)
      XCTAssertFalse(stage.context.isDirty, "\(time) ms")
    }
    _ = stage.tree(after: 150)
    XCTAssertTrue(stage.context.isDirty)
    stage.turn(after: 150)
  }

  func testAnimationThatStaysAtItsEnd() {
    let stage = Stage()
    stage.turn()
    let log = Log()
    stage.root.add(
      BasicAnimation(
        .position, to: Point(7, 8), duration: .milliseconds(10), fillMode: .forwards, isRemovedOnCompletion: false,
        completion: { log.append("\($0)") }),
      forKey: "move")
    stage.turn()
    stage.turn(after: 10)
    _ = stage.tree(after: 5)
    XCTAssertFalse(stage.context.isDirty, "its end is reported and not looked for again")
    stage.turn(after: 10)
    _ = stage.tree(after: 5)
    XCTAssertEqual(log.entries, ["true"], "reported once")
    XCTAssertFalse(stage.context.isAnimating)
    XCTAssertFalse(stage.context.isDirty)
    XCTAssertEqual(stage.root.presentation.position, Point(7, 8))
    XCTAssertEqual(stage.tree().records[0].transform.tx, 7 - 50)
    stage.root.removeAnimation(forKey: "move")
    stage.turn()
    XCTAssertEqual(stage.tree().records[0].transform.tx, 0)
    XCTAssertEqual(log.entries, ["true"])
  }

  func testRotationTurnsAllTheWay() {
    let stage = Stage()
    stage.root.transform = .scale(2)
    stage.root.add(BasicAnimation(.rotation, from: 0, to: 4 * .pi, duration: .milliseconds(1000)), forKey: "spin")
    stage.turn()
    for (time, angle) in [(0, 0.0), (125, .pi / 2), (375, -.pi / 2), (625, .pi / 2)] as [(Int64, Double)] {
      let shown = stage.root.presentation(at: milliseconds(time))
      XCTAssertEqual(shown.rotation, angle, accuracy: 1e-9, "\(time) ms")
      XCTAssertEqual(shown.affineTransform.determinant, 4, accuracy: 1e-9)
    }
  }

  func testUncommittedChangesAreNotRendered() {
    let (stage, layer) = Stage.showing(Layer())
    layer.position = Point(100, 0)
    stage.turn()
    _ = stage.tree(after: 100)
    layer.position = Point(500, 0)
    Transaction.withoutActions { layer.opacity = 0.5 }
    let tree = stage.tree(after: 250)
    XCTAssertEqual(tree.records.last?.transform.tx, 100, "the committed animation goes to the committed value")
    XCTAssertEqual(tree.records.last?.opacity, 1)
  }
}

/// A kind of layer with a property of its own, which is animated as the others are and makes its content.
@preconcurrency @MainActor final class OwnPropertyTests: XCTestCase {
  func testOwnPropertyAnimates() throws {
    Meter.images = try (0...10).map { try Bitmap(width: $0 + 1, height: 1).freeze() }
    let (stage, meter) = Stage.showing(Meter(frame: Rect(x: 0, y: 0, width: 5, height: 5)))
    func shown(after milliseconds: Int64 = 0) -> Int? {
      (stage.tree(after: milliseconds).sides[1].content as? Image).map { $0.width - 1 }
    }
    XCTAssertEqual(meter.level, 2, "its default")
    XCTAssertEqual(shown(), 2)
    Transaction.withoutActions { meter.level = 4 }
    XCTAssertEqual(shown(), 2, "not before the commit")
    stage.turn()
    XCTAssertEqual(shown(), 4)

    meter.level = 8
    XCTAssertEqual(meter.animationKeys, ["level"])
    XCTAssertEqual(meter.presentation[.level], 4)
    stage.turn()
    let held = stage.tree(after: 1)
    XCTAssertEqual(shown(after: 125), Int(4 + 4 * TimingFunction.default.progress(at: 0.5)))
    XCTAssertEqual(meter.presentation[.level], 4 + 4 * TimingFunction.default.progress(at: 0.5))
    XCTAssertNil(stage.tree(after: 125).inconsistency)
    XCTAssertEqual((held.sides[1].content as? Image)?.width, 5, "no tree changes in its holder's hands")
    XCTAssertEqual(shown(after: 250), 8)
    stage.turn(after: 250)
    XCTAssertEqual(meter.animationKeys, [])
    meter.add(BasicAnimation(.level, by: 2, duration: .milliseconds(100), fillMode: .forwards), forKey: "by")
    stage.turn()
    XCTAssertEqual([0, 50, 99].map { shown(after: $0) }, [8, 9, 9])
    meter.removeAllAnimations()
    stage.turn()
    XCTAssertEqual(shown(after: 50), 8)
  }

  func testOwnTypeOfValues() {
    let stage = Stage()
    stage.turn()
    let layer = stage.root
    layer.add(BasicAnimation(.pair, to: Pair(first: 8, second: 4), duration: .milliseconds(100)))
    stage.turn()
    XCTAssertEqual(layer.presentation(at: milliseconds(50))[.pair], Pair(first: 4, second: 3))
  }

  /// An object in a value may ask the layer when it goes: it goes when the new value is there.
  func testAnOldValueGoesAfterTheChange() {
    let (layer, log) = (Layer(), Log())
    layer[.visit] = Visit(guest: Guest { log.append("gone, \(layer[.visit].guest == nil), \(layer.opacity)") })
    layer[.visit] = Visit(guest: nil)
    XCTAssertEqual(log.entries, ["gone, true, 1.0"])
  }
}

private final class Meter: Layer {
  static var images: [Image] = []
  var level: Double {
    get { self[.level] }
    set { self[.level] = newValue }
  }
  override class func content(for values: AnimatableValues, image: Image?) -> (any RenderContent)? {
    images[Int(values[.level])]
  }
}

private struct Pair: Animatable {
  var first: Int
  var second: Int
  func mixed(with other: Pair, fraction: Double) -> Pair {
    Pair(
      first: first + Int(Double(other.first - first) * fraction),
      second: second + Int(Double(other.second - second) * fraction))
  }
  func adding(_ change: Pair) -> Pair { Pair(first: first + change.first, second: second + change.second) }
  var negated: Pair { Pair(first: -first, second: -second) }
}

private struct Visit: Animatable {
  var guest: Guest?
  func mixed(with other: Visit, fraction: Double) -> Visit { other }
  func adding(_ change: Visit) -> Visit { self }
  var negated: Visit { self }
}

private final class Guest: Hashable, Sendable {
  private let leave: @MainActor @Sendable () -> Void

  init(_ leave: @escaping @MainActor @Sendable () -> Void) { self.leave = leave }

  deinit { MainActor.assumeIsolated(leave) }

  static func == (one: Guest, other: Guest) -> Bool { one === other }
  func hash(into hasher: inout Hasher) {}
}

extension AnimatableKey where Value == Visit {
  fileprivate static var visit: Self { Self("visit", default: Visit(guest: nil)) }
}
extension AnimatableKey where Value == Double {
  fileprivate static var level: Self { Self("level", default: 2) }
}
extension AnimatableKey where Value == Pair {
  fileprivate static var pair: Self { Self("pair", default: Pair(first: 0, second: 2)) }
}

@MainActor
final class Log {
  private(set) var entries: [String] = []
  func append(_ entry: String) { entries.append(entry) }
}
