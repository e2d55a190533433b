public import FrameTiming
import Glibc
public import LinuxSystem

/// The vblanks of a simulated display: their true times, their events, and the stamps in those. A pure value.
///
/// Everything random is a function of the seed and the vblank's number alone: it does not depend on earlier questions, and the
/// same seed gives the same display again.
///
///     let grid = SimulatedGrid(rate: .hertz60, start: clock.now, seed: 1)
///     let next = grid.time(ofVBlank: grid.vblank(after: clock.now))
public struct SimulatedGrid: BitwiseCopyable, Sendable {
  /// The display's real rate; the fastest rate of a variable display.
  public let rate: RefreshRate
  /// The slowest rate of a variable display; nil if all intervals are the same.
  public let slowestRate: RefreshRate?
  /// The time of the vblank from which the rate holds.
  public let start: MonotonicTime
  public let firstVBlank: UInt64
  public let seed: UInt64
  public var faults = DisplayFaults()

  public init(
    rate: RefreshRate, slowestRate: RefreshRate? = nil, start: MonotonicTime, firstVBlank: UInt64 = 0, seed: UInt64
  ) {
    self.rate = rate
    self.slowestRate = slowestRate
    self.start = start
    self.firstVBlank = firstVBlank
    self.seed = seed
  }

  // MARK: - The truth

  /// The time of a vblank. Exact for those since the start.
  public func time(ofVBlank number: UInt64) -> MonotonicTime {
    let k = Int64(bitPattern: number &- firstVBlank)
    if let slowestRate { return start + variableOffset(ofInterval: k, slowest: slowestRate) }
    var offset = rate.offset(ofInterval: k)
    if faults.drift != 0 {
      // The integral of a period that swings by `drift`.
      let cycle = 40 * rate.hertz / (2 * .pi)
      offset += Nanoseconds.seconds(faults.drift / rate.hertz * cycle * sin(Double(k) / cycle))
    }
    return start + offset
  }

  /// The number of the first vblank later than `time`.
  public func vblank(after time: MonotonicTime) -> UInt64 {
    var number = firstVBlank &+ UInt64(bitPattern: estimatedIntervals(in: time - start))
    while self.time(ofVBlank: number &- 1) > time { number &-= 1 }
    while self.time(ofVBlank: number) <= time { number &+= 1 }
    return number
  }

  /// True if a vblank of a variable display comes without a frame: the frame takes longer than the longest interval, and the
  /// panel, or its driver, shows the last one again halfway.
  package func repeatsFrame(atVBlank number: UInt64) -> Bool {
    let k = Int64(bitPattern: number &- firstVBlank)
    // The second of two: k is the interval that begins with the vblank.
    return slowestRate != nil && repeats(inBlock: block(ofInterval: k - 1)) && !k.isMultiple(of: 2)
  }

  // MARK: - Events

  /// The vblank in the event: with noise, and with a meaningless stamp or sequence if that is its fault.
  public func told(ofVBlank number: UInt64) -> VBlank {
    let isSwapped = happens(.swap, number / 2, faults.swappedStamps)
    var vblank = VBlank(timestamp: timestamp(ofVBlank: isSwapped ? number ^ 1 : number), sequence: number)
    if happens(.backward, number, faults.backwardStamps) {
      vblank.timestamp = timestamp(ofVBlank: number &- 1 &- random(.backwardDistance, number) % 8)
    }
    if happens(.zeroStamp, number, faults.zeroStamps) { vblank.timestamp = .zero }
    if happens(.zeroSequence, number, faults.zeroSequences) { vblank.sequence = 0 }
    return vblank
  }

  /// A vblank's stamp: its time with noise and the error of an outlier, in whole steps.
  public func timestamp(ofVBlank number: UInt64) -> MonotonicTime {
    let interval = rate.interval.count
    var error: Int64 = 0
    if faults.noise > .zero {
      let wide = Nanoseconds.seconds(faults.noise.seconds * normal(number)).count
      error += min(max(wide, -interval / 3), interval / 3)
    }
    if happens(.outlier, number, faults.outliers) {
      let farthest = Int64(saturating: Double(interval) / 3)
      error += Int64(random(.outlierDistance, number) % UInt64(2 * farthest + 1)) - farthest
    }
    let stamp = time(ofVBlank: number) + faults.stampOffset + Nanoseconds(error)
    guard faults.stampStep > .zero else { return stamp }
    return stamp - Nanoseconds((stamp - .zero).count % faults.stampStep.count)
  }

  /// True if the event of a vblank is lost.
  public func losesEvent(ofVBlank number: UInt64) -> Bool { happens(.loss, number, faults.lostEvents) }

  /// True if the event of a vblank comes twice.
  public func duplicatesEvent(ofVBlank number: UInt64) -> Bool { happens(.duplicate, number, faults.duplicateEvents) }

  /// When the event of a vblank comes.
  public func delivery(ofVBlank number: UInt64) -> MonotonicTime {
    var delay: Int64 = 0
    if faults.latestDelivery > .zero { delay += part(.delay, number, of: faults.latestDelivery.count) }
    if happens(.lateWakeUp, number, faults.lateWakeUps), faults.latestWakeUp > .zero {
      delay += part(.wakeUpDelay, number, of: faults.latestWakeUp.count)
    }
    return time(ofVBlank: number) + Nanoseconds(delay)
  }

