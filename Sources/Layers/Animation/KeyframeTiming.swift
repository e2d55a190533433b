/// The times of key frames, and how the time of each way between two of them goes by.
@usableFromInline
package struct KeyframeTiming: Sendable {
  package var keyTimes: [Double]?
  package var calculationMode = CalculationMode.linear
  package var timingFunctions: [TimingFunction] = []

  package init() {}

  @usableFromInline
  init(keyTimes: [Double]?, _ calculationMode: CalculationMode, _ timingFunctions: [TimingFunction]) {
    (self.keyTimes, self.calculationMode, self.timingFunctions) = (keyTimes, calculationMode, timingFunctions)
  }

  /// The times at which the ways begin, and the end of the last: parts of the animation's time.
  func times(ofWays count: Int, lengths: @autoclosure () -> [Double]) -> [Double] {
    calculationMode.isPaced ? pacedTimes(lengths()) : ascendingKeyTimes ?? evenTimes(count)
  }

  /// The key times as they count: in 0…1, none before the one ahead of it.
  package var ascendingKeyTimes: [Double]? {
    keyTimes.map { times in
      var latest = 0.0
      return times.map { time in
        latest = time > latest ? min(time, 1) : latest
        return latest
      }
    }
  }

  /// Bends the time of a way.
  func timingFunction(ofWay index: Int) -> TimingFunction {
    calculationMode.isPaced || !timingFunctions.indices.contains(index) ? .linear : timingFunctions[index]
  }
}

private func evenTimes(_ ways: Int) -> [Double] {
  (0...max(ways, 0)).map { ways > 0 ? Double($0) / Double(ways) : 0 }
}

/// Times at which each way has the share of its length; even ones if there is no length.
private func pacedTimes(_ lengths: [Double]) -> [Double] {
  let total = lengths.reduce(0, +)
  guard total > 0, total.isFinite else { return evenTimes(lengths.count) }
  var sum = 0.0
  var times = [0.0]
  for length in lengths {
    sum += length
    times.append(min(sum / total, 1))
  }
  times[lengths.count] = 1
  return times
}
