public import Framepace

/// The fonts of the scenes: DejaVu, opened by path, so that a scene looks the same on every machine.
public struct SceneFonts: Sendable {
  private let regularFace: FontFace
  private let boldFace: FontFace
  private let monoFace: FontFace

  /// Opens the fonts. The error for a missing font names the Debian package.
  public init() throws(FontError) {
    regularFace = try SystemFonts.face(.sans)
    boldFace = try SystemFonts.face(.sansBold)
    monoFace = try SystemFonts.face(.mono)
  }

  public func regular(size: Double) -> Font { Font(regularFace, size: size) }
  public func bold(size: Double) -> Font { Font(boldFace, size: size) }
  /// A font in which all characters are equally wide, for changing figures.
  public func mono(size: Double) -> Font { Font(monoFace, size: size) }
}
