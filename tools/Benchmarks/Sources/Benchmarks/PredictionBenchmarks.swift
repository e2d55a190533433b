import Foundation
import FrameTiming
import LinuxSystem
import Simulation

/// Measures the distance between predictions and a display's true vblanks, on simulated displays, and to their later stamps on
/// recorded ones. The figures are the same in every run.
@MainActor
enum PredictionBenchmarks {
  static let all = Benchmark(name: "prediction", peers: ["20 stamps", "last + T"], isSimulated: true) {
    var results: [Result] = []
    for profile in DisplayProfile.all { results += errors(profile) }
    return results + recorded() + [cost(), allocations()]
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
          model.prediction(after: middle)?.timestamp, regression.prediction(after: middle), last.prediction(after: middle),
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

  /// The tests' recordings. Their gates stand in the tests, each with its reason.
  private static func recorded() -> [Result] {
    let folder = URL(filePath: #filePath).appending(path: "../../../../../Tests/FrameTimingTests/Recordings")
      .standardizedFileURL
    let files = (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
    let names = files.filter { $0.pathExtension == "vblanks" }.sorted { $0.path < $1.path }
    guard !names.isEmpty else { fatalError("no recordings in \(folder.path)") }
    return names.flatMap { file in
      do {
        let recording = try VBlankRecording(parsing: String(contentsOf: file, encoding: .utf8))
        let name = file.deletingPathExtension().lastPathComponent
        return horizons.flatMap { results(PredictionErrors(of: recording, ahead: Int64($0)), "\(name), \($0) ahead") }
      } catch {
        fatalError("\(file.path): \(error)")
      }
    }
  }

  /// The median and the 95th percentile, which needs 20 errors.
  private static func results(_ errors: PredictionErrors, _ name: String) -> [Result] {
    guard errors.model.count >= 20 else { return [] }
    return [50, 95].map { percent in
      let figures = [errors.model, errors.regression, errors.lastStamp].map { Harness.percentile(percent, of: $0) }
      return Result(
        name: "\(name), p\(Int(percent))", unit: .nanoseconds, ours: figures[0], peers: Array(figures.dropFirst()), gates: []
      )
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
