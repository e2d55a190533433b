import Framepace
import FramepaceTesting
import XCTest

/// Compares layers in space with a stored picture.
@preconcurrency @MainActor final class SpaceGoldenTests: XCTestCase {
  private static let folder = String(#filePath.dropLast("SpaceGoldenTests.swift".count)) + "Goldens"

  func testCards() throws {
    try Self.check("space", rows: 3, Self.changes.map { change in { cell in change(cell, Self.card(in: cell)) } })
  }

  /// Layers that are not flattened, each in a cell with a perspective.
  func testTransformLayers() throws {
    @MainActor func box(_ change: @escaping @MainActor (TransformLayer) -> Void) -> @MainActor (Layer) -> Void {
      { cell in
        let box = Self.box()
        box.position = Point(60, 60)
        box.transform = .rotation(0.6, x: 0, y: 1, z: 0).concatenating(.rotation(-0.5, x: 1, y: 0, z: 0))
        cell.addSublayer(box)
        change(box)
      }
    }
    try Self.check(
      "space-transform-layers", rows: 2,
      [
        box { _ in },
        box { $0.opacity = 0.6 },
        // The look of another layer does nothing here.
        box { box in
          box.bounds = Rect(x: 0, y: 0, width: 30, height: 30)
          (box.backgroundColor, box.borderWidth, box.masksToBounds) = (.black, 4, true)
          (box.shadowOpacity, box.blurRadius, box.mask) = (1, 5, Layer())
        },
        box { $0.sublayers.forEach { $0.isDoubleSided = true } },
        // A box on a side of another one.
        box { box in
          let small = Self.box()
          (small.transform, small.zPosition) = (.scale(x: 0.4, y: 0.4, z: 0.4), 48)
          box.addSublayer(small)
        },
        box { $0.superlayer?.isGeometryFlipped = true },
        box { $0.isGeometryFlipped = true },
        // The same layers in one that flattens them.
        box { box in
          let flat = Layer()
          (flat.position, flat.transform) = (box.position, box.transform)
          for side in box.sublayers { flat.addSublayer(side) }
          box.superlayer?.addSublayer(flat)
        },
      ])
  }

  private static func check(_ name: String, rows: Int, _ cells: [@MainActor (Layer) -> Void]) throws {
    let root = Layer()
    root.backgroundColor = Color(hex: 0xF0F0E8)
    for (index, fill) in cells.enumerated() {
      let cell = Layer(frame: Rect(x: Double(index % 4) * 120, y: Double(index / 4) * 120, width: 120, height: 120))
      cell.sublayerTransform = .perspective(distance: 220)
      root.addSublayer(cell)
      fill(cell)
    }
    let stage = try ManualStage(width: 480, height: rows * 120, root: root, rate: .hertz60)
    stage.run(for: .milliseconds(50))
    let image = try stage.display.capture()
    stage.engine.invalidate()
    do {
      try GoldenImage.check(image, against: "\(folder)/\(name).png")
    } catch {
      XCTFail("\(error)")
    }
  }

  /// Six sides around the origin, each with a mark in a corner.
  private static func box() -> TransformLayer {
    let box = TransformLayer()
    let turns: [Transform3D] = [
      .identity, .rotation(.pi / 2, x: 0, y: 1, z: 0), .rotation(.pi, x: 0, y: 1, z: 0),
      .rotation(-.pi / 2, x: 0, y: 1, z: 0), .rotation(.pi / 2, x: 1, y: 0, z: 0), .rotation(-.pi / 2, x: 1, y: 0, z: 0),
    ]
    let colors: [UInt32] = [0xF5C542, 0x1E90FF, 0x2E8B57, 0xDC143C, 0x8A5CF0, 0x40B0A0]
    for (turn, color) in zip(turns, colors) {
      let side = Layer(frame: Rect(x: -30, y: -30, width: 60, height: 60))
      side.backgroundColor = Color(hex: color)
      (side.anchorPointZ, side.transform, side.isDoubleSided) = (-30, turn, false)
      let mark = Layer(frame: Rect(x: 6, y: 6, width: 18, height: 12))
      mark.backgroundColor = .white
      side.addSublayer(mark)
      box.addSublayer(side)
    }
    return box
  }

  /// A card with a band along its top, a round mark at the left, and stripes.
  private static func card(in cell: Layer) -> Layer {
    let card = Layer(frame: Rect(x: 25, y: 20, width: 70, height: 80))
    (card.backgroundColor, card.cornerRadius) = (Color(hex: 0xF5C542), 10)
    func add(_ frame: Rect, _ color: UInt32, radius: Double = 0) {
      let layer = Layer(frame: frame)
      (layer.backgroundColor, layer.cornerRadius) = (Color(hex: color), radius)
      card.addSublayer(layer)
    }
    add(Rect(x: 8, y: 8, width: 54, height: 10), 0x1E90FF)
    add(Rect(x: 8, y: 26, width: 20, height: 20), 0xDC143C, radius: 10)
    for line in 0..<5 { add(Rect(x: 34, y: 26 + Double(line) * 8, width: 28, height: 4), 0x404040) }
    cell.addSublayer(card)
    return card
  }

  /// For each cell, what is changed in it.
  private static let changes: [@MainActor (_ cell: Layer, _ card: Layer) -> Void] = [
    { _, card in card.transform = .rotation(0.8, x: 0, y: 1, z: 0) },
    { _, card in card.transform = .rotation(0.8, x: 1, y: 0, z: 0) },
    { _, card in card.transform = .rotation(1, x: 1, y: 1, z: 0.3) },
    { cell, card in
      // The same turn without perspective.
      cell.sublayerTransform = .identity
      card.transform = .rotation(0.8, x: 0, y: 1, z: 0)
    },
    { _, card in
      // Half a turn and more: the back is seen, mirrored, and through it the card behind.
      card.transform = .rotation(2.5, x: 0, y: 1, z: 0)
    },
    { cell, card in
      card.isDoubleSided = false
      card.transform = .rotation(2.5, x: 0, y: 1, z: 0)
      let back = Layer(frame: card.frame)
      (back.backgroundColor, back.cornerRadius) = (Color(hex: 0x2E8B57), 10)
      back.isDoubleSided = false
      back.transform = .rotation(2.5 - .pi, x: 0, y: 1, z: 0)
      cell.addSublayer(back)
    },
    { cell, _ in cell.isGeometryFlipped = true },
    { _, card in (card.zPosition, card.opacity) = (80, 0.5) },
    { cell, card in
      // A floor that goes from before the viewer to far behind the cell.
      cell.masksToBounds = true
      card.bounds = Rect(x: 0, y: 0, width: 70, height: 900)
      card.transform = .rotation(1.4, x: 1, y: 0, z: 0)
    },
    { _, card in
      // A plane in a plane.
      card.sublayerTransform = .perspective(distance: 60)
      card.transform = .rotation(-0.6, x: 0, y: 1, z: 0)
      card.sublayers[1].transform = .rotation(1, x: 0, y: 1, z: 0)
    },
    { _, card in
      card.anchorPointZ = -40
      card.transform = .rotation(0.9, x: 0, y: 1, z: 0)
      (card.shadowOpacity, card.shadowOffset, card.borderWidth) = (0.6, Size(4, 6), 2)
    },
    { _, card in
      card.masksToBounds = true
      card.bounds.origin = Point(-12, 14)
      card.transform = .rotation(0.7, x: -0.4, y: 1, z: 0.5)
    },
  ]
}
