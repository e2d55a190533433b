import LinuxSystem

/// A frame of a stack: an address of code, and the function that it is in.
struct StackFrame: Hashable, Sendable {
  /// The instruction that runs, or to which a call returns.
  var address: UInt64
  /// The function's first address, by the file's unwind table; without one, the address itself.
  var function: UInt64

  init(address: UInt64, function: UInt64) {
    self.address = address
    self.function = function
  }
}

/// The stacks of the samples of a turn, each with the time that it stands for, and the one that took most of it.
///
/// At most 512 different stacks are kept, so that memory does not grow with the turn. Later ones count in the total.
struct StackTally: Sendable {
  /// The dominant stack.
  struct Dominant: Sendable {
    /// From the innermost frame outwards.
    var frames: [StackFrame]
    /// True if the last of them is the outermost one.
    var isComplete: Bool
    /// For each frame the share of the time in which it was on the stack with all frames outside it, from 0 to 1.
    var shares: [Double]
    /// The share of the whole stack that is `signature`.
    var share: Double
    /// The functions that at least half of the time was spent in, from the outermost inwards. Turns with equal ones hang alike.
    var signature: [UInt64]
  }

  struct Entry: Sendable {
    var frames: [StackFrame]
    var isComplete: Bool
    var weight: Int64
  }

  private(set) var entries: [[UInt64]: Entry] = [:]
  private var total: Int64 = 0
  /// The number of samples.
  private(set) var count = 0

  private static let capacity = 512

  init() {}

  /// - Parameters:
  ///   - frames: from the innermost outwards.
  ///   - isComplete: true if the last of them is the outermost one.
  ///   - time: the time that the sample stands for.
  mutating func add(_ frames: [StackFrame], isComplete: Bool, for time: Nanoseconds) {
    let weight = max(time.count, 1)
    count += 1
    total += weight
    let path = frames.reversed().map(\.function)
    if entries[path] != nil {
      entries[path]?.weight += weight
    } else if entries.count < Self.capacity {
      entries[path] = Entry(frames: frames, isComplete: isComplete, weight: weight)
    }
  }

  /// The dominant stack; nil without a sample.
  ///
  /// It is found from the outermost frame inwards: of the functions that were called here, that with the most time is next, as
  /// long as the functions that it calls took more time than itself. So the innermost frame is the function to look at first.
  var dominant: Dominant? {
    guard total > 0 else { return nil }
    var rest = entries.map { (path: $0.key, entry: $0.value) }
    var (shares, signature, share): ([Double], [UInt64], Double) = ([], [], 1)
    for depth in 0... {
      var weights: [UInt64: Int64] = [:]
      for (path, entry) in rest where path.count > depth { weights[path[depth], default: 0] += entry.weight }
      // The function itself, without what it called.
      let own = rest.first { $0.path.count == depth }?.entry
      guard let (function, weight) = weights.max(by: { ($0.value, $1.key) < ($1.value, $0.key) }), weight > own?.weight ?? 0
      else {
        return own.map {
          Dominant(
            frames: $0.frames, isComplete: $0.isComplete, shares: shares.reversed(), share: share, signature: signature)
        }
      }
      let part = Double(weight) / Double(total)
      if part >= 0.5 {
        signature.append(function)
        share = part
      }
      shares.append(part)
      rest = rest.filter { $0.path.count > depth && $0.path[depth] == function }
    }
    return nil
  }
}
