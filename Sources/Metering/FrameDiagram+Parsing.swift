public import LinuxSystem

extension FrameDiagram {
  /// The reason for which a text is no diagram.
  public struct ParseError: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Reason: Hashable, Sendable {
      /// A line begins with a blank, or its name takes the place of the lane.
      case noName
      /// A second lane of the name.
      case repeated(String)
      /// A tabulator, which is not one character wide everywhere.
      case tabulator
    }

    /// Counted from 1.
    public let line: Int
    public let reason: Reason

    public var description: String {
      switch reason {
      case .noName: "line \(line): a line is a name of at most seven characters, and its lane from the ninth on"
      case .repeated(let name): "line \(line): a second lane '\(name)'"
      case .tabulator: "line \(line): a tabulator has no width of its own; use blanks"
      }
    }
  }

  /// Reads lanes as `description` writes them. A line `ms`, which is the ruler, and empty ones are skipped.
  ///
  /// - Parameters:
  ///   - start: the time of the first character.
  ///   - scale: how long a character lasts.
  public init(
    parsing text: String, start: MonotonicTime, scale: Nanoseconds = .milliseconds(1)
  ) throws(ParseError) {
    var lanes: [Lane] = []
    var number = 0
    for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
      number += 1
      guard !line.contains("\t") else { throw ParseError(line: number, reason: .tabulator) }
      guard line.contains(where: { $0 != " " }) else { continue }
      let name = line.prefix { $0 != " " }
      guard !name.isEmpty, name.count < Self.margin else { throw ParseError(line: number, reason: .noName) }
      guard name != "ms" else { continue }
      // Between the name and the lane there is nothing.
      guard line.prefix(Self.margin).dropFirst(name.count).allSatisfy({ $0 == " " }) else {
        throw ParseError(line: number, reason: .noName)
      }
      guard !lanes.contains(where: { $0.name == name }) else {
        throw ParseError(line: number, reason: .repeated(String(name)))
      }
      var characters = Array(line.dropFirst(Self.margin))
      while characters.last == " " { characters.removeLast() }
      lanes.append(Lane(name: String(name), characters: characters))
    }
    self.init(start: start, scale: scale, columns: lanes.map(\.characters.count).max() ?? 0)
    self.lanes = lanes
  }
}
