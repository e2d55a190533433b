public import Framepace

/// The faces that the scenes are set in: DejaVu, opened by path, so that a scene looks the same on every machine.
public struct SceneFonts: Sendable {
  private let regularFace: FontFace
  private let boldFace: FontFace
  private let monoFace: FontFace

  /// Throws when a font is missing; the error names the Debian package to install.
  public init() throws(FontError) {
    regularFace = try SystemFonts.face(.sans)
    boldFace = try SystemFonts.face(.sansBold)
    monoFace = try SystemFonts.face(.mono)
  }

  public func regular(size: Double) -> Font { Font(regularFace, size: size) }
  public func bold(size: Double) -> Font { Font(boldFace, size: size) }
  /// All characters of one width, for figures that change.
  public func mono(size: Double) -> Font { Font(monoFace, size: size) }
}
