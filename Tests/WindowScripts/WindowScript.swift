import FrameTiming
import Framepace
import LinuxSystem
import Simulation
import Wayland
import WaylandTesting

/// Random scripts for compositor and application. Whatever happens, the client keeps the protocol's rules, never draws while it may
/// not, and shows the right picture in the end.
@MainActor
package enum WindowScript {
  /// Plays the script of a seed.
  package static func play(_ seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let globals =
      [CompositorGlobals.all, .sway, .weston, .all.without("wp_presentation")].randomElement(using: &random) ?? .all
    let outputs = [
      CompositorOutput("A"),
      CompositorOutput(
        "B", scale: [120, 150, 240].randomElement(using: &random) ?? 120,
        rate: [RefreshRate.hertz60, RefreshRate(hertz: 75) ?? .hertz60].randomElement(using: &random) ?? .hertz60),
    ]
    var faults = DisplayFaults()
    if random.chance(0.3) { faults.noise = .microseconds(50) }
    let stage = try WindowStage(globals: globals, outputs: outputs, faults: faults, seed: seed)
    do {
      try play(on: stage, &random)
    } catch {
      stage.note("\(error)")
    }
    try stage.end()
  }

  private static func play(on stage: WindowStage, _ random: inout SplitMix64) throws {
    for _ in 0..<Int.random(in: 1...40, using: &random) {
      stage.run(for: .microseconds(Int64.random(in: 0...60_000, using: &random)))
      step(stage, &random)
    }
    // All is well again.
    stage.run(for: .milliseconds(1))
    if case .lost = stage.display.connection.state { try stage.reconnect() }
    stage.compositor.lastRequest = nil
    stage.compositor.policy = CompositorPolicy()
    stage.run(for: .milliseconds(300))
    guard let window = stage.compositor.windows.first else { throw WindowFault(description: "no window") }
    window.isHidden = false
    // So high that the ball is seen below a title bar too.
    window.configure(width: 50, height: 70, states: [.activated])
    stage.animate()
    // The rate may have to be learned anew.
    stage.run(for: .seconds(1))
    guard stage.display.state == .showing else { throw WindowFault(description: "the window is \(stage.display.state)") }
    stage.forget()
    stage.run(for: .seconds(1))
    guard stage.shown.count >= 55 else { throw WindowFault(description: "\(stage.shown.count) frames in a second") }
    try stage.checkPicture()
  }

  private static func step(_ stage: WindowStage, _ random: inout SplitMix64) {
    let window = stage.compositor.windows.first
    switch Int.random(in: 0..<14, using: &random) {
    case 0: stage.animate()
    case 1: stage.rest()
    case 2: window?.isHidden = true
    case 3: window?.isHidden = false
    case 4, 5:
      window?.configure(width: Int.random(in: 0...80, using: &random), height: Int.random(in: 0...80, using: &random))
    case 6: window?.configure(width: 64, height: 48, states: random.chance(0.5) ? [.suspended] : [.activated])
    case 7: window?.move(toOutput: Int.random(in: 0...1, using: &random))
    case 8: stage.compositor.policy.callbacks = random.chance(0.5) ? .withheld : .sent(after: .milliseconds(3))
    case 9:
      let kinds: [CompositorPolicy.Feedback] = [
        .withheld, .swapped, .discarded, .told(after: .zero), .told(after: .milliseconds(20)),
      ]
      stage.compositor.policy.feedback = kinds.randomElement(using: &random) ?? .withheld
    case 10:
      let kinds: [CompositorPolicy.Release] = [.copied, .withheld, .replaced(vblanksLater: 2), .replaced(vblanksLater: 0)]
      stage.compositor.policy.release = kinds.randomElement(using: &random) ?? .copied
    case 11: stage.compositor.policy.lostFeedback = random.chance(0.5) ? 0.4 : 0
    case 12: stage.display.title = "\(Int.random(in: 0...9, using: &random))"
    default:
      if random.chance(0.3) { stage.compositor.disconnectAll() } else { stage.display.isFullScreen.toggle() }
    }
  }
}
