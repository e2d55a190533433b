/// The memory of a layer's tiles during an update.
@MainActor
struct TileRoom {
  /// A tile that another may take the place of.
  struct Candidate {
    let tile: Tile
    let need: Need
  }

  /// The use that there is for a tile which is not seen in its own place, the least first.
  enum Need: Int {
    case none
    /// It is beside those that are seen.
    case near
    /// It is shown for others.
    case standsIn
  }

  /// The number of tiles that may be in memory.
  let limit: Int
  /// The number of those that are.
  var used: Int
  /// The one that is needed least last; nil until one is looked for.
  private var candidates: [Candidate]?

  init(limit: Int, used: Int) { (self.limit, self.used) = (limit, used) }

  /// The next tile that is to go: of those that nobody needs the one that was not needed for longest; for a visible tile also one that is
  /// near, and after it one that stands in for others. Each is given once.
  ///
  /// - Parameter find: gives all candidates. Called once, however many tiles go.
  mutating func next(forVisible isVisible: Bool, _ find: () -> [Candidate]) -> Tile? {
    var sorted = candidates.take() ?? find().sorted { Self.order($0) > Self.order($1) }
    defer { candidates = sorted }
    guard let next = sorted.last, next.need == .none || isVisible else { return nil }
    return sorted.removeLast().tile
  }

  private static func order(_ one: Candidate) -> (Int, Int, Int, Int, Int) {
    (one.need.rawValue, one.tile.lastUse, one.tile.key.level, one.tile.key.y, one.tile.key.x)
  }
}
