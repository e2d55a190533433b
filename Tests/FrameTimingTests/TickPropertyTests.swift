import FramepaceTesting
import LinuxSystem
import Simulation
import TestLength
import Testing

@testable import FrameTiming

/// Properties of the ticks of every display, however bad. A scenario that breaks it is printed at its smallest.
@Suite struct TickPropertyTests {
  /// Stamps strictly increase, no interval is ticked twice, ticks and misses are the display's intervals (to one where nothing
  /// counts them), nothing is predicted in the past, and a display that has become good is known soon, whatever it was.
  /// (`tools/benchmark ticks` plays ten times as many.)
  @Test func ticksAreTheDisplaysIntervals() {
    var ticks: UInt64 = 0
    var misses: UInt64 = 0
    // In a short run another part of the long run's seeds each time.
    let parts = isLongRun ? 1 : 5
    var seed = UInt64(runSeed % parts * 20)
    var kinds = (variable: 0, other: 0, lost: 0, uncounted: 0, stepped: 0, swapped: 0)
    while ticks < 100_000 / UInt64(parts) {
      let scenario = DisplayScenario.random(seed: seed, steps: 20)
      let result = scenario.play()
      ticks += result.ticks
      misses += result.misses
      if scenario.isVariable { kinds.variable += 1 }
      for (step, next) in zip(scenario.steps, scenario.steps.dropFirst()) {
        if case .faults(let faults) = step {
          if faults.zeroSequences == 1 { kinds.uncounted += 1 }
          if faults.stampStep > .zero { kinds.stepped += 1 }
          if faults.swappedStamps > 0 { kinds.swapped += 1 }
        }
        guard case .otherRate = next else { continue }
        kinds.other += 1
        if case .off = step { kinds.lost += 1 }
      }
      if !result.isGood {
        let small = scenario.shrunk()
        Issue.record("\(small)\n\(small.play())")
        return
      }
      seed += 1
    }
    #expect(misses > ticks / 20, "the displays were too good")
    // A fifth of the seeds may have less than a fifth of a kind.
    let often = isLongRun ? 1 : 10
    #expect(
      kinds.variable > 8 / often && kinds.other > 40 / often && kinds.lost > 8 / often && kinds.uncounted > 8 / often
        && kinds.stepped > 8 / often && kinds.swapped > 40 / often,
      "of some kinds there were too few: \(kinds)")
  }

  /// Scenarios that once went wrong, of some thousands: stamps that are swapped while a clock is set, a rate that doubles among
  /// unsteady stamps, a pause after a few stamps of whole milliseconds; in the second row a rate that nobody told while events are
  /// late or stamps coarse; in the third a clock that is set back, a sequence that is missing there, and stamps of an earlier vblank
  /// whose sequence is right; in the fourth pauses and losses that no sequence counts; in the fifth rates that nobody told among wrong
  /// and coarse stamps, and another clock's that are swapped, whose counts are off by no more than they may be; in the next two a clock
  /// that is set right, or another mode while another clock makes the stamps; and in the last one pauses after whole milliseconds.
  @Test(
    arguments: [
      756, 1156, 1727, 1749, 1958, 3916, 4232, 4316, 4660, 5822, 9949, 11259,
      8803, 9605, 10201, 12988,
      8230, 28068, 17193, 24642, 26927,
      7705, 10479, 18656, 20630, 23017, 27549,
      5513, 14445, 15121, 26500, 31091, 30132,
      36532, 47014, 67337, 72299, 74220, 75386, 80532, 90091, 93779, 125906,
      54352, 83339, 88838, 105791, 107346, 101109,
      41962, 42906, 68288, 70133, 78366, 86593, 87191, 88121, 103220, 113035,
    ] as [UInt64])
  func rareScenarios(_ seed: UInt64) {
    let result = DisplayScenario.random(seed: seed, steps: 20).play()
    #expect(result.isGood, "\(result)")
  }

  /// The known limits, as the article on predictions lists them: of the seeds from 32,000 to 160,000 these go wrong. One that no longer
  /// does is to be taken out, here and there.
  @Test(
    arguments: [
      65301, 98716, 107472, 126824, 128279, 132041,
      35431, 48929, 154037, 155860,
      46970, 53299, 81630, 144045,
    ] as [UInt64])
  func knownLimits(_ seed: UInt64) {
    #expect(!DisplayScenario.random(seed: seed, steps: 20).play().isGood, "seed \(seed) is right: take it out")
  }

  /// A display whose clock runs a little quicker than it did, and a long pause before that is seen: the sequence is believed.
  @Test func aPauseIsCountedAlthoughTheRateHasChanged() {
    let nominal = RefreshRate.hertz(48)
    let (slow, quick) = (RefreshRate.hertz(47_905, over: 1000), RefreshRate.hertz(47_989, over: 1000))
    let scenario = DisplayScenario(
      seed: 1, rate: nominal,
      steps: [
        .rate(nominal: nominal, actual: slow), .listen(21), .rate(nominal: nominal, actual: quick),
        .pause(.milliseconds(7700)), .listen(1),
      ])
    let result = scenario.play()
    #expect(result.isGood, "\(result)")
    #expect(result.misses > 300)
  }

  /// The fastest rate of a variable display is set to another: what comes at it is counted at once.
  @Test(arguments: [(24, 120), (120, 24), (48, 144)]) func aVariableDisplayTakesAnotherMode(_ hertz: (Int64, Int64)) {
    let (first, second) = (RefreshRate.hertz(hertz.0), RefreshRate.hertz(hertz.1))
    var faults = DisplayFaults()
    faults.lostEvents = 0.3
    let scenario = DisplayScenario(
      seed: 3, rate: first, isVariable: true,
      steps: [.faults(faults), .listen(100), .rate(nominal: second, actual: second), .listen(200)])
    let result = scenario.play()
    #expect(result.isGood, "\(result)")
    #expect(result.misses > 50)
  }
}
