import Geometry
import LinuxSystem
import Raster
import XCTest

@testable import Layers

/// The search for the action of a change, and the events for which there is one.
@preconcurrency @MainActor final class ActionTests: XCTestCase {
  /// Delegate, `actions`, `style` and class, each of which may not answer, end the search, or give an action.
  func testOrderOfTheSearch() {
    var combinations = 0
    for answers in combinationsOfAnswers() {
      let layer = answers[3] == nil ? Layer() : KindWithAction()
      let delegate = Answerer()
      layer.delegate = delegate
      delegate.answer = answers[0]
      layer.actions = answers[1].map { [.opacity: $0] }
      layer.style = LayerStyle(actions: [:], base: answers[2].map { LayerStyle(actions: [.opacity: $0]) })
      let expected: Double? =
        switch answers.compactMap({ $0 }).first {
        case .animation(let animation): animation.speed
        default: nil
        }
      var found: Double?
      if case .animation(let animation)? = layer.action(forKey: .opacity) { found = animation.speed }
      XCTAssertEqual(found, expected, "\(answers)")
      combinations += 1
    }
    XCTAssertEqual(combinations, 54)
  }

  func testDefaults() throws {
    let stage = Stage()
    let layer = Layer()
    stage.root.addSublayer(layer)
    XCTAssertNil(layer.action(forKey: .opacity), "never committed")
    stage.turn()
    XCTAssertNil(Layer.defaultAction(forKey: .opacity), "the layer's own action belongs to no kind")
    for property in [AnimatableProperty.bounds, .position, .transform, .opacity, .cornerRadius] {
      guard case .implicit? = layer.action(forKey: property) else { return XCTFail(property.rawValue) }
    }
    for property in [AnimatableProperty.onOrderIn, .onOrderOut, .onLayout, .backgroundColor] {
      XCTAssertNil(layer.action(forKey: property), property.rawValue)
    }
    layer.backgroundColor = .white
    XCTAssertEqual(layer.animationKeys, [], "from no colour at all")
    layer.backgroundColor = .black
    layer.opacity = 0.3
    XCTAssertEqual(layer.animationKeys, ["backgroundColor", "opacity"])
    let animation = try XCTUnwrap(layer.animation(forKey: "opacity"))
    XCTAssertNil(animation.beginTime)
    XCTAssertEqual(animation.fillMode, .backwards)
    XCTAssertEqual(animation.duration, .milliseconds(250))
    XCTAssertEqual(animation.timingFunction, .default)
    XCTAssertTrue(animation.isRemovedOnCompletion)
    stage.turn()
    XCTAssertEqual(layer.animation(forKey: "opacity")?.beginTime, stage.now)
    layer.removeAllAnimations()
    layer.frame = Rect(x: 1, y: 2, width: 30, height: 40)
    XCTAssertEqual(layer.animationKeys, ["position", "bounds"])
    layer.actions = [
      .opacity: .null, .cornerRadius: .animation(BasicAnimation(.cornerRadius, duration: .milliseconds(77))),
    ]
    (layer.opacity, layer.cornerRadius) = (0.5, 4)
    XCTAssertEqual(layer.animationKeys, ["position", "bounds", "cornerRadius"])
    XCTAssertEqual(layer.animation(forKey: "cornerRadius")?.duration, .milliseconds(77))
    XCTAssertEqual(layer.presentation.cornerRadius, 0, "from the value on screen")
    stage.turn(after: 1000)
  }

