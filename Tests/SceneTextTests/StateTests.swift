import Framepace
import FramepaceTesting
import Layers
import SceneText
import TestLength
import XCTest

final class StateTests: XCTestCase {
  private static let text = """
    size 200 100
    layer {
      layer card {
        bounds 0 0 50 50; position 50 50
        layer shade { opacity 0.25 }
        state open { position 150 50; shade { opacity 0.75 } }
        state away { opacity 0 }
        stateTransition from * to open {
          duration 1s; timingFunction linear
          shade { basic opacity { duration 2s } }
        }
      }
    }
    at 1s: card.state open
    at 10s: card.state none
    """

  func testEventsSetStatesAtTheirTimes() throws {
    try onMain {
      let scene = try Scene(text: Self.text)
      let start = MonotonicTime.zero + .seconds(100)
      scene.start(at: start)
      let card = try XCTUnwrap(scene.root.sublayers.first)
      let shade = try XCTUnwrap(card.sublayers.first)
      XCTAssertEqual(scene.nextEventTime, start + .seconds(1))
      // Late, as in a picture of a later time: the event counts from its own time.
      scene.advance(to: start + .milliseconds(1500))
      XCTAssertEqual(card.state, "open")
      XCTAssertEqual(card.presentation(at: start + .milliseconds(1500)).position.x, 100, accuracy: 1e-9)
      XCTAssertEqual(shade.presentation(at: start + .seconds(2)).opacity, 0.5, accuracy: 1e-9)
      scene.advance(to: start + .seconds(10))
      XCTAssertNil(card.state)
      XCTAssertEqual(card.position, Point(50, 50))
      XCTAssertEqual(shade.opacity, 0.25)
      XCTAssertNil(scene.nextEventTime)
    }
  }

  func testAStateKeepsTheValuesFromBefore() throws {
    try onMain {
      let scene = try Scene(text: Self.text)
      let card = try XCTUnwrap(scene.root.sublayers.first)
      card.state = "open"
      card.state = "away"
      XCTAssertEqual(card.position, Point(50, 50))
      XCTAssertEqual(card.opacity, 0)
      let again = try Scene(text: try Scene.text(of: scene.root))
      let copy = try XCTUnwrap(again.root.sublayers.first)
      XCTAssertEqual(copy.state, "away")
      copy.state = nil
      XCTAssertEqual(copy.opacity, 1)
      XCTAssertEqual(copy.sublayers.first?.opacity, 0.25)
    }
  }

  func testPartsOfAPropertyGoBackToTheValuesFromBefore() throws {
    try onMain {
      let text = """
        layer {
          position 100 100
          state a { position 300 100 }
          state b { position.x 50 }
        }
        """
      let layer = try Scene(text: text).root
      layer.state = "a"
      layer.state = "b"
      XCTAssertEqual(layer.position, Point(50, 100))
      layer.state = nil
      XCTAssertEqual(layer.position, Point(100, 100))
    }
  }

  /// The left half is the old picture, which the new one pushes away; as it would have been shown in time, also in a picture of a
  /// later time alone.
  func testATransitionLeadsFromThePictureOfTheStateThatIsLeft() throws {
    try onMain {
      let text = """
        layer {
          bounds 0 0 40 30; anchorPoint 0 0
          layer card {
            bounds 0 0 40 30; position 20 15; backgroundColor #FF0000
            layer sign { bounds 0 0 40 10; position 20 5; backgroundColor #FFFFFF }
            state night { backgroundColor #0000FF; sign { isHidden true } }
            state day { backgroundColor #00FF00 }
            stateTransition to night { duration 1s; timingFunction linear; transition push { subtype fromRight } }
            stateTransition to day { sign { transition fade { duration 2s } } }
          }
        }
        at 1s card.state night
        at 4s card.state day
        """
      let start = MonotonicTime.zero + .seconds(100)
      @MainActor
      func pictures(_ steps: [Double]) throws -> [UInt8] {
        let scene = try Scene(text: text)
        let picture = Picture(scene.root, width: 40, height: 30)
        scene.start(at: start)
        for step in steps {
          scene.advance(to: start + .seconds(step))
          picture.commit(at: start + .seconds(step))
          _ = picture.bytes(at: start + .seconds(step))
        }
        return picture.bytes(at: start + .seconds(steps.last ?? 0))
      }
      func pixel(_ bytes: [UInt8], _ x: Int, _ y: Int) -> [UInt8] {
        Array(bytes[((y * 40 + x) * 4)..<((y * 40 + x) * 4 + 3)])
      }
      let half = try pictures([0, 1, 1.25, 1.5])
      XCTAssertEqual(pixel(half, 10, 20), [0, 0, 255])
      XCTAssertEqual(pixel(half, 10, 5), [255, 255, 255])
      XCTAssertEqual(pixel(half, 30, 5), [255, 0, 0])
      XCTAssertEqual(try pictures([1.5]), half)
      XCTAssertEqual(pixel(try pictures([0, 1, 2.5]), 10, 20), [255, 0, 0])
      // Half of the white sign, over green.
      let faded = try pictures([0, 1, 4, 5])
      XCTAssertEqual(pixel(faded, 10, 20), [0, 255, 0])
      XCTAssertEqual(Int(pixel(faded, 10, 5)[0]), 128, accuracy: 2)
      XCTAssertEqual(try pictures([5]), faded)
    }
  }

