import FrameTiming
import LinuxSystem
import Simulation
import Testing

/// The durations of a simulated application's frames.
@Suite struct SimulatedWorkTests {
  private func seeded(_ work: SimulatedWork, _ seed: UInt64) -> SimulatedWork {
    var work = work
    work.seed = seed
    return work
  }

  @Test func usualWorkIsNormallyDistributed() {
    let work = seeded(.even, 3)
    let works = (0..<20_000).map { work.work(ofFrame: $0).milliseconds }
    let mean = works.reduce(0, +) / Double(works.count)
    let deviation = (works.map { ($0 - mean) * ($0 - mean) }.reduce(0, +) / Double(works.count)).squareRoot()
    #expect(abs(mean - 3) < 0.02, "\(mean)")
    #expect(abs(deviation - 0.6) < 0.02, "\(deviation)")
    // In a normal distribution 99 of 100 lie below 2.326 deviations.
    let p99 = works.sorted()[works.count * 99 / 100]
    #expect(abs(p99 - 4.4) < 0.06, "\(p99)")
  }

  @Test func twoFramesInAHundredAreSpikes() {
    let work = seeded(.spiky, 9)
    let frames = 0..<UInt64(50_000)
    let spikes = frames.filter { work.isSpike(frame: $0) }
    #expect(abs(spikes.count - 1000) < 100, "\(spikes.count)")
    for frame in spikes { #expect(work.work(ofFrame: frame) == .milliseconds(9)) }
    let longest = frames.filter { !work.isSpike(frame: $0) }.map { work.work(ofFrame: $0) }.max()
    #expect(longest ?? .zero < .milliseconds(7))
  }

  @Test func anOverloadComesAtTheEndOfEachCycle() {
    var work = SimulatedWork(mean: .milliseconds(3))
    work.overload = SimulatedWork.Overload(cycle: .seconds(6), part: 0.25, work: .milliseconds(20))
    func duration(_ time: Nanoseconds) -> Nanoseconds { work.work(ofFrame: 1, at: time) }
    #expect(duration(.zero) == .milliseconds(3))
    #expect(duration(.milliseconds(4_499)) == .milliseconds(3))
    #expect(duration(.milliseconds(4_500)) == .milliseconds(20))
    #expect(duration(.milliseconds(5_999)) == .milliseconds(20))
    #expect(duration(.seconds(6)) == .milliseconds(3))
    #expect(duration(.milliseconds(-100)) == .milliseconds(3))
  }

  /// All of it is spent, and what is more than usual in one phase.
  @Test func phasesAddUpToTheWork() {
    let work = seeded(.spiky, 1)
    var exceeding: [FrameRecord.Phase: Int] = [:]
    for frame in 0..<UInt64(3_000) {
      let phases = work.phases(ofFrame: frame)
      #expect(phases.total == work.work(ofFrame: frame))
      let long = FrameRecord.Phase.allCases.filter { phases[$0] > .milliseconds(1) }
      #expect(long.count <= 1)
      if let phase = long.first { exceeding[phase, default: 0] += 1 }
    }
    #expect(Set(exceeding.keys) == [.callbacks, .layout, .display])
    for count in exceeding.values { #expect(count > 300) }
  }
}
