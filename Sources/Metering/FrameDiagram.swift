public import LinuxSystem

/// Events along time as text: a line each for vblanks, ticks, work and so on, in which each character is a millisecond.
///
/// ```
/// ms      0         10        20        30        40        50        60        70
/// vblank  |                |                |                |                |
/// tick    1                2                                 4
/// work    111              22222222222222222222              444
/// commit     1                                 2                4
/// flip                     1                x................2                4
/// ```
///
/// People see in a diagram why a frame was late; tests state events in it and compare texts. A line is a lane: its name, and
/// its events from the ninth character on. Digits are frames, by the last digit of their numbers; see `legend` for the rest.
/// Events before the first character or after the last are left out.
///
/// A pure value: it reads no clock, and the same marks give the same text.
public struct FrameDiagram: Hashable, Sendable, CustomStringConvertible {
  /// One line.
  public struct Lane: Hashable, Sendable {
    /// At most seven characters.
    public let name: String
    /// Without blanks at the end.
    var characters: [Character] = []
  }

  /// The time in the middle of the first character.
  public let start: MonotonicTime
  /// The duration of a character; above zero.
  public let scale: Nanoseconds
  /// The number of characters in a lane.
  public let columns: Int
  /// The lanes from top to bottom.
  public internal(set) var lanes: [Lane] = []

  /// The column at which lanes begin in a line.
  static let margin = 8
  /// The characters that give way to marks: places without an event.
  private static let faint: Set<Character> = [" ", "-", ".", "x"]

  /// An empty diagram.
  ///
  /// - Parameters:
  ///   - scale: the duration of a character; at least a nanosecond.
  ///   - columns: the number of characters in a lane.
  public init(start: MonotonicTime, scale: Nanoseconds = .milliseconds(1), columns: Int = 72) {
    self.start = start
    self.scale = max(scale, Nanoseconds(1))
    self.columns = max(columns, 0)
  }

  /// The meanings of the characters.
  public static let legend = """
    |  a vblank          0-9  a frame, by the last digit of its number
    -  a tick that is due and does not come
    x  where a frame should have been seen, and the dots until it was
    *  more than one
    """

  // MARK: - Drawing

  /// Adds an empty lane at the bottom, unless there is one of the name. (Marks add their lanes.)
  public mutating func addLane(_ name: String) { _ = index(of: name) }

  /// Empties a lane, which keeps its place.
  public mutating func clear(_ lane: String) { lanes[index(of: lane)].characters = [] }

  /// Removes a lane.
  public mutating func remove(_ lane: String) { lanes.removeAll { $0.name == lane } }

  /// Marks an event at `time`, at the nearest character. Two events in one place become a `*`.
  public mutating func mark(_ character: Character, at time: MonotonicTime, in lane: String) {
    let lane = index(of: lane)
    guard let column = self.column(of: time) else { return }
    let before = self.character(at: column, of: lane)
    guard !Self.faint.contains(character) || before == " " else { return }
    set(Self.faint.contains(before) ? character : "*", at: column, of: lane)
  }

  /// Fills a span: at least a character, and only empty places.
  public mutating func fill(_ character: Character, from begin: MonotonicTime, to end: MonotonicTime, in lane: String) {
    let lane = index(of: lane)
    // The beginning may lie after the end of the diagram.
    let first = min(unboundedColumn(of: begin), columns)
    let last = max(unboundedColumn(of: end), first + 1)
    for column in max(first, 0)..<max(min(last, columns), max(first, 0)) where self.character(at: column, of: lane) == " " {
      set(character, at: column, of: lane)
    }
  }

  private mutating func index(of name: String) -> Int {
    if let index = lanes.firstIndex(where: { $0.name == name }) { return index }
    lanes.append(Lane(name: String(name.prefix(Self.margin - 1))))
    return lanes.count - 1
  }

  private func character(at column: Int, of lane: Int) -> Character {
    column < lanes[lane].characters.count ? lanes[lane].characters[column] : " "
  }

  private mutating func set(_ character: Character, at column: Int, of lane: Int) {
    while lanes[lane].characters.count <= column { lanes[lane].characters.append(" ") }
    lanes[lane].characters[column] = character
  }

  private func column(of time: MonotonicTime) -> Int? {
    let column = unboundedColumn(of: time)
    return (0..<columns).contains(column) ? column : nil
  }

  /// The nearest column. (The column in which `time` lies would change with a nanosecond of noise at a whole millisecond.)
  private func unboundedColumn(of time: MonotonicTime) -> Int {
    let shifted = time - start + scale / 2
    let quotient = shifted.count / scale.count
    return Int(shifted.count % scale.count < 0 ? quotient - 1 : quotient)
  }

  // MARK: - Reading

  /// The time of a character.
  public func time(ofColumn column: Int) -> MonotonicTime { start + scale * Int64(column) }

  /// The marks of a lane from left to right; empty if there is no such lane.
  public func marks(in lane: String) -> [(character: Character, time: MonotonicTime)] {
    guard let lane = lanes.first(where: { $0.name == lane }) else { return [] }
    return lane.characters.enumerated().filter { $0.element != " " }.map { ($0.element, time(ofColumn: $0.offset)) }
  }

  /// The spans of a lane: each run of the same character, from its first to the end of its last.
  public func spans(in lane: String) -> [(character: Character, begin: MonotonicTime, end: MonotonicTime)] {
    var spans: [(character: Character, begin: MonotonicTime, end: MonotonicTime)] = []
    for (character, time) in marks(in: lane) {
      if let last = spans.last, last.character == character, last.end == time {
        spans[spans.count - 1].end = time + scale
      } else {
        spans.append((character, time, time + scale))
      }
    }
    return spans
  }

  // MARK: - Text

  /// The lanes, one a line, without blanks at the ends.
  public var description: String {
    lanes.map { lane in
      let end = lane.characters.lastIndex { $0 != " " }.map { $0 + 1 } ?? 0
      guard end > 0 else { return lane.name }
      return Self.padded(lane.name) + String(lane.characters[..<end])
    }.joined(separator: "\n")
  }

  /// A line to go above the lanes: the milliseconds since the start, at every tenth character.
  public var ruler: String {
    var line = Self.padded("ms")
    for column in stride(from: 0, to: columns, by: 10) {
      let number = Self.decimal((scale * Int64(column)).count, per: 1_000_000)
      let room = Self.margin + column - line.count
      guard room >= 0, line.count + room + number.count <= Self.margin + columns else { continue }
      line += String(repeating: " ", count: room) + number
    }
    return line
  }

  private static func padded(_ name: String) -> String {
    name + String(repeating: " ", count: max(margin - name.count, 0))
  }

  /// A quotient with as many decimals as it has, three at most.
  private static func decimal(_ count: Int64, per unit: Int64) -> String {
    let thousandths = count / (unit / 1000)
    let digits = String(thousandths % 1000 + 1000).dropFirst()
    let decimals = digits.reversed().drop { $0 == "0" }.reversed()
    return "\(thousandths / 1000)" + (decimals.isEmpty ? "" : "." + String(decimals))
  }
}