  /// Changes that are made up for later lead to the same as those made in their time: on clocks of any speed, with springs that keep
  /// their velocity.
  func testChangesAreTheSameWhenTheyAreMadeUpFor() {
    onMain {
      for seed in some(100, of: 1...10_000) {
        var random = SplitMix64(seed: UInt64(seed))
        let (live, late) = (Self.card(seed: UInt64(seed)), Self.card(seed: UInt64(seed)))
        let contexts = [live, late].map { LayerContext(root: $0, workers: WorkerPool(threads: 1)) }
        var now = MonotonicTime.zero + .seconds(1)
        for context in contexts { _ = context.commit(at: now) }
        for _ in 0..<6 {
          now += .milliseconds(Int64.random(in: 0...300, using: &random))
          let state = ["a", "b", nil].randomElement(using: &random) ?? nil
          _ = contexts[0].renderTree(at: now)
          live.state = state
          _ = contexts[0].commit(at: now)
          late.setState(state, at: now)
        }
        _ = contexts[1].commit(at: now)
        Transaction.endTurn()
        for step in [0, 1, 20, 90, 400] as [Int64] {
          let shown = [live, late].map { $0.presentation(at: now + .milliseconds(step)) }
          XCTAssertLessThan(shown[0].position.distance(to: shown[1].position), 1e-6, "seed \(seed), \(step) ms")
          XCTAssertEqual(shown[0].opacity, shown[1].opacity, accuracy: 1e-9, "seed \(seed), \(step) ms")
        }
        for context in contexts { context.invalidate() }
      }
    }
  }

  @MainActor
  private static func card(seed: UInt64) -> Layer {
    var random = SplitMix64(seed: seed)
    func number(_ range: ClosedRange<Double>) -> Double { .random(in: range, using: &random) }
    let layer = Layer(frame: Rect(x: 0, y: 0, width: 10, height: 10))
    layer.speed = [0.5, 1, 2].randomElement(using: &random) ?? 1
    layer.timeOffset = .milliseconds(Int64.random(in: 0...500, using: &random))
    layer.states = ["a", "b"].map { name in
      LayerState(name, [.init(.position, Point(number(0...90), number(0...90))), .init(.opacity, number(0...1))])
    }
    layer.stateTransitions = [.any, "a", .noState].map { (state: StateTransition.End) in
      var spring = SpringAnimation(.position)
      (spring.keepsVelocity, spring.speed) = (random.chance(0.7), [0.5, 1, 2].randomElement(using: &random) ?? 1)
      return StateTransition(
        to: state, duration: .milliseconds(Int64.random(in: 50...400, using: &random)), timingFunction: .easeOut,
        animations: random.chance(0.8) ? [.init(.position, spring)] : [])
    }
    return layer
  }

  /// Also one that was not drawn before, or is read in that state; and other properties of the state ask for no drawing instead.
  func testALayerThatDrawsItselfDoesSoAgainWhenItsStateIsLeft() throws {
    try onMain {
      let text = """
        layer {
          bounds 0 0 40 30; anchorPoint 0 0; contents white; contentsRect 0 0 0 0
          shape dot {
            bounds 0 0 20.5 20; position 20 15; path rect 0 0 10 20; fillColor #FF0000
            state photo { contents white; bounds 0 0 30 20 }
          }
        }
        image white data "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
        """
      let image = try XCTUnwrap(try Scene(text: text).root.contents)
      @MainActor
      func pictures(inText: Bool, isDrawnBefore: Bool, isReadAgain: Bool) throws -> [[UInt8]] {
        var scene = try Scene(text: text)
        var dot = try XCTUnwrap(scene.root.sublayers.first)
        var picture = Picture(scene.root, width: 40, height: 30)
        if !inText {
          let bounds = Rect(x: 0, y: 0, width: 30, height: 20)
          dot.states = [LayerState("photo", [.init(.contents, .image(image)), .init(.bounds, bounds)])]
        }
        if isDrawnBefore { picture.commit(at: .zero) }
        var bytes = [picture.bytes(at: .zero)]
        for state in ["photo", nil] {
          dot.state = state
          picture.commit(at: .zero)
          if state != nil, isReadAgain {
            scene = try Scene(text: try Scene.text(of: scene.root))
            dot = try XCTUnwrap(scene.root.sublayers.first)
            picture = Picture(scene.root, width: 40, height: 30)
            picture.commit(at: .zero)
          }
          bytes.append(picture.bytes(at: .zero))
        }
        return bytes
      }
      let plain = try pictures(inText: true, isDrawnBefore: true, isReadAgain: false)
      XCTAssertNotEqual(plain[0], plain[1])
      XCTAssertEqual(plain[0], plain[2])
      for (inText, isDrawnBefore) in [(true, true), (true, false), (false, true), (false, false)] {
        for isReadAgain in [false, true] {
          let other = try pictures(inText: inText, isDrawnBefore: isDrawnBefore, isReadAgain: isReadAgain)
          XCTAssertEqual(other[1], plain[1], "in text: \(inText), before: \(isDrawnBefore), again: \(isReadAgain)")
          XCTAssertEqual(other[2], plain[2], "in text: \(inText), before: \(isDrawnBefore), again: \(isReadAgain)")
        }
      }
    }
  }

