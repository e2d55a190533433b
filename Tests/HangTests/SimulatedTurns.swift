import LinuxSystem
import RunLoops
import Synchronization

@testable import Hangs

/// Plays turns of a loop to a detector, on simulated time.
struct SimulatedTurns {
  /// When the loop is in a turn, in milliseconds; ascending.
  var turns: [Range<Int64>]
  var limits = HangDetector.Limits()
  /// Changes the rest of what a look sees.
  var look: (inout HangDetector.Sight) -> Void = { _ in }
  /// How much later than asked for the monitor looks.
  var lateness: (MonotonicTime) -> Nanoseconds = { _ in .zero }

  struct Result {
    /// Turns that became hangs at a look, and the ends of slow ones.
    var began: [HangDetector.Turn] = []
    var ended: [HangDetector.Turn] = []
    /// The times of samples in milliseconds.
    var samples: [Double] = []
    var looks = 0

    /// As the monitor counts them: at the look or at the end.
    func hangs(_ limits: HangDetector.Limits) -> [HangDetector.Turn] { ended.filter { $0.duration >= limits.reportsFrom } }
  }

  func play() -> Result {
    var (detector, result) = (HangDetector(limits: limits), Result())
    var time = MonotonicTime.zero
    // The number of turns that have begun, the slow one among them that was last, and the end of such a one.
    var (begun, slow, lastEnd): (Int, Range<Int64>?, MonotonicTime?) = (0, nil, nil)
    let last = turns.last.map { Self.time($0.upperBound) } ?? .zero
    while true {
      while begun < turns.count, Self.time(turns[begun].lowerBound) <= time { begun += 1 }
      if let slow, Self.time(slow.upperBound) <= time { lastEnd = Self.time(slow.upperBound) }
      let current = turns[..<begun].last.flatMap { Self.time($0.upperBound) > time ? Self.time($0.lowerBound) : nil }
      var sight = HangDetector.Sight(now: time, turn: current)
      sight.lastEnd = lastEnd
      look(&sight)
      let step = detector.look(sight)
      result.looks += 1
      if step.sample != nil {
        slow = turns[..<begun].last
        result.samples.append(time.seconds * 1_000)
      }
      if let began = step.began { result.began.append(began) }
      if let ended = step.ended { result.ended.append(ended) }
      // The loop that begins a turn wakes the monitor.
      let ring = begun < turns.count ? Self.time(turns[begun].lowerBound) : nil
      // A detector that looks at a loop that sleeps would do so for ever.
      guard let next = step.next ?? ring, time <= last + .seconds(60) else { return result }
      time = next + (step.next == nil ? .zero : lateness(next))
    }
  }

  static func time(_ milliseconds: Int64) -> MonotonicTime { .zero + .milliseconds(milliseconds) }
}

/// A loop on simulated time whose callbacks take time, and a monitor that looks at it when it is due.
final class SimulatedLoop {
  let clock = ManualClock(start: .zero + .seconds(1_000))
  let loop: FrameLoop
  let bell = Bell()
  let beacon: LoopBeacon
  var detector = HangDetector()
  /// The hangs, each with the phase and the mode in which it was found.
  private(set) var hangs: [(turn: HangDetector.Turn, phase: LoopPhase?, mode: FrameLoop.Mode?)] = []
  private var next: MonotonicTime?

  init() {
    loop = FrameLoop(clock: .manual(clock))
    beacon = LoopBeacon(clock: .manual(clock), bell: bell, depth: 0)
    for observer in beacon.observers() { loop.add(observer, to: .common) }
    // A run without anything to wait for ends.
    loop.add(FrameLoop.Timer(fireTime: clock.now + .seconds(1_000_000), .onLoop { _ in }), to: .common)
  }

  /// Lets a callback take time.
  func spend(_ time: Nanoseconds) {
    let end = clock.now + time
    // The monitor has looked while the loop slept, and found it asleep.
    if let missed = next, missed < clock.now { take(detector.look(HangDetector.Sight(now: missed, turn: nil))) }
    if next == nil { look() }
    while let due = next, due <= end {
      clock.advance(to: due)
      look()
    }
    clock.advance(to: end)
  }

  func look() {
    let turn = beacon.turnStart.load(ordering: .relaxed)
    var sight = HangDetector.Sight(now: clock.now, turn: turn == LoopBeacon.asleep ? nil : MonotonicTime(nanoseconds: turn))
    let end = beacon.lastEnd.load(ordering: .relaxed)
    if end != LoopBeacon.asleep { sight.lastEnd = MonotonicTime(nanoseconds: end) }
    let step = detector.look(sight)
    if step.sample != nil { beacon.wantedEnd.store(turn, ordering: .relaxed) }
    take(step)
  }

  private func take(_ step: HangDetector.Step) {
    if let began = step.began {
      hangs.append((began, LoopPhase(rawValue: beacon.phase.load(ordering: .relaxed)), loop.currentMode))
    }
    next = step.next
  }

  /// Runs the loop for a time.
  func run(_ mode: FrameLoop.Mode = .default, for time: Nanoseconds) { loop.run(mode: mode, until: clock.now + time) }

  /// A timer that fires once and takes time.
  func addTimer(to mode: FrameLoop.Mode = .common, after delay: Nanoseconds, taking time: Nanoseconds) {
    loop.add(timer(after: delay) { [unowned self] in spend(time) }, to: mode)
  }

  func timer(after delay: Nanoseconds, _ body: @escaping () -> Void) -> FrameLoop.Timer {
    // Safe: the loop runs on the test's thread only.
    nonisolated(unsafe) let body = body
    return FrameLoop.Timer(fireTime: clock.now + delay, .onLoop { _ in body() })
  }
}
