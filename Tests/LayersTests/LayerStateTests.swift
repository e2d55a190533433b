import Geometry
import LinuxSystem
import Raster
import RenderTree
import XCTest

@testable import Layers

/// The states of a layer, and the animations between them.
@preconcurrency @MainActor final class LayerStateTests: XCTestCase {
  /// A picture that was set is not drawn over because another property of a state that is left asks for a drawing.
  func testAPictureThatWasSetComesBackThroughTwoStates() throws {
    let images = try (0..<3).map { _ in try Bitmap(width: 2, height: 2).freeze() }
    for contentsAreFirst in [true, false] {
      let (stage, shape) = Stage.showing(ShapeLayer(frame: Rect(x: 0, y: 0, width: 10, height: 10)))
      shape.contents = images[0]
      let size = LayerState.Element(.boundsSize, Size(20, 20))
      let contents = LayerState.Element(.contents, .image(images[1]))
      shape.states = [
        LayerState("one", contentsAreFirst ? [contents, size] : [size, contents]),
        LayerState("two", [.init(.contents, .image(images[2]))]),
      ]
      for (state, image) in [("one", 1), ("two", 2), (nil, 0)] as [(String?, Int)] {
        shape.state = state
        stage.turn()
        XCTAssertIdentical(shape.contents, images[image], "\(state ?? "none"), contents first: \(contentsAreFirst)")
      }
    }
  }

  func testATransitionAnimatesAsItSays() {
    let (stage, card, shade) = Self.card()
    let log = Log()
    card.actions = [.opacity: .animation(BasicAnimation(.opacity, completion: { _ in log.append("action") }))]
    card.stateTransitions = [
      StateTransition(
        to: "open", duration: .seconds(2), timingFunction: .easeIn,
        animations: [
          .init(.opacity, BasicAnimation(.opacity, duration: .seconds(5)), of: "nobody"),
          .init(.cornerRadius, BasicAnimation(.cornerRadius, from: 9.0, duration: .seconds(3))),
          .init(.cornerRadius, BasicAnimation(.cornerRadius, duration: .seconds(5)), of: "shade"),
        ]),
      StateTransition(to: "open", duration: .seconds(7)),
    ]
    card.state = "open"
    XCTAssertEqual([card.opacity, card.cornerRadius, shade.opacity], [0.5, 4, 0.25])
    let own = [card, shade].map { $0.animation(forKey: "opacity") }
    XCTAssertEqual(own.map { $0?.duration }, [.seconds(2), .seconds(2)], "the first of the same rank")
    XCTAssertEqual(own.map { $0?.timingFunction }, [.easeIn, .easeIn])
    XCTAssertEqual(card.animation(forKey: "cornerRadius")?.duration, .seconds(3))
    XCTAssertEqual(shade.animationKeys, ["opacity"])
    XCTAssertEqual(Transaction.animationDuration, .milliseconds(250), "its settings are its own")
    stage.turn()
    XCTAssertEqual(card.presentation(at: stage.now).opacity, 1, "from what was on screen")
    XCTAssertEqual(card.presentation(at: stage.now).cornerRadius, 9, "its own beginning")
    let half = 1 - 0.5 * TimingFunction.easeIn.progress(at: 0.5)
    XCTAssertEqual(card.presentation(at: stage.now + .seconds(1)).opacity, half, accuracy: 1e-12)
    // No transition suits the way back, which is seen at once.
    card.state = nil
    XCTAssertEqual([card.opacity, card.cornerRadius, shade.opacity], [1, 0, 1])
    XCTAssertEqual([card.animationKeys, shade.animationKeys], [[], []])
    stage.turn()
    XCTAssertEqual(log.entries, [], "no other action")
  }

  /// The transition that names the state that is entered holds where none names both.
  func testTheStateThatIsEnteredCountsForMore() {
    let (stage, card, _) = Self.card()
    card.states += [LayerState("shut", [.init(.opacity, 0.125)])]
    card.stateTransitions = [
      StateTransition(from: "open", duration: .seconds(2)), StateTransition(to: "shut", duration: .seconds(3)),
      StateTransition(from: "open", duration: .seconds(4)),
    ]
    card.state = "open"
    card.state = "shut"
    XCTAssertEqual(card.animation(forKey: "opacity")?.duration, .seconds(3))
    stage.turn()
  }

