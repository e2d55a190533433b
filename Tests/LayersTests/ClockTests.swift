import Geometry
import LinuxSystem
import RenderTree
import TestLength
import XCTest

@testable import Layers

/// A stage whose root's only sublayer fades from 0 to 1 in a second from time 0 on.
@MainActor
private func fading(_ log: Log? = nil) -> (stage: Stage, layer: Layer) {
  let (stage, layer) = Stage.showing(Layer())
  layer.add(
    BasicAnimation(.opacity, from: 0, to: 1, duration: .seconds(1), completion: { log?.append("end \($0)") }), forKey: "fade"
  )
  stage.turn()
  return (stage, layer)
}

@MainActor
private func opacity(_ stage: Stage, after milliseconds: Int64 = 0) -> Double {
  Double(stage.tree(after: milliseconds).records[1].opacity)
}

@MainActor
private func stop(_ layer: Layer, at now: MonotonicTime) {
  layer.timeOffset = layer.convertTime(now, from: nil) - .zero
  layer.speed = 0
}

@MainActor
private func resume(_ layer: Layer, at now: MonotonicTime) {
  let stoppedAt = MonotonicTime.zero + layer.timeOffset
  (layer.speed, layer.timeOffset, layer.beginTime) = (1, .zero, .zero)
  layer.beginTime = .zero + (layer.convertTime(now, from: nil) - stoppedAt)
}

@preconcurrency @MainActor final class ClockTests: XCTestCase {
  func testStoppedLayerGoesOnWhereItStood() {
    for stopsRoot in [false, true] {
      let log = Log()
      let (stage, layer) = fading(log)
      let stopped = stopsRoot ? stage.root : layer
      for round in 1...3 {
        stage.turn(after: 200)
        stop(stopped, at: stage.now)
        XCTAssertTrue(stage.turn().treeChanged)
        XCTAssertEqual(opacity(stage, after: 5000), 0.2 * Double(round), accuracy: 1e-6)
        XCTAssertFalse(stage.context.isAnimating, "a layer that stands does not animate")
        stage.turn(after: 700)
        resume(stopped, at: stage.now)
        stage.turn()
        XCTAssertTrue(stage.context.isAnimating)
        XCTAssertEqual(opacity(stage), 0.2 * Double(round), accuracy: 1e-6)
        XCTAssertEqual(opacity(stage, after: 100), 0.2 * Double(round) + 0.1, accuracy: 1e-6)
      }
      XCTAssertEqual(log.entries, [])
      stage.turn(after: 399)
      XCTAssertEqual(log.entries, [])
      stage.turn(after: 1)
      XCTAssertEqual(log.entries, ["end true"])
    }
  }

  func testLayerThatStandsCostsNothing() {
    let (stage, layer) = fading()
    stop(layer, at: stage.now + .milliseconds(300))
    stage.turn(after: 300)
    XCTAssertEqual(stage.context.moving.count, 0)
    XCTAssertTrue(stage.tree(after: 1).isSame(as: stage.tree(after: 900)), "nothing is evaluated")
    let other = Layer()
    stage.root.addSublayer(other)
    stage.turn()
    other.add(BasicAnimation(.opacity, from: 0, to: 1, duration: .seconds(1)))
    stage.turn()
    XCTAssertEqual(stage.context.moving.count, 1, "only the other one")
    XCTAssertEqual(stage.tree(after: 500).records.map(\.opacity), [1, 0.3, 0.5])
    Transaction.withoutActions { layer.position = Point(9, 9) }
    stage.turn()
    XCTAssertEqual(stage.tree().records[1].opacity, 0.3, "what is changed besides does not move it")
    XCTAssertEqual(stage.tree().records[1].transform.tx, 9)
  }

  func testAnimationsThatStandAreNotEvaluated() {
    let stage = Stage()
    stage.turn()
    var frozen = BasicAnimation(.opacity, from: 0, to: 1, duration: .seconds(1))
    (frozen.speed, frozen.timeOffset) = (0, .milliseconds(250))
    stage.root.add(frozen)
    stage.root.add(
      BasicAnimation(.cornerRadius, to: 8, duration: .milliseconds(10), fillMode: .forwards, isRemovedOnCompletion: false))
    stage.turn()
    XCTAssertEqual(stage.context.moving.count, 1)
    stage.turn(after: 20)
    XCTAssertEqual(stage.context.moving.count, 0)
    XCTAssertFalse(stage.context.isAnimating)
    XCTAssertEqual(stage.tree().records[0].opacity, 0.25)
    XCTAssertEqual(stage.tree().records[0].cornerRadius, 8)
    stage.root.removeAllAnimations()
    stage.turn()
    XCTAssertEqual(stage.tree().records[0].opacity, 1)
  }

