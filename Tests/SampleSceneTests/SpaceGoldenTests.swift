import Framepace
import FramepaceTesting
import XCTest

/// Compares layers in space with a stored picture.
@preconcurrency @MainActor final class SpaceGoldenTests: XCTestCase {
  private static let folder = String(#filePath.dropLast("SpaceGoldenTests.swift".count)) + "Goldens"

  func testCards() throws {
    let root = Layer()
    root.backgroundColor = Color(hex: 0xF0F0E8)
    for (index, change) in Self.changes.enumerated() {
      let cell = Layer(frame: Rect(x: Double(index % 4) * 120, y: Double(index / 4) * 120, width: 120, height: 120))
      cell.sublayerTransform = .perspective(distance: 220)
      root.addSublayer(cell)
      change(cell, Self.card(in: cell))
    }
    let stage = try ManualStage(width: 480, height: 360, root: root, rate: .hertz60)
    stage.run(for: .milliseconds(50))
    let image = try stage.display.capture()
    stage.engine.invalidate()
    do {
      try GoldenImage.check(image, against: "\(Self.folder)/space.png")
    } catch {
      XCTFail("\(error)")
    }
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