  /// The vblank whose event answers a request at `time`: the first later one that is not lost.
  public func answer(toRequestAt time: MonotonicTime) -> UInt64 {
    var number = vblank(after: time)
    // A display that loses everything gives its event after a second, so that this ends.
    var attempts = Int(rate.hertz)
    while losesEvent(ofVBlank: number), attempts > 0 {
      number &+= 1
      attempts -= 1
    }
    return number
  }

  // MARK: - Variable intervals

  private static let blockLength: Int64 = 64
  private static let blocksInCycle = 16.0

  /// The intervals of a variable display lie around a middle that wanders slowly, each by up to a sixth away from it: as long
  /// as an application's frames take. For a part of the time those take longer than the longest interval, and there are two
  /// even ones to each. In blocks, so that a far vblank is known without all those before it.
  private func variableOffset(ofInterval k: Int64, slowest: RefreshRate) -> Nanoseconds {
    let block = block(ofInterval: k)
    let begin = blockOffset(block, slowest: slowest)
    let length = blockOffset(block + 1, slowest: slowest) - begin
    let repeats = repeats(inBlock: block)
    var (passed, all) = (0.0, 0.0)
    for index in 0..<Self.blockLength {
      let frame = repeats ? index - index % 2 : index
      let number = UInt64(bitPattern: block * Self.blockLength + frame)
      // A seventh, and what their mean may be off by.
      let weight = 0.86 + 0.28 * unit(.interval, number)
      if block * Self.blockLength + index < k { passed += weight }
      all += weight
    }
    return Nanoseconds(Int64(saturating: begin + length * passed / all))
  }

  private func block(ofInterval k: Int64) -> Int64 { (k - (k < 0 ? Self.blockLength - 1 : 0)) / Self.blockLength }

  /// True in blocks with long intervals, two of which are longer than the longest. Only a display whose longest interval is
  /// twice its shortest can show a frame twice in the time of one.
  private func repeats(inBlock block: Int64) -> Bool {
    guard let slowestRate, slowestRate.exactInterval >= 2 * rate.exactInterval else { return false }
    let place = block % Int64(Self.blocksInCycle)
    return (3..<7).contains(place < 0 ? place + Int64(Self.blocksInCycle) : place)
  }

  private func blockOffset(_ block: Int64, slowest: RefreshRate) -> Double {
    let (shortest, longest) = (rate.exactInterval, slowest.exactInterval)
    let angle = 2 * .pi / Self.blocksInCycle
    let swing = (longest - shortest) / 4 / angle * (1 - cos(Double(block) * angle))
    return Double(Self.blockLength) * (Double(block) * (shortest + longest) / 2 + swing)
  }

  /// An estimate to begin a search with.
  private func estimatedIntervals(in elapsed: Nanoseconds) -> Int64 {
    guard let slowestRate else { return rate.intervals(in: elapsed) }
    return Int64(saturating: Double(elapsed.count) / (rate.exactInterval + slowestRate.exactInterval) * 2)
  }

  // MARK: - Random numbers

  private enum Family: UInt64 {
    case loss = 2
    case duplicate, delay, normal, normalAngle, outlier, outlierDistance, backward, backwardDistance, zeroStamp
    case zeroSequence, lateWakeUp, wakeUpDelay, interval, swap
  }

  private func seed(_ family: Family) -> UInt64 { seed &+ family.rawValue &* 0x9E37_79B9_7F4A_7C15 }

  private func random(_ family: Family, _ number: UInt64) -> UInt64 {
    SplitMix64.hash(seed: seed(family), index: number)
  }

  /// From 0 to below 1.
  private func unit(_ family: Family, _ number: UInt64) -> Double {
    SplitMix64.unit(seed: seed(family), index: number)
  }

  private func happens(_ family: Family, _ number: UInt64, _ part: Double) -> Bool {
    part > 0 && unit(family, number) < part
  }

  /// From 0 to `whole`.
  private func part(_ family: Family, _ number: UInt64, of whole: Int64) -> Int64 {
    Int64(random(family, number) % (UInt64(whole) + 1))
  }

  private func normal(_ number: UInt64) -> Double {
    SplitMix64.normal(seeds: (seed(.normal), seed(.normalAngle)), index: number)
  }
}

extension SplitMix64 {
  /// The number of `index` in the family named by `seed`, from 0 to below 1.
  static func unit(seed: UInt64, index: UInt64) -> Double { Double(hash(seed: seed, index: index) >> 11) * 0x1p-53 }

  /// The number of `index` in the family named by two seeds, of mean 0 and standard deviation 1, by G. E. P. Box and
  /// M. E. Muller, "A Note on the Generation of Random Normal Deviates", 1958.
  static func normal(seeds: (UInt64, UInt64), index: UInt64) -> Double {
    (-2 * log(1 - unit(seed: seeds.0, index: index))).squareRoot() * cos(2 * .pi * unit(seed: seeds.1, index: index))
  }
}
