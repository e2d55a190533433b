/// Finds the sizes of the tracks of one axis: sections 12.3 to 12.8 of CSS Grid Layout Level 1.
struct GridTrackSizer {
  /// The room for the tracks.
  enum Space: Equatable {
    case definite(Double)
    /// It follows from the content. The size that comes of it, within the limits of the grid, if that is known already.
    case indefinite(result: Double?)
    case minContent
    case maxContent

    /// The size that parts of the grid are of.
    var known: Double? {
      guard case .definite(let size) = self else { return nil }
      return size
    }
  }

  /// An item with the tracks that it takes on this axis.
  struct Item {
    let index: Int
    let range: Range<Int>
    let isFlexible: Bool
  }

  /// A size that an item asks of its tracks, with its margins.
  enum Contribution {
    case minimum
    case minContent
    case maxContent
  }

  private(set) var tracks: [GridTrackState]
  let gap: Double
  let space: Space
  /// True if tracks of size `auto` fill the grid.
  let stretches: Bool
  private let items: [Item]
  private let measure: (Item, Contribution, GridTrackSizer) -> Double
  private var measured: [[Contribution: Double]]

  init(
    tracks: [GridTrackState], gap: Double, space: Space, stretches: Bool, items: [Range<Int>],
    measure: @escaping (Item, Contribution, GridTrackSizer) -> Double
  ) {
    (self.tracks, self.gap, self.space, self.stretches, self.measure) = (tracks, gap, space, stretches, measure)
    self.items = items.enumerated().map { index, range in
      Item(index: index, range: range, isFlexible: tracks[range].contains(where: \.isFlexible))
    }
    measured = Array(repeating: [:], count: items.count)
    run()
  }

  private mutating func run() {
    for index in tracks.indices {
      tracks[index].base = tracks[index].fixedMinimum ?? 0
      tracks[index].limit =
        tracks[index].isFlexible ? tracks[index].base : max(tracks[index].fixedMaximum ?? .infinity, tracks[index].base)
    }
    resolveIntrinsicSizes()
    maximize()
    expandFlexibleTracks()
    stretch()
  }

  /// The size of some tracks with the gaps between them.
  func size(of range: Range<Int>, _ size: (GridTrackState) -> Double = \.base) -> Double {
    var (sum, count) = (0.0, 0)
    for track in tracks[range] where !track.isCollapsed {
      sum += size(track)
      count += 1
    }
    return sum + gap * Double(max(count - 1, 0))
  }

  var total: Double { size(of: tracks.indices) }

  /// An item's contribution is measured once.
  private mutating func contribution(_ item: Int, _ kind: Contribution) -> Double {
    if let known = measured[item][kind] { return known }
    let value = measure(items[item], kind, self)
    let size = value.isNaN ? 0 : value
    measured[item][kind] = size
    return size
  }

  // MARK: Resolve intrinsic track sizes (12.5)

  private mutating func resolveIntrinsicSizes() {
    for item in items.indices where items[item].range.count == 1 && !items[item].isFlexible { fit(item) }
    raiseLimits()
    let spanning = items.indices.filter { items[$0].range.count > 1 && !items[$0].isFlexible }
    for span in Set(spanning.map { items[$0].range.count }).sorted() {
      accommodate(spanning.filter { items[$0].range.count == span }, flexible: false)
    }
    accommodate(items.indices.filter { items[$0].isFlexible }, flexible: true)
    for index in tracks.indices where tracks[index].limit == .infinity || tracks[index].isFlexible {
      tracks[index].limit = tracks[index].base
    }
  }

  private mutating func raiseLimits() {
    for index in tracks.indices { tracks[index].limit = max(tracks[index].limit, tracks[index].base) }
  }

  /// Sizes a track to an item that lies in it alone.
  private mutating func fit(_ item: Int) {
    let index = items[item].range.lowerBound
    switch tracks[index].minimum {
    case .fixed: break
    case .auto: tracks[index].base = max(tracks[index].base, contribution(item, .minimum))
    case .minContent: tracks[index].base = max(tracks[index].base, contribution(item, .minContent))
    case .maxContent: tracks[index].base = max(tracks[index].base, contribution(item, .maxContent))
    }
    func raised(_ size: Double) -> Double { max(tracks[index].limit == .infinity ? 0 : tracks[index].limit, size) }
    switch tracks[index].maximum {
    case .fixed, .flexible: break
    case .minContent:
      let size = contribution(item, .minContent)
      tracks[index].limit = raised(size)
    case .auto, .maxContent, .fitContent:
      let size = contribution(item, .maxContent)
      tracks[index].limit = raised(min(size, tracks[index].fitLimit))
    }
  }

