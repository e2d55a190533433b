public import FrameTiming
import Glibc
public import LinuxSystem

/// A sequence of events for a display and its listener: made from a seed, played in simulated time, and shrunk when it shows a
/// fault.
///
///     let scenario = DisplayScenario.random(seed: 1, steps: 20)
///     if !scenario.play().isGood { print(scenario.shrunk()) }
public struct DisplayScenario: CustomStringConvertible, Sendable {
  /// One step of a scenario: what the display, the loop or the application does.
  public enum Step: CustomStringConvertible, Sendable {
    /// So many vblanks are requested, each after the one before was delivered.
    case listen(Int)
    /// Nothing is requested for so long.
    case pause(Nanoseconds)
    /// The loop is busy for so long after a vblank, whose event may come again.
    case stall(Nanoseconds)
    /// The display's faults. Their times are those at 1 Hz, and become shorter with the interval; the step of stamps does not.
    case faults(DisplayFaults)
    /// A mode is set.
    case rate(nominal: RefreshRate, actual: RefreshRate)
    /// The display runs at another rate without notice. Intervals cannot be counted until it has settled.
    case otherRate(RefreshRate)
    /// The vblanks go on somewhere else on the clock, as they do after a suspend.
    case jump(Nanoseconds)
    /// A jump that is announced to the model.
    case off(Nanoseconds)
    /// The display becomes a good one: some vblanks later it must be known, however bad it was before.
    case settle

    public var description: String {
      switch self {
      case .listen(let count): "listen \(count)"
      case .pause(let time): "pause \(time.count) ns"
      case .stall(let time): "stall \(time.count) ns"
      case .faults(let faults): "\(faults)"
      case .rate(let nominal, let actual): "rate \(nominal), in truth \(actual.numerator)/\(actual.denominator)"
      case .otherRate(let actual): "in truth \(actual.numerator)/\(actual.denominator)"
      case .jump(let time): "jump \(time.count) ns"
      case .off(let time): "off \(time.count) ns"
      case .settle: "settle"
      }
    }
  }

  public var seed: UInt64
  /// The rate at the beginning; the fastest rate of a variable display.
  public var rate: RefreshRate
  /// True if intervals last up to three times as long as the shortest.
  public var isVariable: Bool
  public var steps: [Step]

  public init(seed: UInt64, rate: RefreshRate, isVariable: Bool = false, steps: [Step]) {
    self.seed = seed
    self.rate = rate
    self.isVariable = isVariable
    self.steps = steps
  }

  public var description: String {
    "seed \(seed), \(rate)\(isVariable ? ", variable" : "")\n" + steps.map { "  \($0)" }.joined(separator: "\n")
  }

  // MARK: - Making

  private static let rates: [(Int64, Int64)] = [
    (24000, 1001), (24, 1), (30, 1), (48, 1), (50, 1), (60000, 1001), (60, 1), (75, 1), (120, 1), (144, 1), (240, 1),
    (500, 1),
  ]

  /// The same seed makes the same scenario. One in four is of a variable display.
  public static func random(seed: UInt64, steps count: Int) -> DisplayScenario {
    var random = SplitMix64(seed: seed)
    var rate = self.rate(&random).nominal
    var scenario = DisplayScenario(seed: seed, rate: rate, isVariable: random.chance(0.25), steps: [])
    for _ in 0..<count {
      let interval = rate.interval.count
      switch Int.random(in: 0..<15, using: &random) {
      case 0: scenario.steps.append(.pause(Nanoseconds(Int64.random(in: 0...interval * 400, using: &random))))
      case 1: scenario.steps.append(.pause(Nanoseconds(Int64.random(in: 0...interval * 4, using: &random))))
      case 2, 3: scenario.steps.append(.stall(Nanoseconds(Int64.random(in: 0...interval * 9, using: &random))))
      case 4, 5: scenario.steps.append(.faults(faults(&random)))
      case 6:
        let change = self.rate(&random)
        rate = change.nominal
        scenario.steps.append(.rate(nominal: change.nominal, actual: change.actual))
      case 7: scenario.steps.append(.jump(Nanoseconds(Int64.random(in: interval...interval * 100, using: &random))))
      case 8: scenario.steps.append(.off(Nanoseconds(Int64.random(in: interval...interval * 100, using: &random))))
      case 9 where !scenario.isVariable: scenario.steps += otherRate(than: rate, &random)
      case 10: scenario.steps.append(.settle)
      default: scenario.steps.append(.listen(Int.random(in: 1...300, using: &random)))
      }
      scenario.steps.append(.listen(Int.random(in: 1...30, using: &random)))
    }
    scenario.steps.append(.settle)
    return scenario
  }

