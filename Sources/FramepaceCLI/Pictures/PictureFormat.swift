/// The forms in which `framepace render` writes pictures.
enum PictureFormat: String, CaseIterable {
  /// A file a picture.
  case png
  /// One file that browsers and viewers play.
  case apng
  /// Raw video for other programs to read.
  case y4m

  /// The format that a file's name asks for.
  init?(file: String) {
    guard let format = Self.allCases.first(where: { file.lowercased().hasSuffix($0.suffix) }) else { return nil }
    self = format
  }

  var suffix: String { ".\(rawValue)" }
}
