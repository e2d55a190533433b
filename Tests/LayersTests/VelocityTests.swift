import Geometry
import LinuxSystem
import TestLength
import XCTest

@testable import Layers

/// Movements that are interrupted, by the velocity of the values shown before and after.
@preconcurrency @MainActor final class VelocityTests: XCTestCase {
  func testASpringGoesOnWithTheVelocity() {
    let (stage, layer) = Stage.showing(Layer())
    Transaction.animationSpring = Spring(perceptualDuration: .milliseconds(500), bounce: 0.3)
    layer.position = Point(200, 40)
    stage.turn()
    // Sideways and back, again and again, also with other springs and clocks.
    for (index, place) in [Point(0, 300), Point(-50, 0), Point(400, 90), Point(10, 10)].enumerated() {
      expectSmooth(stage, layer) {
        var spring = Spring(
          perceptualDuration: .milliseconds(300 + 100 * Int64(index)), bounce: [-0.5, 0, 0.6, 0.2][index])
        spring.mass = 1 + Double(index)
        Transaction.animationSpring = spring
        layer.position = place
      }
    }
    stage.turn(after: 60_000)
    XCTAssertEqual(layer.animationKeys, [])
    XCTAssertEqual(layer.presentation.position, Point(10, 10))
  }

  func testASpringTakesOverFromATimingFunctionOnClocksOfAnySpeed() {
    XCTAssertFalse(SpringAnimation(.position, to: .zero).keepsVelocity)
    for (layerSpeed, speed) in [(1.0, 1.0), (0.5, 1.0), (2.0, 0.5), (1.0, 3.0)] {
      let (stage, layer) = Stage.showing(Layer())
      layer.speed = layerSpeed
      layer.add(
        BasicAnimation(.position, from: .zero, to: Point(300, -100), duration: .milliseconds(600)), forKey: "position")
      stage.turn()
      expectSmooth(stage, layer) {
        var spring = SpringAnimation(.position, to: Point(0, 50))
        (spring.keepsVelocity, spring.speed) = (true, speed)
        layer.add(spring, forKey: "position")
      }
    }
  }

  func testAnyValueKeepsIt() {
    let stage = Stage()
    stage.turn()
    Transaction.animationSpring = Spring()
    stage.root.transform = Transform3D.rotation(1).concatenating(.scale(2))
    stage.root.backgroundColor = .white
    stage.turn()
    stage.root.backgroundColor = .black
    _ = stage.tree(after: 200)
    let time = stage.now + .milliseconds(200)
    let step = Nanoseconds.microseconds(20)
    let before =
      stage.root.presentation(at: time).rotation - stage.root.presentation(at: time - step).rotation
    Transaction.animationSpring = Spring()
    stage.root.transform = .identity
    stage.turn(after: 200)
    let after =
      stage.root.presentation(at: time + step).rotation - stage.root.presentation(at: time).rotation
    XCTAssertGreaterThan(abs(before), 1e-6)
    XCTAssertEqual(before, after, accuracy: abs(before) / 10)
  }
}

/// The change of a position in a second, measured over 20 µs on one side of a time.
@MainActor
private func velocity(of layer: Layer, at time: MonotonicTime, ahead: Bool) -> Point {
  let step = Nanoseconds.microseconds(20)
  let (from, to) = ahead ? (time, time + step) : (time - step, time)
  return (layer.presentation(at: to).position - layer.presentation(at: from).position) * (1 / step.seconds)
}

@MainActor
private func expectSmooth(_ stage: Stage, _ layer: Layer, line: UInt = #line, _ interrupt: () -> Void) {
  let time = stage.now + .milliseconds(137)
  _ = stage.context.renderTree(at: time)
  let place = layer.presentation.position
  let before = velocity(of: layer, at: time, ahead: false)
  XCTAssertGreaterThan(before.distance(to: .zero), 20, "it moves", line: line)
  interrupt()
  stage.turn(after: 137)
  XCTAssertLessThan(layer.presentation(at: time).position.distance(to: place), 1e-9, line: line)
  let after = velocity(of: layer, at: time, ahead: true)
  XCTAssertLessThan(before.distance(to: after), 0.03 * before.distance(to: .zero), "\(before) \(after)", line: line)
}
