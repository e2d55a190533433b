/// The forms in which `framepace render` writes pictures.
enum PictureFormat: String, CaseIterable {
  /// A file a picture.
  case png
  /// One file that browsers and viewers play.
  case apng
  /// Raw video for other programs to read.
  case y4m

  static let list = "png, apng or y4m"

  @Sendable static func parse(_ text: String) throws -> PictureFormat {
    guard let format = PictureFormat(rawValue: text) else { throw Accepted.refused(list) }
    return format
  }

  /// The format that a file's name asks for.
  init?(file: String) {
    guard let format = Self.allCases.first(where: { file.lowercased().hasSuffix($0.suffix) }) else { return nil }
    self = format
  }

  var suffix: String { ".\(rawValue)" }
}
