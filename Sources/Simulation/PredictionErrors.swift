import FrameTiming
import LinuxSystem

/// How far the model and its rivals are from a recorded display's later stamps.
///
/// The truth of a recorded display is what it stamped later, noise and all. After each stamp from the sixth on, when the
/// regression begins, the vblank `ahead` intervals later is predicted, if the recording has a stamp of that.
public struct PredictionErrors: Sendable {
  /// The distances from predictions to stamps, in nanoseconds.
  public private(set) var model: [Double] = []
  /// Those of a `StampRegression`.
  public private(set) var regression: [Double] = []
  /// Those of a `LastStamp`.
  public private(set) var lastStamp: [Double] = []

  /// - Parameter ahead: from 1.
  public init(of recording: VBlankRecording, ahead: Int64) {
    let rate = recording.refreshRate
    let numbers = Self.numbers(of: recording)
    let stamps = Dictionary(zip(numbers, recording.vblanks.map(\.timestamp))) { first, _ in first }
    var model = VBlankModel(refreshRate: rate)
    var regression = StampRegression(refreshRate: rate)
    var lastStamp = LastStamp(refreshRate: rate)
    for (index, vblank) in recording.vblanks.enumerated() {
      model.observe(vblank)
      regression.observe(vblank)
      lastStamp.observe(vblank)
      guard index + 1 >= StampRegression.fewest, let truth = stamps[numbers[index] + ahead] else { continue }
      // The middle of the interval before, so that the right vblank is found.
      let middle = truth - rate.interval / 2
      let error = { (prediction: MonotonicTime?) in prediction.map { Double(abs(($0 - truth).count)) } ?? .infinity }
      self.model.append(error(model.prediction(after: middle)?.timestamp))
      self.regression.append(error(regression.prediction(after: middle)))
      self.lastStamp.append(error(lastStamp.prediction(after: middle)))
    }
  }

  /// The interval of each vblank: by the sequence, or by the stamps where there is none.
  private static func numbers(of recording: VBlankRecording) -> [Int64] {
    var number: Int64 = 0
    var last: VBlank?
    return recording.vblanks.map { vblank in
      if let last {
        let elapsed = Double((vblank.timestamp - last.timestamp).count)
        let isCounted = vblank.sequence != 0 && last.sequence != 0
        number &+=
          isCounted
          ? Int64(bitPattern: vblank.sequence &- last.sequence)
          : max(1, Int64(saturating: elapsed / recording.refreshRate.exactInterval))
      }
      last = vblank
      return number
    }
  }
}
