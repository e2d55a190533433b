public import FrameTiming
public import LinuxSystem

/// A rival of the model: the straight line that fits the last 20 stamps best, as in Android's SurfaceFlinger.
public struct StampRegression: Sendable {
  /// The number of stamps from which on it predicts.
  public static let fewest = 6
  private static let length = 20
  private let interval: Double
  private var points: [(x: Double, y: Double)] = []
  private var origin = MonotonicTime.zero
  private var last = MonotonicTime.zero

  public init(refreshRate: RefreshRate) {
    interval = 1e9 / refreshRate.hertz
  }

  /// Takes a vblank into account. A stamp that repeats or goes back is skipped, and so is one that lies more than a fifth of an
  /// interval off the last one's grid; while there are fewer than `fewest` stamps it begins anew with that.
  public mutating func observe(_ vblank: VBlank) {
    guard vblank.timestamp > last else { return }
    if let before = points.last {
      let y = Double((vblank.timestamp - origin).count)
      let passed = (y - before.y) / interval
      if abs(passed - passed.rounded()) <= 0.2 {
        points.append((before.x + max(1, passed.rounded()), y))
        if points.count > Self.length { points.removeFirst() }
        last = vblank.timestamp
      }
      if points.count >= Self.fewest || last == vblank.timestamp { return }
    }
    origin = vblank.timestamp
    last = origin
    points = [(0, 0)]
  }

  /// The first vblank later than `time`; nil before there are `fewest` stamps.
  public func prediction(after time: MonotonicTime) -> MonotonicTime? {
    guard points.count >= Self.fewest else { return nil }
    let count = Double(points.count)
    let x = points.reduce(0) { $0 + $1.x } / count
    let y = points.reduce(0) { $0 + $1.y } / count
    let slope = points.reduce(0) { $0 + ($1.x - x) * ($1.y - y) } / points.reduce(0) { $0 + ($1.x - x) * ($1.x - x) }
    let start = y - slope * x
    let passed = ((Double((time - origin).count) - start) / slope).rounded(.down) + 1
    return origin + Nanoseconds(Int64(saturating: start + passed * slope))
  }
}

/// A rival of the model: whole nominal intervals after the last stamp.
public struct LastStamp: Sendable {
  private let rate: RefreshRate
  private var last: MonotonicTime?

  public init(refreshRate: RefreshRate) {
    rate = refreshRate
  }

  /// Takes a vblank into account. A stamp that goes back is skipped.
  public mutating func observe(_ vblank: VBlank) {
    if vblank.timestamp > last ?? .zero { last = vblank.timestamp }
  }

  /// The first vblank later than `time`; nil before the first stamp.
  public func prediction(after time: MonotonicTime) -> MonotonicTime? {
    last.map { $0 + rate.offset(ofInterval: rate.intervals(in: time - $0) + 1) }
  }
}
