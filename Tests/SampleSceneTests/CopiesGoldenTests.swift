import Framepace
import FramepaceTesting
import XCTest

/// Compares copies of layers with a stored picture.
final class CopiesGoldenTests: XCTestCase {
  func testReplicators() throws {
    try Sheet.check("look-replicators") { sheet in
      @MainActor func add(_ change: (ReplicatorLayer, Layer) -> Void) {
        sheet.add { card in
          let layer = ReplicatorLayer(frame: card.bounds)
          let mark = Sheet.layer(Rect(x: 24, y: 4, width: 12, height: 16), 0xFFFFFF)
          (mark.borderWidth, mark.cornerRadius) = (1, 4)
          change(layer, mark)
          if mark.superlayer == nil { layer.addSublayer(mark) }
          card.addSublayer(layer)
        }
      }
      @MainActor func round(_ layer: ReplicatorLayer, _ count: Int) {
        (layer.instanceCount, layer.instanceTransform) = (count, .rotation(2 * .pi / Double(count)))
      }
      add { layer, _ in round(layer, 8) }
      add { layer, _ in
        round(layer, 8)
        (layer.instanceColor, layer.instanceRedOffset, layer.instanceBlueOffset) = (Color(hex: 0x00FFFF), 0.14, -0.14)
      }
      add { layer, _ in
        round(layer, 8)
        layer.instanceAlphaOffset = -0.12
      }
      add { layer, mark in
        // Layers in a copied layer are coloured with it, and so is its shadow.
        round(layer, 5)
        layer.instanceColor = Color(hex: 0xFF8080)
        layer.instanceGreenOffset = 0.1
        (mark.shadowOpacity, mark.shadowColor, mark.shadowRadius) = (1, .white, 3)
        mark.addSublayer(Sheet.layer(Rect(x: 3, y: 3, width: 6, height: 6), 0x4040FF))
      }
      add { layer, mark in
        // A grid: a replicator in a replicator.
        let row = ReplicatorLayer(frame: layer.bounds)
        (row.instanceCount, row.instanceTransform) = (3, .translation(x: 18, y: 0))
        (row.instanceColor, row.instanceRedOffset) = (Color(hex: 0x40FFFF), 0.3)
        mark.position = Point(12, 14)
        row.addSublayer(mark)
        layer.addSublayer(row)
        mark.bounds.size = Size(8, 8)
        (layer.instanceCount, layer.instanceTransform) = (3, .translation(x: 0, y: 18))
        layer.instanceBlueOffset = -0.5
      }
      add { layer, mark in
        (layer.instanceCount, layer.instanceTransform) = (6, .scale(0.75).concatenating(.rotation(0.3)))
        mark.frame = layer.bounds
        mark.backgroundColor = nil
      }
      add { layer, mark in
        // Turned in space: each copy on the plane of the replicator.
        layer.superlayer?.sublayerTransform = .perspective(distance: 200)
        layer.sublayerTransform = .perspective(distance: 120)
        mark.frame = Rect(x: 10, y: 20, width: 40, height: 20)
        (layer.instanceCount, layer.instanceTransform) = (5, .rotation(0.5, x: 0, y: 1, z: 0))
        layer.instanceAlphaOffset = -0.15
      }
      add { layer, mark in
        // The replicator's own look is there once.
        round(layer, 6)
        (layer.borderWidth, layer.cornerRadius, layer.masksToBounds) = (2, 30, true)
        layer.backgroundColor = Color(hex: 0x202B39)
        mark.frame = Rect(x: 20, y: -10, width: 20, height: 24)
        layer.instanceColor = Color(hex: 0xF5C542)
      }
    }
  }
}
