import Framepace
import FramepaceTesting
import XCTest

/// Cards in rows of four on a light ground.
@MainActor
final class Sheet {
  let root = Layer()
  private var count = 0

  init() {
    root.backgroundColor = Color(hex: 0xF0F0E8)
  }

  var size: Size { Size(400, Double((count + 3) / 4) * 100) }

  func add(_ change: (Layer) -> Void) {
    let card = Self.layer(
      Rect(x: Double(count % 4) * 100 + 20, y: Double(count / 4) * 100 + 20, width: 60, height: 60), 0xF5C542)
    change(card)
    root.addSublayer(card)
    count += 1
  }

  /// Adds a picture file of the tests of picture files.
  func addPicture(_ file: String, _ change: (ImageLayer) -> Void = { _ in }) {
    let folder = String(#filePath.dropLast("SampleSceneTests/Sheet.swift".count)) + "ImageFilesTests/Pictures/"
    add { card in
      let layer = ImageLayer(frame: card.bounds)
      layer.file = folder + file
      change(layer)
      card.addSublayer(layer)
    }
  }

  static func layer(_ frame: Rect, _ color: UInt32) -> Layer {
    let layer = Layer(frame: frame)
    layer.backgroundColor = Color(hex: color)
    return layer
  }

  /// Compares a sheet with a stored picture.
  nonisolated static func check(
    _ name: String, scale: Double = 1, blending: Blending = .sRGB, _ fill: @escaping @MainActor (Sheet) throws -> Void
  ) throws {
    let folder = String(#filePath.dropLast("Sheet.swift".count)) + "Goldens"
    try onMain {
      let sheet = Sheet()
      try fill(sheet)
      let size = Size(sheet.size.width * scale, sheet.size.height * scale)
      let stage = try ManualStage(
        width: Int(size.width), height: Int(size.height), root: sheet.root, rate: .hertz60, scale: scale, blending: blending)
      stage.engine.waitsForDrawings = true
      stage.run(for: .milliseconds(50))
      let image = try stage.display.capture()
      stage.engine.invalidate()
      do {
        try GoldenImage.check(image, against: "\(folder)/\(name).png")
      } catch {
        XCTFail("\(error)")
      }
    }
  }

  /// Eight by eight pixels: a frame of one pixel around a chequered middle, and its corners in four colours.
  nonisolated static func image() throws -> Image {
    let bitmap = try Bitmap(width: 8, height: 8)
    for y in 0..<8 {
      let row = bitmap.row(y).assumingMemoryBound(to: UInt32.self)
      for x in 0..<8 {
        let isEdge = x == 0 || y == 0 || x == 7 || y == 7
        let corner: UInt32 = x < 4 ? (y < 4 ? 0xFFE0_4030 : 0xFF30_60E0) : y < 4 ? 0xFF30_C060 : 0xFFE0_A020
        row[x] = isEdge ? 0xFF20_2020 : (x + y).isMultiple(of: 2) ? corner : 0xFFFF_FFFF
      }
    }
    return bitmap.freeze()
  }
}