  func testScrubbing() {
    let log = Log()
    let (stage, layer) = fading(log)
    layer.speed = 0
    for offset in [700, 100, 999, 0, 450] as [Int64] {
      layer.timeOffset = .milliseconds(offset)
      stage.turn(after: 40)
      XCTAssertEqual(opacity(stage, after: 3), Double(offset) / 1000, accuracy: 1e-6)
      XCTAssertFalse(stage.context.isAnimating)
    }
    XCTAssertEqual(log.entries, [])
    layer.timeOffset = .milliseconds(1000)
    stage.turn()
    _ = stage.tree()
    XCTAssertTrue(stage.context.isDirty, "its end is to be reported")
    stage.turn()
    XCTAssertEqual(log.entries, ["end true"])
    XCTAssertEqual(opacity(stage), 1)
  }

  func testSpeedOfALayerHoldsForAllBelow() {
    let log = Log()
    let (stage, layer) = fading(log)
    stage.root.speed = 2
    stage.turn(after: 100)
    XCTAssertEqual(opacity(stage), 0.2, accuracy: 1e-6)
    var later = BasicAnimation(.cornerRadius, from: 0, to: 1, duration: .seconds(1))
    later.didStart = { log.append("later") }
    later.beginTime = layer.convertTime(stage.now, from: nil) + .milliseconds(500)
    layer.add(later, forKey: "later")
    layer.add(BasicAnimation(.positionX, by: 4, duration: .seconds(1)), forKey: "move")
    stage.turn()
    XCTAssertEqual(layer.animation(forKey: "move")?.beginTime, milliseconds(200), "on the layer's clock")
    _ = stage.tree(after: 249)
    XCTAssertFalse(stage.context.isDirty)
    _ = stage.tree(after: 250)
    XCTAssertTrue(stage.context.isDirty)
    stage.turn(after: 250)
    XCTAssertEqual(log.entries, ["later"])
    stage.turn(after: 150)
    XCTAssertEqual(log.entries, ["later", "end true"])
  }

  func testTimeThatRunsBackwards() {
    let log = Log()
    let (stage, layer) = fading(log)
    stage.turn(after: 600)
    layer.timeOffset = .milliseconds(600)
    layer.beginTime = stage.now
    layer.speed = -1
    stage.turn()
    XCTAssertEqual(opacity(stage, after: 400), 0.2, accuracy: 1e-6)
    XCTAssertTrue(stage.context.isAnimating)
    _ = stage.tree(after: 700)
    XCTAssertFalse(stage.context.isAnimating, "before its beginning nothing comes any more")
    stage.turn(after: 800)
    XCTAssertEqual(log.entries, [], "it does not come to its end")
    layer.speed = .nan
    XCTAssertEqual(layer.speed, -1)
  }

  /// From the end on, or from behind it; also where the layer itself goes by the clock of one above.
  func testAnAnimationIsPlayedBackwards() {
    for (offset, isBelow) in [(1000, false), (1000, true), (1500, false), (1500, true)] as [(Int64, Bool)] {
      let log = Log()
      let stage = Stage()
      let (outer, inner) = (Layer(), Layer())
      stage.root.addSublayer(outer)
      outer.addSublayer(inner)
      (outer.beginTime, outer.timeOffset, outer.speed) = (stage.now, .milliseconds(offset), -1)
      var fade = BasicAnimation(.opacity, from: 0, to: 0.5, beginTime: .zero, duration: .seconds(1))
      fade.completion = { log.append("end \($0)") }
      let layer = isBelow ? inner : outer
      layer.add(fade)
      // The turn after its first frame is the first that could end it.
      stage.turn()
      // Before its beginning the layer's own opacity is seen. The clock of a layer below stands at 0 then.
      let end = isBelow ? 0.0 : 1
      for (time, opacity) in [(0, offset > 1000 ? 1 : 0.5), (600, Double(offset - 600) / 2000), (1600, end)] {
        stage.turn(after: time == 0 ? 0 : time == 600 ? 600 : 1000)
        let shown = layer.presentation(at: stage.now).opacity
        XCTAssertEqual(shown, opacity, accuracy: 1e-6, "offset \(offset), below \(isBelow), at \(time)")
      }
      XCTAssertEqual(log.entries, [], "offset \(offset), below \(isBelow)")
    }
  }

