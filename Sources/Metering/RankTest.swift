import Glibc

/// The Mann-Whitney test: whether values of one set tend to be larger than those of another, by their ranks alone.
///
/// It asks nothing of the distribution, so that a few frames that a busy machine held up weigh no more than others. The probability is
/// that of the normal approximation with corrections for ties and continuity, which is close from 8 values in each set.
struct RankTest: Equatable, Sendable {
  /// The part of all pairs in which the value of the second set is the larger one, equal ones counting half: 0.5 where neither
  /// tends to be larger. The effect size of Vargha and Delaney.
  let superiority: Double
  /// The probability of such a difference or a larger one, in either direction, if neither set tended to be larger.
  let probability: Double
  /// The same for a second set that is larger.
  let probabilityOfIncrease: Double

  /// - Parameters: sets of at least one value each.
  init(_ first: [Double], _ second: [Double]) {
    let all = (first.map { ($0, false) } + second.map { ($0, true) }).sorted { $0.0 < $1.0 }
    let (n, m) = (Double(first.count), Double(second.count))
    var (rankSum, ties, start) = (0.0, 0.0, 0)
    while start < all.count {
      var end = start + 1
      while end < all.count, all[end].0 == all[start].0 { end += 1 }
      // Equal values share the mean of their ranks, which count from 1.
      let rank = Double(start + 1 + end) / 2
      rankSum += rank * Double(all[start..<end].count { $0.1 })
      let count = Double(end - start)
      ties += count * (count * count - 1)
      start = end
    }
    let wins = rankSum - m * (m + 1) / 2
    let count = n + m
    let deviation = (n * m / 12 * (count + 1 - ties / (count * (count - 1)))).squareRoot()
    superiority = wins / (n * m)
    guard deviation > 0 else {
      (probability, probabilityOfIncrease) = (1, 1)
      return
    }
    let difference = wins - n * m / 2
    probabilityOfIncrease = Self.upperTail((difference - 0.5) / deviation)
    probability = min(1, 2 * Self.upperTail((abs(difference) - 0.5) / deviation))
  }

  /// The part of a normal distribution above `deviations`.
  static func upperTail(_ deviations: Double) -> Double { erfc(deviations / 2.0.squareRoot()) / 2 }

  /// Probabilities of several tests, each so much larger that the chance of any false alarm is that of one test: Holm's correction,
  /// which holds however the tests depend on each other.
  static func corrected(_ probabilities: [Double]) -> [Double] {
    var result = probabilities
    var largest = 0.0
    for (place, index) in probabilities.indices.sorted(by: { probabilities[$0] < probabilities[$1] }).enumerated() {
      largest = max(largest, min(1, probabilities[index] * Double(probabilities.count - place)))
      result[index] = largest
    }
    return result
  }
}
