import Framepace

/// The colours of the scenes.
enum Palette {
  static let night = Color(hex: 0x0B1016)
  static let panel = Color(hex: 0x151D27)
  static let line = Color(hex: 0x2A3644)
  static let dim = Color(hex: 0x7F8EA0)
  static let text = Color(hex: 0xE6EDF5)
  static let sky = Color(hex: 0x4CC2FF)
  static let teal = Color(hex: 0x3DD6B0)
  static let amber = Color(hex: 0xFFB84D)
  static let rose = Color(hex: 0xFF6B81)
  static let violet = Color(hex: 0xA58BFF)

  static let accents = [sky, teal, amber, rose, violet]
}
