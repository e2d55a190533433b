public import FrameTiming
public import LinuxSystem

/// How many frames were late for one cause.
public struct LateCount: Equatable, Sendable {
  public var cause: FrameRecord.Cause
  public var frames: Int

  public init(cause: FrameRecord.Cause, frames: Int) {
    self.cause = cause
    self.frames = frames
  }
}

/// Counts what made frames late.
public struct LateCauses: Sendable {
  private var classifier = LateFrameClassifier()
  private var frames = [Int](repeating: 0, count: FrameRecord.Cause.allCases.count)

  public init() {}

  /// Adds a frame that has been seen; of an output's frames every one, in their order. Allocates nothing.
  ///
  /// - Returns: why it was late; nil if it was in time.
  @discardableResult
  public mutating func add(_ frame: FrameRecord, interval: Nanoseconds) -> FrameRecord.Cause? {
    guard let cause = classifier.cause(of: frame, interval: interval) else { return nil }
    frames[cause.index] += 1
    return cause
  }

  /// The most frequent first; causes without a frame are left out.
  public var counts: [LateCount] {
    FrameRecord.Cause.allCases.map { LateCount(cause: $0, frames: frames[$0.index]) }
      .filter { $0.frames > 0 }
      .sorted { ($1.frames, $0.cause.index) < ($0.frames, $1.cause.index) }
  }
}

extension FrameRecord.Cause {
  /// The place in `allCases`.
  fileprivate var index: Int {
    let phases = FrameRecord.Phase.allCases.count
    return switch self {
    case .phase(let phase): Int(phase.rawValue)
    case .scheduling: phases
    case .commitMissed: phases + 1
    case .prediction: phases + 2
    case .scanOut: phases + 3
    }
  }
}
