import Framepace

/// Decides when a source from which no vblank comes is given up.
struct VBlankSilence {
  /// How often is to be looked.
  static let period = Nanoseconds.milliseconds(500)

  struct Failure: Error, CustomStringConvertible {
    let source: String
    var description: String { "\(source): no vblank comes; the screen has been switched off, or its driver hangs" }
  }

  private let limit: Int
  private var looks = 0
  private var lastCount = 0

  /// Three seconds or ten intervals. Looks are counted, not time: a process that was stopped has missed nothing.
  init(rate: RefreshRate) {
    limit = max(6, Int(rate.interval.count * 10 / Self.period.count))
  }

  /// - Parameter count: of the vblanks that have come by now.
  mutating func isTooLong(count: Int) -> Bool {
    looks = count == lastCount ? looks + 1 : 0
    lastCount = count
    return looks >= limit
  }
}
