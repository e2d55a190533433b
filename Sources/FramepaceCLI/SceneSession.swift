import ArgumentParser
import Framepace
import Glibc
import KMS
import SampleScenes

/// How a scene is to be run on a display; shared by the commands that do.
struct SceneOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("Where frames go: auto (a KMS display if one can be used), fallback or kms.", valueName: "display"))
  var display = DisplayChoice.auto

  @Option(help: ArgumentHelp("The fallback clock's rate: \(RateArgument.accepted).", valueName: "Hz"))
  var rate = RateArgument.sixty

  @Option(help: ArgumentHelp("The size of a display that is only memory: \(PixelSize.accepted).", valueName: "WxH"))
  var size = PixelSize(width: 1920, height: 1080)

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("For the scene stress: how long every frame is kept busy.", valueName: "time"))
  var work: TimeSpan?

  @Option(help: "For the scene stress: where its time is spent: callbacks, layout or display.")
  var workPhase: SceneSettings.WorkPhase?

  func validate(scene: SceneName) throws {
    if (work != nil || workPhase != nil) && scene != .stress {
      throw ValidationError("--work and --work-phase belong to the scene stress, not to \(scene.rawValue).")
    }
    if let work, work.duration > .seconds(10) {
      throw ValidationError("--work of \(work.duration.seconds) s is not accepted: at most 10s.")
    }
    if rate != .sixty && display == .kms {
      throw ValidationError("--rate is the fallback clock's; a KMS display has the rate of its mode.")
    }
  }
}

/// A scene on a display: opened, wired, run and ended in one place.
@MainActor
final class SceneSession {
  let engine: Engine
  let display: any Display
  private let player: ScenePlayer
  private let signals: SignalSource
  private var failure: (any Error)?

  init(_ name: SceneName, options: SceneOptions, loop: FrameLoop = .main) throws {
    // Before any thread is made, so that all of them leave these signals to the loop.
    let ending = EndSignals()
    signals = try SignalSource(signals: [SIGINT, SIGTERM], onMain: { _ in ending.end?() })
    let (width, height) = (options.size.width, options.size.height)
    display =
      switch options.display {
      case .auto: try Displays.automatic(width: width, height: height, refreshRate: options.rate.rate)
      case .kms: try Displays.kms()
      case .fallback:
        try VirtualDisplay(width: width, height: height, refreshRate: options.rate.rate, reason: "asked for")
      }
    do {
      let size = Size(Double(display.presenter.width), Double(display.presenter.height))
      let settings = SceneSettings(
        size: size, timeOfDay: Self.localTimeOfDay(), work: options.work?.duration ?? .milliseconds(12),
        workPhase: options.workPhase ?? .callbacks, fonts: try SceneFonts())
      let scene = try name.makeScene(settings: settings)
      engine = Engine(display: display, root: scene.root, loop: loop)
      player = ScenePlayer(scene: scene, engine: engine, start: loop.clock.now)
    } catch {
      display.invalidate()
      throw error
    }
    loop.add(signals, to: .common)
    ending.end = { [weak engine] in engine?.finish() }
    display.onLost = { [weak self] error in self?.fail(error) }
    engine.output.onError = { [weak self] error in self?.fail(error) }
  }

  /// Feeds the meter with all that the output does.
  func measure(with meter: FPSMeter) {
    engine.output.onTick = { meter.record(tick: $0) }
    engine.output.onIdle = { meter.noteIdle() }
    engine.output.onCommitted = { meter.record(committed: $0) }
    engine.output.onPresented = { meter.record(presented: $0) }
  }

  /// Runs until the engine is finished, a signal comes or the display is lost; then gives the display back as it was.
  func run() {
    engine.run()
    player.invalidate()
    engine.invalidate()
    signals.invalidate()
  }

  /// Throws what ended the run, if it was not the user.
  func requireSuccess() throws {
    if let failure { throw failure }
  }

  private func fail(_ error: any Error) {
    failure = error
    engine.finish()
  }

  private static func localTimeOfDay() -> Double {
    var now = timespec()
    clock_gettime(CLOCK_REALTIME, &now)
    var seconds = now.tv_sec
    var local = tm()
    localtime_r(&seconds, &local)
    return Double(local.tm_hour * 3600 + local.tm_min * 60 + local.tm_sec) + Double(now.tv_nsec) / 1e9
  }
}

/// What the signals do: known only after the engine was made, which must be after the signals are the loop's.
@MainActor
private final class EndSignals {
  var end: (() -> Void)?
}