  /// A copy cannot draw what a class of an application draws.
  func testAPictureOfAnOwnClassIsBackWhenItsStateIsLeft() throws {
    final class Disc: Layer {
      var color = Color(hex: 0x2E8B57)
      override func draw(in context: DrawingContext) {
        context.fill(.roundedRect(bounds, cornerRadius: 10 - cornerRadius), color: color)
      }
    }
    try onMain {
      let image = try XCTUnwrap(RandomLayers.images(seed: 1, count: 1).first)
      let (size, radius) = (LayerState.Element(.boundsSize, Size(30, 10)), LayerState.Element(.cornerRadius, 6))
      for (isDrawnBefore, others, isStale) in [
        (true, [size], false), (true, [radius], false), (true, [], false), (true, [], true), (false, [], false),
        (false, [size], false), (false, [radius, size], false),
      ] {
        let root = Layer(frame: Rect(x: 0, y: 0, width: 40, height: 30))
        let disc = Disc(frame: Rect(x: 10, y: 5, width: 20, height: 20))
        disc.states = [LayerState("photo", [.init(.contents, .image(image))] + others)]
        root.addSublayer(disc)
        disc.setNeedsDisplay()
        let original = Picture(root, width: 40, height: 30)
        if isDrawnBefore { original.commit(at: .zero) }
        if isStale {
          disc.color = .black
          disc.setNeedsDisplay()
        }
        disc.state = "photo"
        original.commit(at: .zero)
        let scene = try Scene(text: Scene.text(of: root))
        scene.root.sublayers[0].state = nil
        disc.state = nil
        let copy = Picture(scene.root, width: 40, height: 30)
        for picture in [original, copy] { picture.commit(at: .zero) }
        XCTAssertEqual(
          copy.bytes(at: .zero), original.bytes(at: .zero),
          "drawn before: \(isDrawnBefore), others: \(others.map(\.property.rawValue)), stale: \(isStale)")
      }
    }
  }

  func testAnOwnLinearTimingIsWritten() throws {
    try onMain {
      let text = """
        layer {
          stateTransition {
            timingFunction easeOut
            basic opacity { timingFunction linear }
            basic cornerRadius { duration 1s }
          }
        }
        """
      let copy = try Scene(text: try Scene.text(of: try Scene(text: text).root)).root
      XCTAssertEqual(copy.stateTransitions[0].timingFunction, .easeOut)
      XCTAssertEqual(copy.stateTransitions[0].animations.map { $0.animation.timingFunction }, [.linear, nil])
    }
  }

