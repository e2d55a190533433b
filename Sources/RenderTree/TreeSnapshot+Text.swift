import Geometry

extension TreeSnapshot: CustomStringConvertible {
  /// One line for each layer, indented by its depth; properties with their default value are left out. Contents are numbered
  /// in the order in which they first appear.
  public var description: String {
    var lines = ["backdrop \(backdrop.hexadecimalColor)"]
    if let viewport { lines.append(viewport.description) }
    var ends: [Int] = []
    var numbers: [ObjectIdentifier: Int] = [:]
    for (index, record) in records.enumerated() {
      while let end = ends.last, index >= end { ends.removeLast() }
      var line = String(repeating: "  ", count: ends.count) + record.description
      if index < sides.count, let content = sides[index].content {
        let number = numbers[ObjectIdentifier(content)] ?? numbers.count + 1
        numbers[ObjectIdentifier(content)] = number
        line += " content \(number) \(content)"
      }
      if index < sides.count, let effects = sides[index].effects { line += " \(effects)" }
      lines.append(line)
      if Int(record.subtreeEnd) > index + 1 { ends.append(Int(record.subtreeEnd)) }
    }
    return lines.joined(separator: "\n")
  }
}

extension Viewport: CustomStringConvertible {
  public var description: String {
    "viewport \(clip.minX) \(clip.minY) \(clip.width) \(clip.height) transform \(transform.numbers)"
  }
}

extension RenderRecord: CustomStringConvertible {
  /// The layer on one line, without its side values.
  public var description: String {
    var words = ["layer \(id)", "bounds \(bounds.minX) \(bounds.minY) \(bounds.width) \(bounds.height)"]
    if transform.isTranslation {
      if transform.tx != 0 || transform.ty != 0 { words.append("at \(transform.tx) \(transform.ty)") }
    } else {
      words.append("transform \(transform.numbers)")
    }
    if backgroundColor != 0 { words.append("color \(backgroundColor.hexadecimalColor)") }
    if cornerRadius != 0 { words.append("radius \(cornerRadius)") }
    if opacity != 1 { words.append("opacity \(opacity)") }
    if flags.contains(.masksToBounds) { words.append("masks") }
    if flags.contains(.mask) { words.append("mask") }
    if flags.contains(.hidden) { words.append("hidden") }
    return words.joined(separator: " ")
  }
}

extension Affine {
  fileprivate var numbers: String { "\(a) \(b) \(c) \(d) \(tx) \(ty)" }
}
