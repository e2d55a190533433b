/// The tracks of a list, with those that are repeated as often as there is room.
struct GridTemplate {
  private var list: [GridTrack]
  /// Those of them that take no room without items.
  private var fitted = 0..<0

  var count: Int { list.count }

  /// The size of the grid inside its padding.
  enum Room {
    case unknown
    /// Tracks are repeated as long as they fit into it.
    case most(Double)
    /// They are repeated until they fill it.
    case least(Double)
  }

  init(_ tracks: GridTracks, gap: Double, in room: Room) {
    switch tracks {
    case .list(let tracks): list = Array(tracks.prefix(GridPlacement.limit))
    case .autoFill(let pattern, let before, let after):
      list = Self.repeated(pattern, before, after, gap, room).list
    case .autoFit(let pattern, let before, let after):
      (list, fitted) = Self.repeated(pattern, before, after, gap, room)
    }
  }

  private static func repeated(
    _ pattern: [GridTrack], _ before: [GridTrack], _ after: [GridTrack], _ gap: Double, _ room: Room
  ) -> (list: [GridTrack], repeated: Range<Int>) {
    let limit = GridPlacement.limit
    let others = Array((before + after).prefix(limit))
    let first = min(before.count, others.count)
    guard !pattern.isEmpty else { return (others, 0..<0) }
    let whole: Double? =
      switch room {
      case .unknown: nil
      case .most(let size), .least(let size): size
      }
    func length(_ track: GridTrack) -> Double {
      let state = GridTrackState(track, of: whole)
      return max(state.fixedMaximum ?? 0, state.fixedMinimum ?? 0)
    }
    let least = Double((limit - others.count) / pattern.count)
    var count = 1.0
    if let whole {
      let free = others.reduce(whole + gap) { $0 - length($1) - gap }
      let part = pattern.reduce(0) { $0 + max(length($1), 1) + gap }
      // An error of rounding takes no track away and adds none.
      if case .least = room {
        count = ((free - 1e-6) / part).rounded(.up)
      } else {
        count = ((free + 1e-6) / part).rounded(.down)
      }
    }
    let number = count.isNaN ? 1 : Int(max(min(count, least), 1))
    let tracks = Array(repeatElement(pattern, count: number).joined().prefix(limit - others.count))
    return (others[..<first] + tracks + others[first...], first..<first + tracks.count)
  }

  /// The tracks of the list and those that items need before and after it.
  struct Tracks {
    /// The index of the first one in the list.
    let start: Int
    /// Nil for one that takes no room.
    fileprivate let tracks: [GridTrack?]

    func states(of whole: Double?) -> [GridTrackState] {
      tracks.map { $0.map { GridTrackState($0, of: whole) } ?? GridTrackState(collapsed: ()) }
    }

    var dependOnSize: Bool { tracks.contains { $0?.dependsOnSize ?? false } }
  }

  /// - Parameters:
  ///   - ranges: the tracks that items take.
  ///   - implicit: the sizes of those beside the list, which repeat.
  func tracks(with ranges: [Range<Int>], implicit: [GridTrack]) -> Tracks {
    let implicit = implicit.isEmpty ? [.auto] : implicit
    let start = ranges.reduce(0) { min($0, $1.lowerBound) }
    // Without a list the last track is that of an item, even before line 1.
    let end = max(ranges.reduce(list.isEmpty ? start : list.count) { max($0, $1.upperBound) }, start)
    var isTaken = [Bool](repeating: fitted.isEmpty, count: end - start)
    if !fitted.isEmpty {
      for range in ranges {
        for index in range { isTaken[index - start] = true }
      }
    }
    return Tracks(
      start: start,
      tracks: (start..<end).map { index in
        if index < 0 { return implicit[implicit.count - 1 - (-index - 1) % implicit.count] }
        if index >= list.count { return implicit[(index - list.count) % implicit.count] }
        return fitted.contains(index) && !isTaken[index - start] ? nil : list[index]
      })
  }
}

extension GridTrack {
  /// True if the size depends on that of the grid.
  fileprivate var dependsOnSize: Bool {
    switch self {
    case .length(.percent), .fitContent(.percent), .minmax(.length(.percent), _), .minmax(_, .length(.percent)), .fraction,
      .minmax(_, .fraction):
      true
    default: false
    }
  }
}
