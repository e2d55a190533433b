import FrameTiming
import LinuxSystem
import Simulation

/// Measures the distance between predictions and a display's true vblanks, on simulated displays. The figures are the same
/// in every run.
@MainActor
enum PredictionBenchmarks {
  static let all = Benchmark(name: "prediction", peers: ["20 stamps", "last + T"], isSimulated: true) {
    var results: [Result] = []
    for profile in DisplayProfile.all { results += errors(profile) }
    return results + [cost(), allocations()]
  }

  private static let horizons: [UInt64] = [1, 10, 60]
  private static let events = 20_000
  /// The number of stamps that a rival needs before its errors count.
  private static let warmUp = 60

  /// The 95th percentile of the distance to the true vblank, for the model and its rivals.
  private static func errors(_ profile: DisplayProfile) -> [Result] {
    var grid = SimulatedGrid(
      rate: profile.actualRate, slowestRate: profile.slowestRate, start: .zero + .seconds(1000), seed: 2026)
    grid.faults = profile.faults
    var model = VBlankModel(refreshRate: profile.refreshRate, isVariable: profile.slowestRate != nil)
    var regression = StampRegression(refreshRate: profile.refreshRate)
    var last = LastStamp(refreshRate: profile.refreshRate)
    var errors = [[[Double]]](repeating: [[], [], []], count: horizons.count)
    var now = grid.start
    for event in 0..<events {
      let number = grid.answer(toRequestAt: now)
      now = grid.delivery(ofVBlank: number)
      for _ in 0..<(grid.duplicatesEvent(ofVBlank: number) ? 2 : 1) {
        let told = grid.told(ofVBlank: number)
        model.observe(told)
        regression.observe(told)
        last.observe(told)
      }
      guard event >= warmUp else { continue }
      for (index, ahead) in horizons.enumerated() {
        let truth = grid.time(ofVBlank: number + ahead)
        // The rounding starts from the middle of the interval before, so that it finds the right vblank.
        let before = grid.time(ofVBlank: number + ahead - 1)
        let middle = before + (truth - before) / 2
        let predictions = [
          model.prediction(after: middle)?.timestamp, regression.next(after: middle), last.next(after: middle),
        ]
        for (rival, prediction) in predictions.enumerated() {
          errors[index][rival].append(prediction.map { Double(abs(($0 - truth).count)) } ?? .infinity)
        }
      }
    }
    return horizons.indices.map { index in
      let figures = errors[index].map { Harness.percentile(95, of: $0) }
      return Result(
        name: "\(profile.name), \(horizons[index]) ahead, p95", unit: .nanoseconds, ours: figures[0],
        peers: Array(figures.dropFirst()), gates: gates(profile.name, ahead: horizons[index], figures))
    }
  }

  /// The gates require a figure better than both rivals' on bad displays, and within 10 % or 5 µs of the better rival
  /// elsewhere.
  private static func gates(_ name: DisplayProfile.Name, ahead: UInt64, _ figures: [Double]) -> [Gate] {
    switch name {
    case .noisy, .drifting, .flaky:
      var gates = [Gate(peer: 0, limit: 1), Gate(peer: 1, limit: 1)]
      if name == .noisy, ahead != 10 { gates.append(Gate(peer: nil, limit: ahead == 1 ? 25_000 : 100_000)) }
      return gates
    case .steady, .overloaded, .vrr:
      let best = figures[1] <= figures[2] ? 0 : 1
      return [Gate(peer: best, limit: max(1.1, 1 + 5_000 / figures[1 + best]))]
    }
  }

  private static let noisyStamps: [VBlank] = {
    var grid = SimulatedGrid(rate: DisplayProfile.noisy.actualRate, start: .zero + .seconds(1000), seed: 1)
    grid.faults = DisplayProfile.noisy.faults
    return (1...100_000).map { grid.told(ofVBlank: $0) }
  }()

  /// Measures a stamp and the prediction after it.
  private static func cost() -> Result {
    let stamps = noisyStamps
    var model = VBlankModel(refreshRate: .hertz60)
    func median(_ body: () -> Void) -> Double {
      Harness.median((0..<Harness.rounds).map { _ in Harness.processorTime(body) / Double(stamps.count) })
    }
    let ours = median {
      for stamp in stamps {
        model.observe(stamp)
        Harness.blackHole(model.prediction(after: stamp.timestamp))
      }
    }
    return Result(name: "a stamp and a prediction", unit: .nanoseconds, ours: ours, peers: [], gates: [])
  }

  private static func allocations() -> Result {
    let stamps = noisyStamps
    var model = VBlankModel(refreshRate: .hertz60)
    var index = 0
    return Harness.allocations("allocations in that", frames: 10_000) {
      model.observe(stamps[index])
      Harness.blackHole(model.prediction(after: stamps[index].timestamp))
      index += 1
    }
  }
}

/// A rival: the straight line that fits the last 20 stamps best, as in Android's predictor.
private struct StampRegression {
  private static let length = 20
  private let interval: Double
  private var points: [(x: Double, y: Double)] = []
  private var origin = MonotonicTime.zero
  private var last = MonotonicTime.zero

  init(refreshRate: RefreshRate) {
    interval = 1e9 / refreshRate.hertz
  }

  mutating func observe(_ vblank: VBlank) {
    // A stamp that repeats or goes back is skipped. Any more care would be another model.
    guard vblank.timestamp > last else { return }
    last = vblank.timestamp
    guard let before = points.last else {
      origin = vblank.timestamp
      points = [(0, 0)]
      return
    }
    let y = Double((vblank.timestamp - origin).count)
    points.append((before.x + max(1, ((y - before.y) / interval).rounded()), y))
    if points.count > Self.length { points.removeFirst() }
  }

  func next(after time: MonotonicTime) -> MonotonicTime? {
    guard points.count >= 6 else { return nil }
    let count = Double(points.count)
    let x = points.reduce(0) { $0 + $1.x } / count
    let y = points.reduce(0) { $0 + $1.y } / count
    let slope = points.reduce(0) { $0 + ($1.x - x) * ($1.y - y) } / points.reduce(0) { $0 + ($1.x - x) * ($1.x - x) }
    let start = y - slope * x
    let passed = ((Double((time - origin).count) - start) / slope).rounded(.down) + 1
    return origin + Nanoseconds(Int64((start + passed * slope).rounded()))
  }
}

/// A rival: whole nominal intervals after the last stamp.
private struct LastStamp {
  private let rate: RefreshRate
  private var last: MonotonicTime?

  init(refreshRate: RefreshRate) {
    rate = refreshRate
  }

  mutating func observe(_ vblank: VBlank) {
    if vblank.timestamp > last ?? .zero { last = vblank.timestamp }
  }

  func next(after time: MonotonicTime) -> MonotonicTime? {
    last.map { $0 + rate.offset(ofInterval: rate.intervals(in: time - $0) + 1) }
  }
}