  func testNamesMayBeAnything() throws {
    try onMain {
      for name in [
        "none", "group", "transition", "duration", "timingFunction", "from", "to", "*", "state", "a.state", ".state", "",
        "{", "layer", "two words", "1", "-", "infinity", "opacity", "\"\\\n\u{1}é", "scale", "basic",
      ] {
        let root = Layer(frame: Rect(x: 0, y: 0, width: 10, height: 10))
        let inner = Layer()
        (root.name, inner.name) = ("root", name)
        root.addSublayer(inner)
        // As the name of a state `none` is printed as another one.
        let state = name == "none" ? "none " : name
        inner.states = [LayerState(name, [.init(.opacity, 0.25)])]
        root.states = [
          LayerState(name, [.init(.opacity, 0.5), .init(.transform, .scale(2)), .init(.opacity, 0.75, of: name)])
        ]
        root.stateTransitions = [
          StateTransition(from: .state(name), animations: [.init(.opacity, BasicAnimation(.opacity), of: name)])
        ]
        root.state = name
        let events = [nil, name].map { Scene.Event(time: .seconds(1), layer: name, state: $0) }
        let text = try Scene.text(of: root, events: events)
        let copy = try Scene(text: text)
        XCTAssertEqual(copy.events.map(\.layer), [name, name], text)
        XCTAssertEqual(copy.events.map(\.state), [nil, state], text)
        XCTAssertEqual(copy.root.state, state)
        XCTAssertEqual(copy.root.stateTransitions.map(\.from), [.state(state)])
        XCTAssertEqual(copy.root.stateTransitions[0].animations.map(\.target), [name])
        XCTAssertEqual(copy.root.sublayers[0].opacity, 0.75)
        XCTAssertEqual(try Scene.text(of: copy.root, events: copy.events), text)
      }
      // The string of a text and a name behind it are two.
      let text = "text { font none; layer \"a b\" {}; state x { string \"one\"; \"a b\" { opacity 0.5 } } }"
      let root = try Scene(text: text).root
      root.state = "x"
      XCTAssertEqual((root as? TextLayer)?.string, "one")
      XCTAssertEqual(root.sublayers[0].opacity, 0.5)
    }
  }

  /// Before a brace every word is a name, also one that could go on the value before it.
  func testAWordBeforeABraceIsAName() throws {
    try onMain {
      for (kind, value, names) in [
        ("layer", "transform scale 2", ["rotate", "infinity"]), ("layer", "backgroundColor #FF0000", ["alpha"]),
        ("layer", "maskedCorners minXMinY", ["maxXMinY"]), ("layer", "contents dot", ["drawn"]),
        ("layer", "shadowPath arc 0 0 9 0deg 90deg", ["counterclockwise", "close"]),
        ("layer", "isHidden true", ["duration", "timingFunction", "opacity"]),
        ("text", "font \"Roboto-Regular.ttf\" 12 feature ss01", ["tabularFigures", "face", "axis", "feature", "nan"]),
        ("shape", "strokeStyle width 2 dash 1 2", ["cap", "nan"]),
      ] {
        for name in names {
          let text = """
            \(kind) {
              \(kind == "text" ? "font none" : "")
              layer \(name) {}
              state x { \(value) \(name) { opacity 0.5 } }
              stateTransition { duration 1s \(name) { basic opacity {} } }
            }
            image dot data "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
            """
          let scene = try Scene(text: text)
          for root in [scene.root, try Scene(text: Scene.text(of: scene.root)).root] {
            root.state = "x"
            XCTAssertEqual(root.sublayers[0].opacity, 0.5, "\(value) \(name)")
            XCTAssertEqual(root.stateTransitions[0].animations.map(\.target), [name])
          }
        }
      }
    }
  }

  /// Elements without an effect and animations without a text are left out.
  func testAStateWithoutItsLayerIsATextThatIsRead() throws {
    try onMain {
      let root = Layer(frame: Rect(x: 0, y: 0, width: 10, height: 10))
      root.states = [LayerState("a", [.init(.opacity, 0.5), .init(.opacity, 0.5, of: "nobody")])]
      root.stateTransitions = [
        StateTransition(
          to: "a",
          animations: [
            .init(.opacity, BasicAnimation(.opacity), of: "nobody"),
            .init(.opacity, AnimationGroup([BasicAnimation(.opacity)])), .init(.opacity, BasicAnimation(.opacity)),
          ])
      ]
      let copy = try Scene(text: try Scene.text(of: root)).root
      XCTAssertEqual(copy.states[0].elements.count, 1)
      XCTAssertEqual(copy.stateTransitions[0].animations.count, 1)
    }
  }

  func testTheBestTransitionHolds() throws {
    try onMain {
      let text = """
        layer {
          state a { opacity 0.5 }; state b { opacity 0 }; stateTransition { duration 1s }
          stateTransition from a { duration 2s }; stateTransition to b { duration 3s }; stateTransition from a to b { duration 4s }
          stateTransition from none to b { duration 5s }; stateTransition to none { duration 6s }
        }
        """
      for layer in [try Scene(text: text).root, try Scene(text: Scene.text(of: Scene(text: text).root)).root] {
        let context = LayerContext(root: layer, workers: WorkerPool(threads: 1))
        _ = context.commit(at: .zero + .seconds(1))
        for (state, seconds) in [("a", 1), ("b", 4), (nil, 6), ("b", 5), ("a", 1), (nil, 6)] as [(String?, Double)] {
          layer.state = state
          XCTAssertEqual(layer.animation(forKey: "opacity")?.duration, .seconds(seconds))
        }
      }
    }
  }
}