  /// Frames alone play it. The clock of a layer below jumps to 0 where that above passes its beginning: only then it is looked at again.
  func testPlayingBackwardsNeedsNoCommits() {
    for (isBelow, offset, commits) in [(false, 0, []), (true, 0, [1001]), (true, -500, [1001])] as [(Bool, Int64, [Int64])] {
      let log = Log()
      let stage = Stage()
      let (outer, inner) = (Layer(), Layer())
      stage.root.addSublayer(outer)
      outer.addSublayer(inner)
      (outer.beginTime, outer.timeOffset, outer.speed) = (stage.now, .milliseconds(1000), -1)
      inner.timeOffset = .milliseconds(offset)
      let layer = isBelow ? inner : outer
      func fade(_ name: String, from begin: Int64) {
        var fade = BasicAnimation(.opacity, from: 0, to: 1, beginTime: milliseconds(begin), duration: .milliseconds(400))
        fade.didStart = { log.append("\(name) starts") }
        fade.completion = { log.append("\(name) ends: \($0)") }
        layer.add(fade, forKey: name)
      }
      // It is over at the first frame, and again when a clock jumps from -500 ms to 0.
      fade("first", from: -500)
      stage.turn()
      stage.turn(after: 900)
      // The clock is 100 ms before its beginning.
      fade("second", from: 200 + offset)
      stage.turn()
      XCTAssertEqual(log.entries, ["first starts"])
      var dirty: [Int64] = []
      for time in 901...1100 as ClosedRange<Int64> {
        _ = stage.tree(after: time - stage.now.nanoseconds / 1_000_000)
        guard stage.context.isDirty else { continue }
        dirty.append(time)
        stage.turn(after: time - stage.now.nanoseconds / 1_000_000)
      }
      XCTAssertEqual(dirty, commits, "below: \(isBelow), offset \(offset)")
      let end = offset < 0 ? ["first ends: true", "second starts"] : isBelow ? ["first ends: true"] : []
      XCTAssertEqual(log.entries, ["first starts"] + end, "below: \(isBelow), offset \(offset)")
    }
  }

  /// A clock that begins later jumps there: what lies before the place to which it jumps happens then, and no commit is asked for
  /// before.
  func testAClockThatBeginsLaterJumps() {
    for speed in [1.0, 0, -1] {
      let log = Log()
      let stage = Stage()
      let layer = Layer()
      stage.root.addSublayer(layer)
      (layer.beginTime, layer.timeOffset, layer.speed) = (milliseconds(1000), .milliseconds(2000), speed)
      stage.turn()
      var fade = BasicAnimation(.opacity, from: 0, to: 1, beginTime: milliseconds(500), duration: .seconds(1))
      fade.didStart = { log.append("start") }
      fade.completion = { log.append("end \($0)") }
      layer.add(fade)
      stage.turn()
      if speed > 0 {
        _ = stage.tree(after: 999)
        XCTAssertFalse(stage.context.isDirty)
      }
      stage.turn(after: 999)
      XCTAssertEqual(log.entries, [], "speed \(speed)")
      _ = stage.tree(after: 1)
      XCTAssertTrue(stage.context.isDirty, "speed \(speed)")
      stage.turn(after: 1)
      // On one that runs backwards the end is still to come.
      XCTAssertEqual(log.entries, speed < 0 ? ["start"] : ["start", "end true"], "speed \(speed)")
    }
  }