  func testWhatATransitionLeavesOpenIsTheTransactions() {
    let (stage, card, _) = Self.card()
    let given = StateTransition.Element(.cornerRadius, BasicAnimation(.cornerRadius))
    card.stateTransitions = [StateTransition(animations: [given])]
    card.state = "open"
    XCTAssertEqual(card.animation(forKey: "opacity")?.duration, .milliseconds(250))
    XCTAssertEqual(card.animation(forKey: "opacity")?.timingFunction, .default)
    XCTAssertEqual(card.animation(forKey: "cornerRadius")?.timingFunction, .linear)
    Transaction.begin()
    (Transaction.animationDuration, Transaction.animationTimingFunction) = (.seconds(3), .easeOut)
    card.state = nil
    Transaction.commit()
    for key in ["opacity", "cornerRadius"] {
      XCTAssertEqual(card.animation(forKey: key)?.duration, .seconds(3), key)
      XCTAssertEqual(card.animation(forKey: key)?.timingFunction, .easeOut, key)
    }
    stage.turn()
  }

  /// The beginning of an animation counts from the change; before it is seen what was seen before.
  func testAnAnimationMayBeginSomeTimeAfterTheChange() {
    for speed in [1.0, 0.5] {
      let (stage, card, shade) = Self.card()
      card.speed = speed
      var fade = BasicAnimation(.opacity, duration: .seconds(1))
      (fade.beginTime, fade.timingFunction) = (.zero + .seconds(2), .linear)
      card.stateTransitions = [
        StateTransition(to: "open", duration: .seconds(1), animations: [.init(.opacity, fade, of: "shade")])
      ]
      stage.turn(after: 500)
      card.state = "open"
      stage.turn()
      func opacity(after seconds: Double) -> Double { shade.presentation(at: stage.now + .seconds(seconds / speed)).opacity }
      XCTAssertEqual([0, 1, 2, 2.5, 3.1].map(opacity), [1, 1, 1, 0.625, 0.25])
      XCTAssertEqual(card.presentation(at: stage.now + .seconds(1.1 / speed)).opacity, 0.5, "others begin at once")
    }
  }

  /// Neither in a layer that was never shown, nor where the transaction says so; and the values are there all the same.
  func testWhereNothingAnimates() {
    for isShown in [true, false] {
      let (stage, card, shade) = Self.card(isShown: isShown)
      card.stateTransitions = [
        StateTransition(animations: [.init(.opacity, BasicAnimation(.opacity)), .init(Transition(.fade))])
      ]
      if isShown { Transaction.withoutActions { card.state = "open" } } else { card.state = "open" }
      XCTAssertEqual([card.animationKeys, shade.animationKeys], [[], []], "shown: \(isShown)")
      XCTAssertEqual([card.opacity, shade.opacity], [0.5, 0.25], "shown: \(isShown)")
      stage.turn()
    }
  }

  /// A transition of a whole layer leads from its picture: other properties change at once, but for those with animations.
  func testATransitionOfAWholeLayerTakesItsPropertiesWithIt() {
    let (stage, card, shade) = Self.card()
    let radius = StateTransition.Element(.cornerRadius, BasicAnimation(.cornerRadius))
    card.stateTransitions = [
      StateTransition(duration: .seconds(2), animations: [.init(Transition(.fade)), radius])
    ]
    card.state = "open"
    XCTAssertEqual(Set(card.animationKeys), ["transition", "cornerRadius"])
    XCTAssertEqual(card.animation(forKey: "transition")?.duration, .seconds(2))
    XCTAssertEqual(shade.animationKeys, [])
    Transaction.withoutActions { card.state = nil }
    XCTAssertEqual(card.animationKeys, ["transition"], "what moved a property is over, what leads to the layer goes on")
    stage.turn()
  }

  func testANameOfNoStateHasNoValues() {
    let (stage, card, _) = Self.card()
    card.state = "open"
    card.opacity = 0.75
    card.state = "nobody"
    XCTAssertEqual(card.state, "nobody")
    XCTAssertEqual([card.opacity, card.cornerRadius], [1, 0])
    card.state = nil
    XCTAssertNil(card.state)
    stage.turn()
  }

  /// A card with a shade in it, and a state for both.
  private static func card(isShown: Bool = true) -> (stage: Stage, card: Layer, shade: Layer) {
    let stage = Stage()
    let (card, shade) = (Layer(frame: Rect(x: 0, y: 0, width: 10, height: 10)), Layer())
    shade.name = "shade"
    card.addSublayer(shade)
    stage.root.addSublayer(card)
    if isShown { stage.turn() }
    card.states = [
      LayerState(
        "open",
        [
          .init(.opacity, 0.5), .init(.cornerRadius, 4.0), .init(.opacity, 0.25, of: "shade"),
          .init(.opacity, 0.0, of: "nobody"),
        ])
    ]
    return (stage, card, shade)
  }
}