  private enum Phase {
    case intrinsicMinimums
    case contentMinimums
    case maxContentMinimums
    case intrinsicMaximums
    case maxContentMaximums

    var isOfLimits: Bool { self == .intrinsicMaximums || self == .maxContentMaximums }
  }

  /// Increases sizes for items that span several tracks, or a flexible one.
  private mutating func accommodate(_ group: [Int], flexible: Bool) {
    guard !group.isEmpty else { return }
    distribute(.intrinsicMinimums, group, flexible) { sizer, item in sizer.contribution(item, .minimum) }
    distribute(.contentMinimums, group, flexible) { sizer, item in sizer.contribution(item, .minContent) }
    distribute(.maxContentMinimums, group, flexible) { sizer, item in sizer.contribution(item, .maxContent) }
    raiseLimits()
    guard !flexible else { return }
    distribute(.intrinsicMaximums, group, flexible) { sizer, item in sizer.contribution(item, .minContent) }
    distribute(.maxContentMaximums, group, flexible) { sizer, item in sizer.contribution(item, .maxContent) }
    for index in tracks.indices { tracks[index].isInfinitelyGrowable = false }
  }

  private func isAffected(_ track: GridTrackState, _ phase: Phase, _ flexible: Bool) -> Bool {
    if flexible, !track.isFlexible { return false }
    return switch phase {
    case .intrinsicMinimums: track.hasIntrinsicMinimum
    case .contentMinimums: track.minimum == .minContent || track.minimum == .maxContent
    case .maxContentMinimums: track.minimum == .maxContent
    case .intrinsicMaximums: track.hasIntrinsicMaximum
    case .maxContentMaximums: track.hasMaxContentMaximum
    }
  }

  /// Distributes extra space across spanned tracks. (12.5.1)
  private mutating func distribute(
    _ phase: Phase, _ group: [Int], _ flexible: Bool, _ contribution: (inout GridTrackSizer, Int) -> Double
  ) {
    var touched = false
    for item in group {
      let range = items[item].range
      let affected = range.filter { isAffected(tracks[$0], phase, flexible) }
      guard !affected.isEmpty else { continue }
      let size = size(of: range) { phase.isOfLimits && $0.limit < .infinity ? $0.limit : $0.base }
      let extra = contribution(&self, item) - size
      guard extra > 0 else { continue }
      touched = true
      for index in affected { tracks[index].incurred = 0 }
      incur(extra, affected, phase, flexible)
      for index in affected { tracks[index].planned = max(tracks[index].planned, tracks[index].incurred) }
    }
    guard touched || phase == .intrinsicMaximums else { return }
    for item in group {
      for index in items[item].range where isAffected(tracks[index], phase, flexible) {
        grow(index, phase)
      }
    }
  }

  private mutating func grow(_ index: Int, _ phase: Phase) {
    let planned = tracks[index].planned
    tracks[index].planned = 0
    guard phase.isOfLimits else { return tracks[index].base += planned }
    if tracks[index].limit < .infinity {
      tracks[index].limit += planned
    } else {
      tracks[index].limit = tracks[index].base + planned
      tracks[index].isInfinitelyGrowable = phase == .intrinsicMaximums
    }
  }

  /// Finds how much of an item's extra space each of the affected tracks would take.
  private mutating func incur(_ extra: Double, _ affected: [Int], _ phase: Phase, _ flexible: Bool) {
    if flexible {
      let factors = affected.reduce(0) { $0 + (tracks[$1].factor ?? 0) }
      for index in affected {
        tracks[index].incurred = factors > 0 ? extra * (tracks[index].factor ?? 0) / factors : extra / Double(affected.count)
      }
      return
    }
    /// The size with what the item has incurred, and how much more a track of `fitContent` takes.
    func size(_ index: Int) -> Double {
      let track = tracks[index]
      return (phase.isOfLimits && track.limit < .infinity ? track.limit : track.base) + track.incurred
    }
    func fitRoom(_ index: Int) -> Double { max(tracks[index].fitLimit - size(index), 0) }
    var extra = extra
    /// How much it takes before it is beyond its limit.
    func room(_ index: Int) -> Double {
      let track = tracks[index]
      if !phase.isOfLimits { return max(track.limit - size(index), 0) }
      return track.limit == .infinity || track.isInfinitelyGrowable ? fitRoom(index) : 0
    }
    extra = share(extra, affected.map { ($0, room($0)) })
    guard extra > 0 else { return }
    if phase.isOfLimits {
      _ = share(extra, affected.map { ($0, fitRoom($0)) })
      return
    }
    let growing = affected.filter {
      phase == .maxContentMinimums ? tracks[$0].hasMaxContentMaximum : tracks[$0].hasIntrinsicMaximum
    }
    _ = share(extra, (growing.isEmpty ? affected : growing).map { ($0, .infinity) })
  }

