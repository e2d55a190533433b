import Raster

/// The size and state of a window: what the compositor proposes, and what the next frame has. A pure value.
///
/// A proposal counts when its `surface` event comes, and is answered in the same breath as the frame that has its size: the compositor
/// then never shows one with another's frame.
struct WindowConfiguration: Hashable, Sendable {
  /// The changes that a proposal brings.
  struct Changes: OptionSet, Hashable, Sendable {
    let rawValue: Int
    /// The next frame has another size in pixels.
    static let resized = Changes(rawValue: 1)
    static let suspended = Changes(rawValue: 2)
    /// It is the first proposal: frames may be shown from now on.
    static let first = Changes(rawValue: 4)
  }

  /// Points.
  struct Extent: Hashable, Sendable {
    var width: Int
    var height: Int
  }

  private struct Proposal: Hashable, Sendable {
    /// 0 leaves the choice to the window.
    var width = 0
    var height = 0
    var states: States = []
  }

  /// The size in points.
  private(set) var extent: Extent
  /// 120ths: 120 for one pixel a point, 180 for one and a half.
  private(set) var scale: Int = 120
  private(set) var states: States = []
  /// True if the window has a frame of its own, which is a part of the proposed size.
  private(set) var isFramed = false
  /// True for a frame in the next proposal.
  var wantsFrame = false
  /// True after the first proposal.
  private(set) var isMapped = false
  private var proposal = Proposal()
  /// The last size that was the window's own.
  private var own: Extent
  /// The proposal that the next frame answers; nil if there is none.
  private var unanswered: UInt32?

  static let longestSide = Bitmap.maximumSide

  init(width: Int, height: Int) {
    extent = Extent(width: max(width, 1), height: max(height, 1))
    own = extent
  }

  /// True while the compositor leaves the size to the window.
  var isOwnChoice: Bool { proposal.width == 0 || proposal.height == 0 }

  /// The size of a frame in pixels: half a pixel is rounded up, as the protocol says.
  var pixels: (width: Int, height: Int) { (Self.pixels(extent.width, scale), Self.pixels(extent.height, scale)) }

  private static func pixels(_ points: Int, _ scale: Int) -> Int {
    min(max((min(points, longestSide) * scale + 60) / 120, 1), longestSide)
  }

  /// The states that a proposal names.
  struct States: OptionSet, Hashable, Sendable {
    let rawValue: Int
    static let suspended = States(rawValue: 1)
    static let fullScreen = States(rawValue: 2)
    static let activated = States(rawValue: 4)
    static let maximized = States(rawValue: 8)
    static let tiled = States(rawValue: 16)

    /// True for a size that is not the window's own.
    var isFitted: Bool { !isDisjoint(with: [.fullScreen, .maximized, .tiled]) }
  }

  mutating func propose(width: Int, height: Int, states: States) {
    proposal = Proposal(width: max(width, 0), height: max(height, 0), states: states)
  }

  /// The proposal is complete.
  mutating func take(serial: UInt32) -> Changes {
    unanswered = serial
    var changes: Changes = isMapped ? [] : .first
    isMapped = true
    let before = pixels
    isFramed = wantsFrame && !proposal.states.contains(.fullScreen)
    let height = max(proposal.height - (isFramed ? FrameLayout.titleHeight : 0), 1)
    extent = Extent(
      width: proposal.width > 0 ? proposal.width : own.width, height: proposal.height > 0 ? height : own.height)
    if !proposal.states.isFitted { own = extent }
    if pixels != before { changes.insert(.resized) }
    if states.contains(.suspended) != proposal.states.contains(.suspended) { changes.insert(.suspended) }
    states = proposal.states
    return changes
  }

  /// The scale is another one.
  ///
  /// - Parameter scale: in 120ths.
  mutating func rescale(_ scale: Int) -> Changes {
    let before = pixels
    self.scale = min(max(scale, 1), 120 * 64)
    return pixels == before ? [] : .resized
  }

  /// The serial to answer with the frame that is committed now; nil if nothing is to be answered.
  mutating func takeAnswer() -> UInt32? {
    defer { unanswered = nil }
    return unanswered
  }

  /// The connection is another one: the size is kept.
  mutating func disconnect() {
    (isMapped, isFramed, wantsFrame, states, unanswered, proposal) = (false, false, false, [], nil, Proposal())
  }
}
