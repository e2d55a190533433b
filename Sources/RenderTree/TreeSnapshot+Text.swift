import Geometry

extension TreeSnapshot: CustomStringConvertible {
  /// One line a layer, indented by its depth; what has its default value is left out.
  public var description: String {
    var lines = ["backdrop \(Self.hexadecimal(backdrop))"]
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

extension RenderRecord: CustomStringConvertible {
  /// The layer on one line; what has its default value is left out.
  public var description: String {
    var words = ["layer \(id)", "bounds \(Self.text(bounds))"]
    if transform.isTranslation {
      if transform.tx != 0 || transform.ty != 0 { words.append("at \(transform.tx) \(transform.ty)") }
    } else {
      let map = transform
      words.append("transform \(map.a) \(map.b) \(map.c) \(map.d) \(map.tx) \(map.ty)")
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
