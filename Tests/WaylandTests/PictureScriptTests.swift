import Framepace
import LinuxSystem
import Simulation
import TestLength
import Wayland
import WaylandTesting
import XCTest

/// Whatever a compositor does, in any order: what it shows is what the layers looked like, no rule is broken, and when it has calmed down the
/// window shows its newest state.
@preconcurrency @MainActor final class PictureScriptTests: XCTestCase {
  /// 10,000 in a long run. `FRAMEPACE_SEED` repeats those of a run.
  private static let count = 10_000
  private static let shortCount = 60

  func testRandomScripts() throws {
    for seed in some(Self.shortCount, of: 0..<Self.count) {
      var script = RandomScript(seed: UInt64(seed))
      let stage = try script.makeStage()
      for _ in 0..<30 { try script.step(stage) }
      try calm(stage, "seed \(seed)")
      stage.expectNoFaults("seed \(seed)")
      stage.end()
      // The first script that fails is enough.
      if testRun?.totalFailureCount ?? 0 > 0 { return print("script \(seed): \(script.log.joined(separator: ", "))") }
    }
  }

  private func calm(_ stage: PictureStage, _ place: String) throws {
    stage.compositor.policy = CompositorPolicy()
    stage.compositor.lastRequest = nil
    if stage.compositor.clientCount == 0 { try stage.restart() }
    stage.run(for: .milliseconds(10))
    if stage.compositor.clientCount == 0 { try stage.restart() }
    stage.run(for: .milliseconds(10))
    let window = try XCTUnwrap(stage.window, place)
    window.isHidden = false
    window.configure(width: 52, height: 44, states: [.activated])
    stage.run(for: .milliseconds(300))
    stage.stop()
    stage.change { $0.append(.init(x: 7, y: 5, width: 2, height: 3, color: 0x12fe34)) }
    // If the answer for a frame was lost, the next one waits for a while.
    stage.run(for: .milliseconds(300))
    try stage.expectNewestIsShown(place)
    let scale = stage.compositor.outputs[window.output].scale
    XCTAssertEqual(stage.shown.last?.width, (52 * scale + 60) / 120, place)
  }
}

/// The choices of a script, which are those of its seed.
@MainActor
private struct RandomScript {
  private var random: SplitMix64
  private(set) var log: [String] = []

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  private mutating func pick<Value>(_ values: [Value]) -> Value { values[Int.random(in: values.indices, using: &random)] }

  private mutating func milliseconds(_ range: ClosedRange<Int64>) -> Nanoseconds {
    .microseconds(Int64.random(in: range.lowerBound * 1000...range.upperBound * 1000, using: &random))
  }

  mutating func makeStage() throws -> PictureStage {
    var globals = pick([CompositorGlobals.all, .all, .sway, .weston])
    for interface in [
      "wp_fifo_manager_v1", "wp_commit_timing_manager_v1", "wp_fractional_scale_manager_v1", "wp_presentation",
    ]
    where random.chance(0.2) {
      globals = globals.without(interface)
    }
    var faults = DisplayFaults()
    if random.chance(0.3) { faults.noise = .microseconds(200) }
    if random.chance(0.1) { faults.lostEvents = 0.1 }
    // Without a viewport, scales are whole.
    let scales = globals.versions["wp_fractional_scale_manager_v1"] == nil ? [120, 240] : [120, 150, 180, 210, 240]
    log.append("\(globals.versions.count) globals")
    let outputs = ["A", "B"].map { name in
      let rate = RefreshRate(numerator: pick([60, 60, 75, 120]), denominator: 1) ?? .hertz60
      return CompositorOutput(name, width: 96, height: 72, scale: pick(scales), rate: rate)
    }
    return try PictureStage(
      outputs: outputs, globals: globals,
      clock: pick([.monotonic, .raw(ahead: .seconds(9), gain: 40)]),
      faults: faults,
      seed: UInt64.random(in: 0...1 << 40, using: &random), size: pick([nil, (64, 48)]))
  }

  mutating func step(_ stage: PictureStage) throws {
    let (name, action) = try nextAction(stage)
    log.append(name)
    try action()
    let time = pick([
      Nanoseconds.zero, milliseconds(0...3), milliseconds(0...40), milliseconds(0...40), milliseconds(0...300),
    ])
    log.append("\(time.milliseconds)")
    stage.run(for: time)
  }

  private mutating func nextAction(_ stage: PictureStage) throws -> (String, () throws -> Void) {
    let compositor = stage.compositor
    switch Int.random(in: 0..<20, using: &random) {
    case 0, 1, 2: return ("animate", { stage.animate() })
    case 3: return ("stop", { stage.stop() })
    case 4, 5:
      let box = PictureStage.Box(
        x: .random(in: 0..<14, using: &random), y: .random(in: 0..<10, using: &random),
        width: .random(in: 1..<6, using: &random),
        height: .random(in: 1..<6, using: &random), color: .random(in: 0...0xffffff, using: &random))
      return ("box", { stage.change { $0.append(box) } })
    case 6: return ("no boxes", { stage.change { $0.removeLast(max($0.count - 1, 0)) } })
    case 7, 8, 9:
      let size = (width: Int.random(in: 16...90, using: &random), height: Int.random(in: 16...70, using: &random))
      let states: Set<WindowState> = random.chance(0.15) ? [.suspended] : [.activated]
      return (
        "\(size.width)x\(size.height) \(states)",
        { stage.window?.configure(width: size.width, height: size.height, states: states) }
      )
    case 10:
      let isHidden = random.chance(0.6)
      return ("hidden \(isHidden)", { stage.window?.isHidden = isHidden })
    case 11:
      let callbacks = pick([CompositorPolicy.Callbacks.withheld, .sent(after: milliseconds(0...20)), .sent(after: .zero)])
      return ("\(callbacks)", { compositor.policy.callbacks = callbacks })
    case 12, 13:
      let feedback = pick([
        CompositorPolicy.Feedback.withheld, .discarded, .swapped, .told(after: milliseconds(0...40)), .told(after: .zero),
      ])
      return ("\(feedback)", { compositor.policy.feedback = feedback })
    case 14:
      let release = pick([
        CompositorPolicy.Release.copied, .replaced(vblanksLater: 0), .replaced(vblanksLater: 3), .withheld,
      ])
      return ("\(release)", { compositor.policy.release = release })
    case 15:
      let (lost, time) = (pick([0, 0.2]), milliseconds(0...12))
      let refresh = pick([nil, Nanoseconds.zero, .milliseconds(3), .milliseconds(40)])
      return (
        "lost \(lost), composition \(time)",
        {
          (compositor.policy.lostFeedback, compositor.policy.compositionTime, compositor.policy.toldRefresh) = (
            lost, time, refresh
          )
        }
      )
    case 16:
      let output = pick([0, 1])
      return ("output \(output)", { stage.window?.move(toOutput: output) })
    case 17:
      let rate = RefreshRate(numerator: pick([50, 60, 144]), denominator: 1) ?? .hertz60
      let output = pick([0, 1])
      return ("\(rate) of \(output)", { compositor.setRate(rate, ofOutput: output) })
    case 18:
      let isFullScreen = random.chance(0.5)
      return ("full screen \(isFullScreen)", { stage.display.isFullScreen = isFullScreen })
    default:
      if compositor.clientCount == 0 { return ("restart", { try stage.restart() }) }
      if random.chance(0.5) { return ("disconnect", { compositor.disconnectAll() }) }
      let last = compositor.requestCount + Int.random(in: 1...60, using: &random)
      return ("last request \(last)", { compositor.lastRequest = last })
    }
  }
}
