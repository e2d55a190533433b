import ArgumentParser
import Framepace
import KMS
import SampleScenes

/// The options for a scene on a display, for every command that runs one.
struct SceneOptions: ParsableArguments {
  @OptionGroup var display: DisplayOptions

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The picture's size where there is no screen, or that of a window: \(Accepted.sizes). (default: \(PixelSize.standard), a file's scene in its own)",
      valueName: "WxH"),
    transform: Accepted.size)
  var size: PixelSize?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "For the scene stress: the time for which every frame is busy, by the clock on the wall, up to 10s; \(Accepted.plainTime). Several, with commas between them, take turns of two seconds. (default: 12ms)",
      valueName: "time"),
    transform: Accepted.list(of: Accepted.time(from: ("0", .zero), to: ("10s", .seconds(10)))))
  var work: [Nanoseconds]?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "For the scene stress: the phase that is busy: \(SceneSettings.WorkPhase.list). (default: callbacks)",
      valueName: "phase"),
    completion: .list(SceneSettings.WorkPhase.allCases.map(\.rawValue)), transform: Accepted.choice)
  var workPhase: SceneSettings.WorkPhase?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Turn the picture clockwise, for a display that is mounted sideways: \(Accepted.rotations). (default: upright, as far as the kernel knows how the panel is mounted)",
      valueName: "degrees"),
    completion: .list(DisplayRotation.allCases.map { "\($0.rawValue)" }), transform: Accepted.rotation)
  var rotate: DisplayRotation?

  @OptionGroup var blending: BlendingOptions

  @Flag(help: "Let the screen wait for frames if driver and screen can (VRR, Adaptive-Sync, FreeSync).")
  var vrr = false

  @Flag(help: "Show frames at once, with tearing in the middle of a refresh, if the driver can.")
  var tearing = false

  func validate(scene: SceneChoice) throws {
    if (work != nil || workPhase != nil) && scene != .sample(.stress) {
      throw ValidationError("--work and --work-phase belong to the scene stress, not to \(scene.name).")
    }
    if display.display == .fallback, let option = screenOptions.first {
      throw ValidationError("\(option) belongs to a screen: use --display kms or auto.")
    }
    if display.display == .wayland, let option = optionsOutsideWindows.first, let reason = Self.reason(inWindow: option) {
      throw ValidationError("\(option) has no effect on a window: \(reason).")
    }
    if size != nil, display.mode != nil || display.isScreen {
      throw ValidationError(
        "--size belongs to the fallback clock: a screen has the size of its mode. Use --mode, or --display auto or fallback."
      )
    }
  }

  /// The given options that have an effect only on a screen.
  var screenOptions: [String] { (vrr ? ["--vrr"] : []) + (tearing ? ["--tearing"] : []) }

  /// The given options that have no effect on a window, whose size is the desktop's to choose, but for a wish.
  var optionsOutsideWindows: [String] {
    screenOptions + (display.rate == nil ? [] : ["--rate"]) + (rotate == nil ? [] : ["--rotate"])
  }

  /// Why an option has no effect on a window, and what to do; nil for one that has.
  static func reason(inWindow option: String) -> String? {
    let console = "use --display kms on a console without a desktop"
    return switch option {
    case "--vrr":
      "the desktop decides whether its screens wait for frames. Switch that on in its settings, or \(console)"
    case "--tearing": "the desktop decides when frames are shown. For tearing, \(console)"
    case "--rotate": "the desktop turns its screens. Turn the screen in its settings, or \(console)"
    case "--rate": "it has the rate of its screen. Change that in the desktop's settings, or use --display fallback"
    default: nil
    }
  }

  /// The given options that have no effect on a screen.
  var clockOptions: [String] {
    (display.rate == nil ? [] : ["--rate"]) + (size == nil ? [] : ["--size"])
  }
}

/// The settings of a run that apply to each of its screens.
struct OutputSettings {
  var policy = FramePolicy.vblank
  var animation = AnimationTime.Policy.presentation
  var interval = FrameInterval.one
  var wantsVariableRefresh = false
  var allowsTearing = false
  /// Nil to leave the picture as the display has it.
  var rotation: DisplayRotation?
  /// The drawings over the frames.
  var overlays: Set<FrameOverlay> = []

  /// - Returns: the features that the screen refuses.
  @MainActor
  func apply(to display: any Display) -> [FeatureRefusal] {
    if let rotation {
      (display as? VirtualDisplay)?.rotation = rotation
      (display as? KMSDisplay)?.rotation = rotation
    }
    guard let screen = display as? KMSDisplay else { return [] }
    screen.wantsVariableRefresh = wantsVariableRefresh
    screen.allowsTearing = allowsTearing
    return [screen.variableRefresh, screen.tearing].compactMap(\.refusal)
  }

  @MainActor
  func apply(to output: Output, of engine: Engine) throws {
    // Those that the environment asks for stay unless the option names others.
    if !overlays.isEmpty { try engine.show(overlays, on: output) }
    output.policy = policy
    output.animationTime = AnimationTime(animation)
    output.automaticInterval = interval == .auto ? AutomaticInterval() : nil
  }
}

/// The number of refresh intervals from frame to frame.
enum FrameInterval: String, CaseIterable, Sendable {
  case one = "1"
  /// More than one while frames take too long.
  case auto
}
