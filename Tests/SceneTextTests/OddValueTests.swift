import Framepace
import FramepaceTesting
import Layers
import SceneText
import XCTest

/// A program may set what a text may not say: it is printed as what it means.
@preconcurrency @MainActor final class OddValueTests: XCTestCase {
  /// The picture of a text comes back with the ink that leans out of it.
  func testTheMiddleOfAnImageComesBack() throws {
    let label = TextLayer()
    label.font = try SystemFonts.font(.regular, size: 20)
    (label.string, label.bounds.size) = ("j", Size(40, 30))
    Picture(label).commit(at: .zero)
    let root = Layer(frame: Rect(x: 0, y: 0, width: 40, height: 30))
    root.contents = label.contents
    let whole = try XCTUnwrap(label.contents?.whole)
    let text = try Scene.text(of: root)
    let read = try XCTUnwrap(try Scene(text: text).root.contents)
    let readWhole = try XCTUnwrap(read.whole, text)
    XCTAssertEqual([read.width, read.height, readWhole.x, readWhole.y], [40, 30, whole.x, whole.y], text)
    XCTAssertEqual([readWhole.image.width, readWhole.image.height], [whole.image.width, whole.image.height])
    for y in 0..<whole.image.height {
      XCTAssertEqual(memcmp(whole.image.row(y), readWhole.image.row(y), whole.image.width * 4), 0, "row \(y)")
    }
    XCTAssertEqual(try Scene.text(of: try Scene(text: text).root), text)
    let data = try XCTUnwrap(text.range(of: "data")).lowerBound
    for (middle, error) in [
      ("900 0 40 30", "expected a middle inside of the image's"), ("0 0 0 30", "expected a middle inside of the image's"),
      ("1 0.5 3 3", "expected pixels from 0 to 32767"), ("1 -1 3 3", "expected pixels from 0 to 32767"),
    ] {
      XCTAssertThrowsError(try Scene(text: "layer { contents a }\nimage a middle \(middle) " + text[data...])) {
        XCTAssertTrue("\($0)".contains(error), "\($0)")
      }
    }
  }

  /// The text of a tree is read, and what it says shows the same.
  private func check(_ root: Layer, _ note: String, line: UInt = #line) throws {
    let (now, start) = (MonotonicTime.zero + .seconds(100), MonotonicTime.zero + .seconds(5))
    let original = Picture(root, width: 40, height: 30)
    original.commit(at: now)
    let text = try Scene.text(of: root, origin: now)
    let scene = try Scene(text: text)
    let copy = Picture(scene.root, width: 40, height: 30)
    scene.start(at: start)
    copy.commit(at: start)
    for step in [0, 150, 300, 450, 700, 950, 2000] as [Int64] {
      let time = Nanoseconds.milliseconds(step)
      original.commit(at: now + time)
      copy.commit(at: start + time)
      let (first, second) = (original.bytes(at: now + time), copy.bytes(at: start + time))
      XCTAssertTrue(first == second, "\(note) at \(time)\n\(text)", line: line)
    }
  }

  private func layer() -> Layer {
    let layer = Layer(frame: Rect(x: 5, y: 5, width: 20, height: 15))
    layer.backgroundColor = Color(hex: 0x2E8B57)
    layer.shadowColor = .black
    return layer
  }

  func testSharesBeyondTheWhole() throws {
    for value in [7, 1, -1, 0, -0.0, .nan, .infinity] {
      let layer = layer()
      (layer.opacity, layer.shadowOpacity) = (value, value)
      layer.states = [LayerState("a", [.init(.opacity, value)])]
      try check(layer, "\(value)")
      // Animations go to the value itself.
      let moved = self.layer()
      (moved.opacity, moved.shadowOpacity) = (value, value)
      for key in [.opacity, .shadowOpacity] as [AnimatableKey<Double>] {
        var animation = BasicAnimation(key, from: 0)
        animation.duration = .seconds(1)
        moved.add(animation)
      }
      try check(moved, "to \(value)")
    }
  }

  /// A surface is a picture in the text, of which an animation that gives no picture shows nothing either.
  func testFadesFromNoPictureOfASurface() throws {
    let image = try RandomLayers.images(seed: 1)[0]
    let animations: [any Animation] = [
      BasicAnimation(.contents, from: .image(nil), to: .image(image)),
      BasicAnimation(.contents, to: .image(nil)),
      KeyframeAnimation(.contents, values: [.image(nil), .image(image), .image(nil)], calculationMode: .discrete),
    ]
    for (index, animation) in animations.enumerated() {
      let layer = SurfaceLayer(frame: Rect(x: 5, y: 5, width: 20, height: 15))
      let surface = try Surface(width: 4, height: 3)
      try surface.update(IntRect(x: 0, y: 0, width: 4, height: 3)) { pixels in
        for y in 0..<3 { pixels.row(y).update(repeating: 0xFF11_2233) }
      }
      try surface.commit()
      layer.surface = surface
      var animation = animation
      (animation.duration, animation.fillMode, animation.isRemovedOnCompletion) = (.milliseconds(900), .both, index == 0)
      layer.add(animation)
      try check(layer, "animation \(index)")
    }
  }

