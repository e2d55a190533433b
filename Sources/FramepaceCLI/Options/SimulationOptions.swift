import ArgumentParser
import Framepace
import Simulation

/// The options that replace the display by a simulated one.
struct SimulationOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Run on a simulated screen, in simulated time: \(DisplayProfile.Name.list).", valueName: "profile"),
    completion: .list(DisplayProfile.Name.allCases.map(\.rawValue)), transform: Accepted.choice)
  var simulate: DisplayProfile.Name?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "With --simulate, names the random numbers: the same seed gives the same run. (default: 0)", valueName: "number"),
    transform: Accepted.count(0...4_294_967_295))
  var seed: Int?

  @Flag(help: "With --simulate, do not wait for the time to pass.")
  var fast = false

  func validate(display: DisplayOptions, duration: Nanoseconds?) throws {
    guard simulate != nil else {
      if seed != nil { throw ValidationError("--seed belongs to --simulate.") }
      if fast { throw ValidationError("--fast belongs to --simulate: a display has its own pace.") }
      return
    }
    if display.display != .auto || display.mode != nil || display.rate != nil {
      throw ValidationError(
        "--simulate has a display of its own, and a rate: leave out --display, --mode and --rate, or --simulate.")
    }
    if fast, duration == nil { throw ValidationError("--fast needs a --duration: it would go on at full speed.") }
  }

  /// The simulation; nil without `--simulate`.
  @MainActor
  func simulation(size: PixelSize?) throws -> SimulatedRun? {
    guard let simulate else { return nil }
    return try SimulatedRun(.named(simulate), seed: UInt64(seed ?? 0), size: size ?? .standard, isPaced: !fast)
  }
}
