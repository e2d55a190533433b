import LinuxSystem
import Simulation
import Testing

@testable import FrameTiming

/// Stamps that were read from a clock and not made up.
@Suite struct RecordedVBlankTests {
  /// The time that the recording's timer was set to.
  private static let timerStart = MonotonicTime(nanoseconds: 27_786_208_628_710)

  /// A timer of 60 Hz on a busy machine: half its stamps lie within some ten microseconds of each other, one in twenty
  /// milliseconds late, the latest two intervals.
  @Test func aBusyMachinesTimerIsPredicted() throws {
    let recording = try Recordings.read("timer")
    #expect(recording.refreshRate == .hertz60)
    #expect(recording.vblanks.count == 900)
    var model = VBlankModel(refreshRate: recording.refreshRate)
    var errors: [Int64] = []
    var nominalErrors: [Int64] = []
    for vblank in recording.vblanks {
      model.observe(vblank)
      guard vblank.sequence > 120 else { continue }
      let truth = Self.timerStart + RefreshRate.hertz60.offset(ofInterval: Int64(vblank.sequence))
      let prediction = try #require(model.prediction(after: truth - .milliseconds(8)))
      errors.append(abs((prediction.timestamp - truth).count))
      nominalErrors.append(abs((vblank.timestamp + RefreshRate.hertz60.interval - truth).count))
    }
    // Every stamp is late by what it takes to wake: the grid as it is seen lies that much behind the timer's.
    let (ours, nominal) = (percentile95(errors), percentile95(nominalErrors))
    #expect(ours < 400_000)
    #expect(nominal > 4 * ours, "the recording is too good to tell")
    #expect(abs(model.period - 1e9 / 60) < 2_000)
  }

  /// A kernel's vblanks, of which the busy machine did not get all: those that came are predicted to a few nanoseconds
  /// across the gaps, none is taken for wrong, and intervals are counted as the kernel does.
  @Test func aKernelsVBlanksArePredictedAcrossGaps() throws {
    let recording = try Recordings.read("vkms")
    #expect(recording.vblanks.count == 600)
    let nominal = recording.refreshRate.interval
    var model = VBlankModel(refreshRate: recording.refreshRate)
    var gaps = 0
    for (index, vblank) in recording.vblanks.enumerated() {
      if index > 20 {
        let prediction = try #require(model.prediction(after: vblank.timestamp - nominal / 2))
        #expect(abs((prediction.timestamp - vblank.timestamp).count) <= 10, "\(vblank)")
      }
      let last = model.last
      let interval = model.interval
      #expect(model.observe(vblank) == .accepted, "\(vblank)")
      guard let last else { continue }
      let passed = vblank.sequence - last.sequence
      #expect(model.interval - interval == Int64(passed), "\(vblank)")
      if passed > 1 { gaps += 1 }
    }
    #expect(gaps == 58, "the recording is too good to tell")
    #expect(abs(model.period - 16_665_600) < 0.1)
  }

  /// The same as ticks: each is delivered, when its vblank was, and the numbers count those that were not.
  @Test func aKernelsVBlanksAreTicksThatCountWhatWasMissed() throws {
    let recording = try Recordings.read("vkms")
    let first = try #require(recording.vblanks.first)
    var sequencer = TickSequencer(refreshRate: recording.refreshRate)
    for vblank in recording.vblanks {
      let now = vblank.timestamp + .microseconds(300)
      let outcome = sequencer.advance(to: vblank, now: now, rate: recording.refreshRate)
      #expect(outcome == .tick(vblank, frameNumber: vblank.sequence - first.sequence + 1))
    }
  }

  private func percentile95(_ errors: [Int64]) -> Int64 { errors.sorted()[errors.count * 95 / 100] }
}