  /// Shares space equally among tracks, each of which takes no more than its room, and returns the rest.
  private mutating func share(_ space: Double, _ rooms: [(index: Int, room: Double)]) -> Double {
    var (rest, count) = (space, rooms.count)
    for (index, room) in rooms.sorted(by: { $0.room < $1.room }) {
      let part = min(rest / Double(count), room)
      tracks[index].incurred += part
      rest -= part
      count -= 1
    }
    return max(rest, 0)
  }

  // MARK: Maximize, expand, stretch (12.6 to 12.8)

  private mutating func maximize() {
    switch space {
    case .minContent: break
    case .definite(let size): maximize(to: size)
    case .indefinite, .maxContent: for index in tracks.indices { tracks[index].base = tracks[index].limit }
    }
  }

  private mutating func maximize(to size: Double) {
    let free = size - total
    guard free > 0 else { return }
    let open = tracks.indices.filter { !tracks[$0].isCollapsed }
    for index in open { tracks[index].incurred = 0 }
    _ = share(free, open.map { ($0, tracks[$0].limit - tracks[$0].base) })
    for index in open { tracks[index].base += tracks[index].incurred }
  }

  private mutating func expandFlexibleTracks() {
    let flexible = tracks.indices.filter { tracks[$0].isFlexible }
    guard !flexible.isEmpty else { return }
    let fraction: Double
    switch space {
    case .minContent: return
    case .definite(let size): fraction = fractionSize(of: tracks.indices, in: size)
    case .indefinite, .maxContent:
      var most = flexible.reduce(0) { max($0, tracks[$1].base / max(tracks[$1].factor ?? 1, 1)) }
      for item in items.indices where items[item].isFlexible {
        let size = contribution(item, .maxContent)
        most = max(most, fractionSize(of: items[item].range, in: size))
      }
      if case .indefinite(let result?) = space {
        let sum = size(of: tracks.indices) { max($0.base, most * ($0.factor ?? 0)) }
        if abs(sum - result) > 1e-6 { most = fractionSize(of: tracks.indices, in: result) }
      }
      fraction = most
    }
    for index in flexible { tracks[index].base = max(tracks[index].base, fraction * (tracks[index].factor ?? 0)) }
  }

  /// The size of a factor of 1 with which tracks fill a space; 0 if none of them needs more than it has. (12.7.1)
  private func fractionSize(of range: Range<Int>, in space: Double) -> Double {
    var rigid = range.filter { !tracks[$0].isFlexible }
    var flexible = range.filter { tracks[$0].isFlexible }
    let gaps = size(of: range) { _ in 0 }
    while !flexible.isEmpty {
      let leftover = rigid.reduce(space - gaps) { $0 - tracks[$1].base }
      let factors = flexible.reduce(0) { $0 + (tracks[$1].factor ?? 0) }
      guard factors > 0 else { return 0 }
      let fraction = max(leftover, 0) / max(factors, 1)
      let tooSmall = flexible.filter { fraction * (tracks[$0].factor ?? 0) < tracks[$0].base }
      guard !tooSmall.isEmpty else { return fraction }
      rigid += tooSmall
      flexible.removeAll { fraction * (tracks[$0].factor ?? 0) < tracks[$0].base }
    }
    return 0
  }

  private mutating func stretch() {
    let whole: Double? =
      switch space {
      case .definite(let size): size
      case .indefinite(let result): result
      case .minContent, .maxContent: nil
      }
    guard stretches, let whole else { return }
    let autos = tracks.indices.filter { tracks[$0].maximum == .auto }
    let free = whole - total
    guard free > 0, !autos.isEmpty else { return }
    for index in autos { tracks[index].base += free / Double(autos.count) }
  }
}
