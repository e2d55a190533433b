/// Content that moves frame by frame on a screen, and so must know when that is another one, or none.
@MainActor
protocol ScreenFollower: AnyObject {
  /// The router has other screens, or is at its end.
  func screensChanged()
}

/// Those who follow a router's screens, held weakly.
@MainActor
struct ScreenFollowers {
  private struct Entry {
    weak var follower: (any ScreenFollower)?
  }

  private var entries: [Entry] = []

  mutating func add(_ follower: any ScreenFollower) {
    entries.removeAll { $0.follower == nil || $0.follower === follower }
    entries.append(Entry(follower: follower))
  }

  func tell() { for entry in entries { entry.follower?.screensChanged() } }
}