  func testNegativeSizes() throws {
    let scene = try Scene(text: "layer { bounds 10 20 -4 -6; state wide { bounds.size.width -9 } }")
    let root = scene.root
    XCTAssertEqual(root.bounds, Rect(x: 6, y: 14, width: 4, height: 6))
    root.state = "wide"
    XCTAssertEqual(root.bounds, Rect(x: -3, y: 14, width: 9, height: 6))
  }

  func testNegativeDurations() throws {
    let layer = layer()
    var animation = BasicAnimation(.opacity, from: 0, to: 1)
    (animation.duration, animation.repeatDuration, animation.repeatCount) = (.seconds(-1), .seconds(-1), 3)
    layer.add(animation)
    layer.stateTransitions = [
      StateTransition(duration: .seconds(-1), animations: [.init(.opacity, animation)])
    ]
    try check(layer, "")
  }

  func testKeyTimesThatDoNotFit() throws {
    for mode in CalculationMode.allCases {
      for times in [
        [0, 0.7, 0.3], [-1, 0.5, 2], [0, 1], [0.4], [], [0.1, 0.3, 0.6, 0.9], [0.1, 0.2, 0.3, 0.4, 0.5], [.nan, 0.5, 0.8],
      ] {
        for values in [[], [0.5], [0.2, 0.8, 0.4], [0.2, 0.8]] as [[Double]] {
          let layer = layer()
          var animation = KeyframeAnimation(.opacity, values: values, keyTimes: times, calculationMode: mode)
          animation.duration = .seconds(1)
          layer.add(animation)
          try check(layer, "\(mode), \(times), \(values)")
        }
        let layer = layer()
        var animation = KeyframeAnimation(.position, path: .rect(layer.bounds), keyTimes: times, calculationMode: mode)
        animation.duration = .seconds(1)
        layer.add(animation)
        try check(layer, "\(mode), \(times), a path")
      }
    }
  }

  func testStatesOfOneNameAndOfNone() throws {
    let layer = layer()
    layer.states = [LayerState("a", [.init(.opacity, 0.5)]), LayerState("a", [.init(.opacity, 0.25)])]
    layer.stateTransitions = [StateTransition(from: "a", to: "b", duration: .seconds(1)), StateTransition(from: "c")]
    layer.state = "d"
    try check(layer, "")
    let copy = try Scene(text: Scene.text(of: layer)).root
    for layer in [layer, copy] {
      layer.state = "a"
      XCTAssertEqual(layer.opacity, 0.5)
      layer.state = "b"
      XCTAssertEqual(layer.opacity, 1)
    }
  }

  /// In a tree the last of several animations of one property holds, in a text no other may stand.
  func testSeveralAnimationsOfOnePropertyInATransition() throws {
    let layer = layer()
    layer.states = [LayerState("a", [.init(.opacity, 0.0)])]
    let animations = [Nanoseconds.seconds(1), .seconds(2)].map {
      StateTransition.Element(AnimatableProperty.opacity, BasicAnimation(AnimatableKey<Double>.opacity, duration: $0))
    }
    let transitions = [TransitionType.fade, .push].map { StateTransition.Element(Transition($0)) }
    layer.stateTransitions = [StateTransition(to: "a", animations: animations + transitions)]
    try check(layer, "")
    let text = try Scene.text(of: layer)
    XCTAssertFalse(text.contains("fade"), text)
    let copy = try Scene(text: text).root
    for layer in [layer, copy] {
      layer.setState("a", at: .zero + .seconds(1))
      XCTAssertEqual(layer.presentation(at: .zero + .seconds(2)).opacity, 0.5, accuracy: 1e-9)
    }
  }

  /// In a tree a state and an event mean the first of several layers with a name; a text has another name for the others.
  func testLayersWithOneName() throws {
    func tree() -> Layer {
      let root = Layer(frame: Rect(x: 0, y: 0, width: 40, height: 30))
      root.name = "a"
      for _ in 0..<2 {
        let (outer, inner) = (layer(), layer())
        (outer.name, inner.name) = ("a", "a")
        outer.states = [LayerState("on", [.init(.opacity, 0.5, of: "a"), .init(.opacity, 0.25, of: "nobody")])]
        outer.addSublayer(inner)
        root.addSublayer(outer)
      }
      let other = layer()
      other.name = "a 2"
      root.addSublayer(other)
      root.states = [
        LayerState("on", [.init(.opacity, 0.1, of: "a"), .init(.opacity, 0.75, of: "a")])
      ]
      return root
    }
    for isOn in [false, true] {
      let root = tree()
      if isOn {
        root.state = "on"
        root.sublayers[1].state = "on"
      }
      try check(root, "\(isOn)")
      let text = try Scene.text(of: root, events: [.init(time: .seconds(-1), layer: "a", state: "on")])
      let scene = try Scene(text: text)
      scene.start(at: .zero + .seconds(5))
      scene.advance(to: .zero + .seconds(5))
      scene.root.sublayers[1].state = "on"
      XCTAssertEqual(scene.root.state, "on", text)
      let opacities = scene.root.sublayers.map { [$0.opacity] + $0.sublayers.map(\.opacity) }
      XCTAssertEqual(opacities, [[0.75, 1], [1, 0.5], [1]], text)
    }
  }
}