  func testEventsOfTheTree() {
    let stage = Stage()
    let delegate = Answerer()
    func layer(_ name: String) -> Layer {
      let layer = Layer()
      (layer.name, layer.delegate) = (name, delegate)
      return layer
    }
    let (parent, child, other) = (layer("P"), layer("C"), layer("D"))
    func expect(_ events: [String], line: UInt = #line, _ body: () -> Void) {
      delegate.asked.removeAll()
      body()
      XCTAssertEqual(delegate.asked, events, line: line)
    }
    stage.root.addSublayer(parent)
    expect([]) { parent.addSublayer(other) }
    other.removeFromSuperlayer()
    stage.turn()
    expect(["P.sublayers", "C.onOrderIn"]) { parent.addSublayer(child) }
    expect(["P.onLayout"]) { stage.turn() }
    expect(["P.sublayers", "C.onOrderOut"]) { child.removeFromSuperlayer() }
    expect(["P.sublayers", "C.onOrderIn"]) { parent.addSublayer(child) }
    expect(["P.sublayers", "C.onOrderOut", "D.onOrderIn"]) { parent.replaceSublayer(child, with: other) }
    expect(["P.sublayers", "C.onOrderIn"]) { parent.addSublayer(child) }
    expect(["P.sublayers"]) { parent.addSublayer(other) }
    expect(["P.sublayers", "D.onOrderOut", "D.onOrderIn"]) { stage.root.addSublayer(other) }
    expect([]) { Transaction.withoutActions { other.removeFromSuperlayer() } }
    stage.turn()
    child.actions = [.onOrderIn: .animation(BasicAnimation(.opacity, from: 0))]
    child.removeFromSuperlayer()
    parent.addSublayer(child)
    XCTAssertEqual(child.animationKeys, ["onOrderIn"])
    XCTAssertEqual(child.animation(forKey: "onOrderIn")?.timingFunction, .default, "as that of a change")
    stage.turn()
  }

  func testTheSearchSeesTheOldValue() {
    let stage = Stage()
    let delegate = Answerer()
    stage.root.delegate = delegate
    stage.turn()
    delegate.onAsked = { XCTAssertEqual($0.opacity, 1) }
    stage.root.opacity = 0
    XCTAssertEqual(delegate.asked, [".opacity"])
    stage.turn()
  }

  /// Paths change at once, unless an action says otherwise, as in Core Animation.
  func testPathsHaveTheActionsThatAreGiven() {
    let stage = Stage()
    let shape = ShapeLayer()
    stage.root.addSublayer(shape)
    (shape.path, shape.shadowPath) = (
      .rect(Rect(x: 0, y: 0, width: 1, height: 1)), .rect(Rect(x: 0, y: 0, width: 1, height: 1))
    )
    stage.turn()
    (shape.path, shape.shadowPath) = (
      .rect(Rect(x: 0, y: 0, width: 2, height: 1)), .rect(Rect(x: 0, y: 0, width: 2, height: 1))
    )
    XCTAssertEqual(shape.animationKeys, [])
    shape.actions = [.path: .implicit, .shadowPath: .implicit]
    (shape.path, shape.shadowPath) = (
      .rect(Rect(x: 0, y: 0, width: 4, height: 1)), .rect(Rect(x: 0, y: 0, width: 4, height: 1))
    )
    XCTAssertEqual(shape.animationKeys.sorted(), ["path", "shadowPath"])
    shape.removeAllAnimations()
    // The layer's own shape has no way to a path.
    shape.shadowPath = nil
    XCTAssertEqual(shape.animationKeys, [])
  }
}

/// The speed of an animation says who gave it.
private func combinationsOfAnswers() -> [[LayerAction?]] {
  func answers(_ number: Double) -> [LayerAction?] { [nil, .null, .animation(numbered(number))] }
  var result: [[LayerAction?]] = []
  for first in answers(1) {
    for second in answers(2) {
      for third in answers(3) {
        for fourth in [nil, LayerAction.animation(numbered(4))] { result.append([first, second, third, fourth]) }
      }
    }
  }
  return result
}

private func numbered(_ number: Double) -> any Animation {
  var animation = BasicAnimation(.opacity, from: 0)
  animation.speed = number
  return animation
}

/// A delegate that notes for which actions it is asked.
final class Answerer: LayerDelegate {
  var answer: LayerAction?
  var asked: [String] = []
  var onAsked: ((Layer) -> Void)?
  func action(for layer: Layer, forKey property: AnimatableProperty) -> LayerAction? {
    asked.append("\(layer.name ?? "").\(property.rawValue)")
    onAsked?(layer)
    return answer
  }
}

private final class KindWithAction: Layer {
  override class func defaultAction(forKey property: AnimatableProperty) -> LayerAction? { .animation(numbered(4)) }
}