  private static func rate(_ random: inout SplitMix64) -> (nominal: RefreshRate, actual: RefreshRate) {
    let (numerator, denominator) = rates[Int.random(in: 0..<rates.count, using: &random)]
    // Every other one is any from the slowest to the fastest.
    let any = exp(Double.random(in: log(23.976)...log(500), using: &random))
    let nominal = random.chance(0.5) ? RefreshRate(numerator: numerator, denominator: denominator) : RefreshRate(hertz: any)
    guard let nominal else { return (.hertz60, .hertz60) }
    let actual = RefreshRate(hertz: nominal.hertz * Double.random(in: 0.998...1.002, using: &random)) ?? nominal
    return (nominal, actual)
  }

  /// A little off or far off, while vblanks are listened to or while the display is off.
  private static func otherRate(than nominal: RefreshRate, _ random: inout SplitMix64) -> [Step] {
    let part = Double.random(in: random.chance(0.5) ? 0.9...1.1 : 0.75...1.35, using: &random)
    let change = Step.otherRate(RefreshRate(hertz: nominal.hertz * part) ?? nominal)
    return random.chance(0.5) ? [change] : [.off(nominal.interval * Int64.random(in: 1...100, using: &random)), change]
  }

  private static func faults(_ random: inout SplitMix64) -> DisplayFaults {
    func part(_ most: Double) -> Double { random.chance(0.5) ? 0 : Double.random(in: 0...most, using: &random) }
    func time(_ most: Int64) -> Nanoseconds {
      random.chance(0.5) ? .zero : Nanoseconds(Int64.random(in: 0...most, using: &random))
    }
    let interval: Int64 = 1_000_000_000
    var faults = DisplayFaults()
    if random.chance(0.1) {
      let distance = Int64.random(in: interval...interval * 100, using: &random)
      faults.stampOffset = Nanoseconds(random.chance(0.5) ? distance : -distance)
    }
    if random.chance(0.1) { faults.stampStep = .milliseconds(1) }
    faults.noise = time(interval / 60)
    faults.outliers = part(0.05)
    faults.zeroStamps = part(0.03)
    faults.backwardStamps = part(0.03)
    faults.swappedStamps = part(0.05)
    faults.zeroSequences = random.chance(0.1) ? 1 : part(0.05)
    faults.lostEvents = part(0.2)
    faults.duplicateEvents = part(0.2)
    faults.latestDelivery = time(interval / 2)
    faults.lateWakeUps = part(0.2)
    faults.latestWakeUp = time(interval * 5)
    return faults
  }

  // MARK: - Making smaller

  /// The smallest scenario found by leaving out and shortening steps that still goes wrong.
  public func shrunk() -> DisplayScenario {
    var smallest = self
    var isSmaller = true
    while isSmaller {
      isSmaller = false
      var size = max(smallest.steps.count / 2, 1)
      while size >= 1 {
        var start = 0
        while start < smallest.steps.count {
          var candidate = smallest
          candidate.steps.removeSubrange(start..<min(start + size, candidate.steps.count))
          if candidate.play().isGood {
            start += size
          } else {
            smallest = candidate
            isSmaller = true
          }
        }
        size /= 2
      }
      for index in smallest.steps.indices {
        while case .listen(let count) = smallest.steps[index], count > 1 {
          var candidate = smallest
          candidate.steps[index] = .listen(count / 2)
          guard !candidate.play().isGood else { break }
          smallest = candidate
          isSmaller = true
        }
      }
    }
    return smallest
  }
}
