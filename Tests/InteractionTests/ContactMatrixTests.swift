import Geometry
import Input
import Interaction
import LinuxSystem
import Testing

/// Every pixel of turned screens, alone and beside another one, by every kind of device that points.
@Suite struct ContactMatrixTests {
  enum Pointing: CaseIterable {
    case touch, mouse, absolutePointer, pen

    var abilities: InputDevice.Abilities {
      switch self {
      case .touch: .touch
      case .mouse, .absolutePointer: .pointer
      case .pen: .pen
      }
    }
  }

  /// A pixel of the picture of a screen.
  struct Pixel: Hashable {
    var screen: Int
    var x: Int
    var y: Int
  }

  /// The pixels of a screen's picture, which is turned as a whole on its panel.
  private static func panel(of screen: Int, _ width: Int, _ height: Int, turns: Int) -> [[Pixel]] {
    var rows = (0..<height).map { y in (0..<width).map { Pixel(screen: screen, x: $0, y: y) } }
    for _ in 0..<turns {
      // A quarter clockwise: the first column, from below, becomes the first row.
      rows = rows[0].indices.map { column in rows.reversed().map { $0[column] } }
    }
    return rows
  }

  @Test(arguments: Pointing.allCases, 0...3)
  func eachPixelIsHit(by pointing: Pointing, turns: Int) {
    let sizes = [(width: 6, height: 4), (width: 3, height: 7)]
    for count in 1...2 {
      for otherTurns in 0..<(count == 1 ? 1 : 4) {
        // The second screen lies to the right of the first.
        let screens = (0..<count).map { index in
          InputScreen(
            name: "\(index)",
            frame: Rect(
              x: Double(10 + 6 * index), y: 20, width: Double(sizes[index].width), height: Double(sizes[index].height)),
            quarterTurns: index == 0 ? turns : otherTurns)
        }
        for (index, screen) in screens.enumerated() {
          let panel = Self.panel(of: index, sizes[index].width, sizes[index].height, turns: screen.quarterTurns)
          expectHits(pointing, on: screens, panel)
        }
      }
    }
  }

  private func expectHits(_ pointing: Pointing, on screens: [InputScreen], _ panel: [[Pixel]]) {
    var tracker = ContactTracker(screens: screens)
    let name = screens[panel[0][0].screen].name
    let device = InputDevice(
      id: InputDevice.ID(rawValue: 1), name: "", abilities: pointing.abilities, outputName: name)
    func send(_ action: InputEvent.Action) -> [Pixel] {
      var hits: [Pixel] = []
      tracker.handle(InputEvent(time: .zero, device: device.id, action: action)) { event in
        guard case .contact(let contact, _, _) = event.action, contact.phase == .began else { return }
        let point = contact.location
        hits.append(Pixel(screen: event.screen, x: Int(point.x.rounded(.down)), y: Int(point.y.rounded(.down))))
      }
      return hits
    }
    _ = send(.added(device))
    for (row, pixels) in panel.enumerated() {
      for (column, pixel) in pixels.enumerated() {
        let part = Point((Double(column) + 0.5) / Double(pixels.count), (Double(row) + 0.5) / Double(panel.count))
        let hits: [Pixel]
        switch pointing {
        case .touch:
          hits = send(.touch(finger: 0, .down(part)))
          _ = send(.touch(finger: 0, .up))
        case .pen:
          hits = send(.pen(.init(tool: .pen, contact: .down, position: part)))
          _ = send(.pen(.init(tool: .pen, contact: .away, position: part)))
        case .absolutePointer: hits = send(.position(part)) + click()
        case .mouse:
          // It moves by points of the upright pictures, whatever their panels' turns.
          let frame = screens[pixel.screen].frame
          let start = tracker.pointer ?? screens[0].frame.center
          hits =
            send(.motion(Point(frame.minX + Double(pixel.x) + 0.5 - start.x, frame.minY + Double(pixel.y) + 0.5 - start.y)))
            + click()
        }
        #expect(hits == [pixel], "row \(row), column \(column) of \(name), \(screens.map(\.quarterTurns)) turns")
      }
    }
    func click() -> [Pixel] {
      defer { _ = send(.button(.leftButton, isDown: false)) }
      return send(.button(.leftButton, isDown: true))
    }
  }
}
