import Framepace
import FramepaceTesting
import TestLength
import XCTest

@testable import Presentation

/// Touches and pointers on displays that are turned, several, and mirrored.
@preconcurrency @MainActor final class InputMatrixTests: XCTestCase {
  private enum Second: CaseIterable { case none, own, mirror }
  private enum Device: CaseIterable { case touch, tablet, mouse }

  /// Whichever way displays are mounted and whatever points: the layer that is found is the one whose colour the panel has there.
  func testEveryDeviceFindsThePixel() throws {
    var random = SplitMix64(seed: UInt64(runSeed))
    var found = 0
    for rotation in DisplayRotation.allCases {
      for scale in [1.0, 2] {
        for second in Second.allCases {
          found += try findPixels(rotation, scale, second, &random)
        }
      }
    }
    XCTAssertGreaterThan(found, 4 * 2 * 3 * 3 * 20, "FRAMEPACE_SEED=\(runSeed)")
  }

  private func findPixels(
    _ rotation: DisplayRotation, _ scale: Double, _ second: Second, _ random: inout SplitMix64
  ) throws -> Int {
    let stage = try ManualStage(width: 48, height: 32, rate: .hertz60, scale: scale)
    defer { stage.engine.invalidate() }
    stage.display.rotation = rotation
    var displays: [VirtualDisplay] = [stage.display]
    var roots = [stage.root]
    if second != .none {
      let display = try VirtualDisplay(
        width: 60, height: 60, refreshRate: .hertz60, reason: "a test", clock: .manual(stage.clock))
      display.rotation = DisplayRotation(rawValue: (rotation.rawValue + 90) % 360) ?? .none
      displays.append(display)
      roots.append(second == .own ? Layer() : stage.root)
      if second == .own {
        stage.engine.addOutput(display: display, root: roots[1], scale: scale)
      } else {
        stage.engine.mirror(on: display)
      }
    }
    let colours = Colours()
    for root in second == .own ? roots : [roots[0]] { colours.fill(root, scale, &random) }
    stage.run(for: .milliseconds(100))
    let router = stage.engine.inputRouter
    for index in router.screens.indices { router.screens[index].screen.name = "\(index)" }
    var found = 0
    for (index, display) in displays.enumerated() {
      let picture = try display.capture()
      for kind in Device.allCases {
        for _ in 0..<20 {
          let (x, y) = (
            Int.random(in: 0..<picture.width, using: &random), Int.random(in: 0..<picture.height, using: &random)
          )
          let pixel = picture.row(y).assumingMemoryBound(to: UInt32.self)[x]
          // A mirror has pixels beside its picture, and some that mix two layers.
          guard colours.layers[pixel] != nil else { continue }
          colours.found = nil
          point(kind, at: (x, y), of: picture, router.screens[index].screen, stage)
          XCTAssertEqual(
            colours.found, pixel,
            "\(kind) at \(x) \(y) of display \(index) turned by \(display.rotation), \(second), scale \(scale)")
          found += 1
        }
      }
    }
    return found
  }

  /// Presses at a pixel of the panel.
  private func point(
    _ kind: Device, at pixel: (x: Int, y: Int), of picture: Image, _ screen: InputScreen,
    _ stage: ManualStage<VirtualDisplay>
  ) {
    let part = Point((Double(pixel.x) + 0.5) / Double(picture.width), (Double(pixel.y) + 0.5) / Double(picture.height))
    let router = stage.engine.inputRouter
    let device = InputDevice(
      id: InputDevice.ID(rawValue: 1), name: "\(kind)", abilities: [.touch, .pointer], outputName: screen.name)
    func send(_ action: InputEvent.Action) {
      router.receive(InputEvent(time: stage.clock.now, device: device.id, action: action))
    }
    send(.added(device))
    switch kind {
    case .touch: send(.touch(finger: 0, .down(part)))
    case .tablet:
      send(.position(part))
      send(.button(.leftButton, isDown: true))
    case .mouse:
      // The pixel in the upright picture, by the turns of the panel alone.
      let upright: (x: Double, y: Double) =
        switch screen.quarterTurns {
        case 1: (part.y, 1 - part.x)
        case 2: (1 - part.x, 1 - part.y)
        case 3: (1 - part.y, part.x)
        default: (part.x, part.y)
        }
      let target = Point(
        screen.frame.minX + upright.x * screen.frame.width, screen.frame.minY + upright.y * screen.frame.height)
      send(.motion(Point(0.001, 0)))
      stage.turn()
      let from = router.visiblePointer ?? .zero
      send(.motion(target - from))
      send(.button(.leftButton, isDown: true))
    }
    stage.turn()
    send(.removed)
    stage.turn()
  }

  @MainActor
  private final class Colours {
    var layers: [UInt32: Layer] = [:]
    var found: UInt32?

    /// Fills a root with squares of four pixels, each of its own colour.
    func fill(_ root: Layer, _ scale: Double, _ random: inout SplitMix64) {
      let side = 4 / scale
      for row in 0..<Int(root.bounds.height / side) {
        for column in 0..<Int(root.bounds.width / side) {
          let colour = UInt32.random(in: 0...0xFFFFFF, using: &random)
          let layer = Layer(frame: Rect(x: Double(column) * side, y: Double(row) * side, width: side, height: side))
          layer.backgroundColor = Color(hex: colour)
          layer.responder = Told(self, colour | 0xFF00_0000)
          layers[colour | 0xFF00_0000] = layer
          root.addSublayer(layer)
        }
      }
    }

    private final class Told: Responder {
      unowned let colours: Colours
      let colour: UInt32
      init(_ colours: Colours, _ colour: UInt32) { (self.colours, self.colour) = (colours, colour) }
      override func touchBegan(_ touch: Touch) { colours.found = colour }
    }
  }

  /// The time from an event to the vblank that shows what it changed is in the frame's record.
  func testTheLatencyOfAnEventIsRecorded() throws {
    let stage = try ManualStage(width: 48, height: 32, rate: .hertz60)
    defer { stage.engine.invalidate() }
    final class White: Responder {
      override func touchBegan(_ touch: Touch) { layer?.backgroundColor = .white }
    }
    stage.root.responder = White()
    let router = stage.engine.inputRouter
    let device = InputDevice(id: InputDevice.ID(rawValue: 1), name: "", abilities: .touch)
    stage.run(for: .milliseconds(100))
    let time = stage.clock.now
    router.receive(InputEvent(time: time, device: device.id, action: .added(device)))
    router.receive(InputEvent(time: time, device: device.id, action: .touch(finger: 0, .down(Point(0.5, 0.5)))))
    stage.run(for: .milliseconds(100))
    XCTAssertEqual(stage.frames.last?.input, time)
  }
}
