import Foundation
import Geometry
import Raster

/// The pictures, paths and lines of text that all peers paint. Peers in other processes read it from a folder.
struct PeerMaterial {
  let interface: Pixels
  let noise: Pixels
  /// The edge points of a star with 1,000 short tips.
  let star: [Point]
  /// The top left corners of the rectangles, which lie between pixels.
  let corners: [Point]
  /// Both as numbers, x and y in turn.
  let starNumbers: [Double]
  let cornerNumbers: [Double]
  let font: Font
  let lines: [Line]

  /// A line of text with its glyphs, and how far each is from the left end of the baseline.
  struct Line: Codable {
    var text: String
    var x: Double
    var y: Double
    var glyphs: [UInt32]
    var columns: [Double]
  }

  private struct File: Codable {
    var font: String
    var size: Double
    var star: [Double]
    var corners: [Double]
    var lines: [Line]
  }

  static let rectSize = Size(120, 80)
  static let radius = 14.0
  /// The part that text is painted on, and that with the card and its shadow.
  static let page = IntRect(x: 0, y: 0, width: 800, height: 800)
  static let card = IntRect(x: 200, y: 150, width: 400, height: 300)
  static let shadow = IntRect(x: 160, y: 110, width: 480, height: 390)

  init() throws {
    (interface, noise) = (try Pixels(.interface, seed: 3), try Pixels(.noise, seed: 2))
    star = (0..<2_000).map { index in
      let (angle, radius) = (Double(index) / 2_000 * 2 * .pi, index % 2 == 0 ? 520.0 : 470.0)
      return Point(960 + radius * 1.8 * cos(angle), 540 + radius * sin(angle))
    }
    corners = (0..<500).map { Point(Double($0 * 71 % 1790) + 0.3, Double($0 * 137 % 990) + 0.6) }
    starNumbers = star.flatMap { [$0.x, $0.y] }
    cornerNumbers = corners.flatMap { [$0.x, $0.y] }
    let font = try SystemFonts.font(.sans, size: 14)
    let letters = Array("the quick brown fox jumps over 12 lazy dogs at 5:30 ")
    self.font = font
    lines = (0..<40).map { index in
      let text = String((0..<50).map { letters[($0 + index * 7) % letters.count] })
      let line = TextLine(text, font: font)
      return Line(
        text: text, x: 10.3, y: Double(index) * 19 + 24, glyphs: line.glyphs.map(\.id), columns: line.glyphs.map(\.x))
    }
  }

  func write(to folder: String) throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    for (name, pixels) in [("interface", interface), ("noise", noise)] {
      try Data(pixels.bytes).write(to: URL(fileURLWithPath: "\(folder)/\(name)"))
      try PNG.write(pixels.copy(), to: "\(folder)/\(name).png")
    }
    let file = File(font: font.face.path, size: font.size, star: starNumbers, corners: cornerNumbers, lines: lines)
    try JSONEncoder().encode(file).write(to: URL(fileURLWithPath: "\(folder)/material.json"))
  }
}
