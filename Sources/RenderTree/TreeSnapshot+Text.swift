import Geometry

extension TreeSnapshot: CustomStringConvertible {
  /// One line a layer, indented by its depth; what has its default value is left out.
  public var description: String {
    var lines = ["backdrop \(Self.hexadecimal(backdrop))"]
    if let viewport { lines.append(viewport.description) }
    var ends: [Int] = []
    for (index, record) in records.enumerated() {
      while let end = ends.last, index >= end { ends.removeLast() }
      lines.append(String(repeating: "  ", count: ends.count) + record.description)
      if Int(record.subtreeEnd) > index + 1 { ends.append(Int(record.subtreeEnd)) }
    }
    return lines.joined(separator: "\n")
  }

  fileprivate static func hexadecimal(_ color: UInt32) -> String {
    let digits = String(color, radix: 16)
    return "#" + String(repeating: "0", count: 8 - digits.count) + digits
  }
}

extension Viewport: CustomStringConvertible {
  public var description: String {
    "viewport \(clip.minX) \(clip.minY) \(clip.width) \(clip.height) transform \(transform.numbers)"
  }
}

extension RenderRecord: CustomStringConvertible {
  /// The layer on one line; what has its default value is left out.
  public var description: String {
    var words = ["layer \(id)", "bounds \(Self.text(bounds))"]
    if transform.isTranslation {
      if transform.tx != 0 || transform.ty != 0 { words.append("at \(transform.tx) \(transform.ty)") }
    } else {
      words.append("transform \(transform.numbers)")
    }
    if backgroundColor != 0 { words.append("color \(TreeSnapshot.hexadecimal(backgroundColor))") }
    if cornerRadius != 0 { words.append("radius \(cornerRadius)") }
    if opacity != 1 { words.append("opacity \(opacity)") }
    if contentsID != 0 { words.append("contents \(contentsID) in \(Self.text(contentsRect))") }
    if flags.contains(.masksToBounds) { words.append("masks") }
    if flags.contains(.hidden) { words.append("hidden") }
    return words.joined(separator: " ")
  }

  private static func text(_ rect: Rect) -> String { "\(rect.minX) \(rect.minY) \(rect.width) \(rect.height)" }
}

extension Affine {
  fileprivate var numbers: String { "\(a) \(b) \(c) \(d) \(tx) \(ty)" }
}
