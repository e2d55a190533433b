import LinuxSystem

/// The files of fonts in the folders that were searched, for a message that suggests some of them.
struct FontFileNames {
  /// The path of each name's first file.
  private var paths: [String: String] = [:]

  /// Adds those of a folder's entries that are named as fonts are.
  mutating func add(_ entries: some Sequence<String>, in folder: String) {
    for name in entries where Self.ending(of: name) != nil && paths[name] == nil { paths[name] = "\(folder)/\(name)" }
  }

  /// Those whose names are most like one, three at most, the best first: those of its family before those that are spelt like it.
  ///
  /// - Parameter isFile: true for the path of a file that can be read.
  func nearest(to name: String, where isFile: (String) -> Bool) -> [String] {
    let wanted = Words(name)
    let ranked = paths.keys.compactMap { name in wanted.rank(of: Words(name)).map { (rank: $0, name: name) } }
    let sorted = ranked.sorted { ($0.rank.kind, $0.rank.distance, $0.name) < ($1.rank.kind, $1.rank.distance, $1.name) }
    var nearest: [String] = []
    for (_, name) in sorted where nearest.count < 3 && paths[name].map(isFile) == true { nearest.append(name) }
    return nearest
  }

  /// The ending of a font's file in small letters, without the point; nil for other names.
  private static func ending(of name: String) -> String? {
    guard let point = name.lastIndex(of: ".") else { return nil }
    let ending = name[name.index(after: point)...].lowercased()
    return ["ttf", "otf", "ttc"].contains(ending) ? ending : nil
  }

  /// The letters and digits of a name in small letters, without its ending.
  private struct Words {
    let all: String
    /// Those before the first hyphen or point, behind which styles stand.
    let family: String

    init(_ name: String) {
      let stem = name.dropLast(FontFileNames.ending(of: name).map { $0.count + 1 } ?? 0)
      func letters(_ text: Substring) -> String { text.lowercased().filter { $0.isLetter || $0.isNumber } }
      (all, family) = (letters(stem), letters(stem.prefix { $0 != "-" && $0 != "." }))
    }

    /// The likeness of another name: the smaller, the more like; nil for none.
    func rank(of other: Words) -> (kind: Int, distance: Int)? {
      guard !all.isEmpty, all.count <= 80, other.all.count <= 80 else { return nil }
      if other.all == all || other.all == all + "regular" { return (0, other.all.count) }
      if other.all.hasPrefix(all) || other.family == family { return (1, all.editDistance(to: other.all)) }
      let allowed = min(max(2, all.count / 4), all.count - 1)
      guard abs(all.count - other.all.count) <= allowed else { return nil }
      let distance = all.editDistance(to: other.all)
      return distance <= allowed ? (2, distance) : nil
    }
  }
}

extension Sequence<String> {
  /// "a, b and c", as a sentence names them.
  func list(_ conjunction: String) -> String {
    let names = Array(self)
    guard names.count > 1, let last = names.last else { return names.first ?? "" }
    return "\(names.dropLast().joined(separator: ", ")) \(conjunction) \(last)"
  }
}
