package import LinuxSystem

extension FrameDiagram {
  /// A line of a text that is no lane of a diagram: a name of at most seven characters, which no other lane has, and its
  /// characters from the ninth on, without tabulators.
  package struct ParseError: Error, Hashable {
    /// Counted from 1.
    package let line: Int

    package init(line: Int) { self.line = line }
  }

  /// Reads lanes as `description` writes them. A line `ms`, which is the ruler, and empty ones are skipped.
  ///
  /// - Parameters:
  ///   - start: the time of the first character.
  ///   - scale: how long a character lasts.
  package init(
    parsing text: String, start: MonotonicTime, scale: Nanoseconds = .milliseconds(1)
  ) throws(ParseError) {
    var lanes: [Lane] = []
    var number = 0
    for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
      number += 1
      let name = line.prefix { $0 != " " }
      guard line.contains(where: { $0 != " " }), name != "ms" else { continue }
      // Between the name and the lane there is nothing.
      guard !name.isEmpty, name.count < Self.margin, !line.contains("\t"), !lanes.contains(where: { $0.name == name }),
        line.prefix(Self.margin).dropFirst(name.count).allSatisfy({ $0 == " " })
      else { throw ParseError(line: number) }
      var characters = Array(line.dropFirst(Self.margin))
      while characters.last == " " { characters.removeLast() }
      lanes.append(Lane(name: String(name), characters: characters))
    }
    self.init(start: start, scale: scale, columns: lanes.map(\.characters.count).max() ?? 0)
    self.lanes = lanes
  }
}