  /// As if each layer asked the one around it, whatever has come and gone there.
  func testLayersGoByTheClocksAboveThem() {
    @MainActor func plainTime(of layer: Layer, at time: MonotonicTime) -> MonotonicTime {
      layer.clock.time(at: layer.superlayer.map { plainTime(of: $0, at: time) } ?? time)
    }
    for seed in UInt64(runSeed)..<UInt64(runSeed + 100) {
      var random = SplitMix64(seed: seed)
      var layers = (0..<8).map { _ in Layer() }
      for _ in 0..<100 {
        let index = Int.random(in: layers.indices, using: &random)
        let (layer, other) = (layers[index], layers[Int.random(in: layers.indices, using: &random)])
        switch Int.random(in: 0..<8, using: &random) {
        case 0: layer.speed = [0, 1, 2].randomElement(using: &random) ?? 1
        case 1: layer.beginTime = random.chance(0.5) ? .zero : milliseconds(300)
        case 2: (layer.speed, layer.beginTime, layer.timeOffset) = (1, .zero, .zero)
        case 3: layer.removeFromSuperlayer()
        case 4: if !layer.isDescendant(of: other) { layer.mask = other }
        // The old one may die around others.
        case 5: layers[index] = Layer()
        default: if !layer.isDescendant(of: other) { layer.addSublayer(other) }
        }
        let time = milliseconds(Int64.random(in: -100...1000, using: &random))
        for (number, layer) in layers.enumerated() {
          XCTAssertEqual(layer.convertTime(time, from: nil), plainTime(of: layer, at: time), "seed \(seed), layer \(number)")
        }
      }
    }
  }

  /// The layers of tiles, which are not among the sublayers, have the clock of theirs.
  func testInnerLayersGoByTheClockAbove() {
    let (layer, inner) = (Layer(), Layer())
    layer.innerLayers = [inner]
    inner.superlayer = layer
    layer.speed = 2
    XCTAssertEqual(inner.convertTime(milliseconds(50), from: nil), milliseconds(100))
    layer.speed = 1
    XCTAssertEqual(inner.convertTime(milliseconds(50), from: nil), milliseconds(50))
  }
}

/// The cases of `Facts/cases.json` that need layers.
@preconcurrency @MainActor final class ClockFactTests: XCTestCase {
  func testTimesAreConverted() {
    for fact in FactCase.all("timing.convert") {
      let members = fact.in["layers"].object ?? [:]
      let layers = members.mapValues { $0.layer }
      for (name, member) in members {
        if let above = member["parent"].text, let layer = layers[name] { layers[above]?.addSublayer(layer) }
      }
      let (from, to) = (fact.in["from"].text.flatMap { layers[$0] }, fact.in["to"].text.flatMap { layers[$0] })
      let time = MonotonicTime.zero + .seconds(fact.in["t"].number ?? 0)
      // A layer does not keep the one around it.
      withExtendedLifetime(layers) {
        let converted = from.map { $0.convertTime(time, to: to) } ?? to?.convertTime(time, from: nil) ?? time
        XCTAssertEqual(converted.seconds, fact.out.number ?? .nan, accuracy: fact.tol + 1e-12, fact.id)
        if let from, let to { XCTAssertEqual(to.convertTime(time, from: from), converted, fact.id) }
      }
    }
  }

  func testAnimationsGoByTheLayersClock() {
    for fact in FactCase.all("timing.throughLayer") {
      let layer = fact.in["layer"].layer
      let input = fact.in["animation"]
      var animation = BasicAnimation(.opacity, from: input["from"].number, to: input["to"].number)
      animation.timing = input.timing
      layer.add(animation)
      let time = MonotonicTime.zero + .seconds(fact.in["mediaTime"].number ?? 0)
      let opacity = layer.presentation(at: time).opacity
      XCTAssertEqual(opacity, fact.out.number ?? .nan, accuracy: fact.tol, fact.id)
    }
  }
}

extension JSONValue {
  @MainActor fileprivate var layer: Layer {
    let layer = Layer()
    layer.beginTime = .zero + .seconds(self["begin"].number ?? 0)
    layer.speed = self["speed"].number ?? 1
    layer.timeOffset = .seconds(self["offset"].number ?? 0)
    return layer
  }
}

extension TreeSnapshot {
  /// True if both are one and the same memory.
  fileprivate func isSame(as other: TreeSnapshot) -> Bool {
    records.withUnsafeBufferPointer { mine in
      other.records.withUnsafeBufferPointer { mine.baseAddress == $0.baseAddress }
    }
  }
}
