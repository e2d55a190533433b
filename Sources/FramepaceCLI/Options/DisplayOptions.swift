import ArgumentParser
import Framepace
import KMS

/// The user's choice of a display for the frames.
enum DisplayChoice: Equatable {
  /// A window if there is a desktop, otherwise a screen if one can be used, otherwise the fallback clock.
  case auto
  /// A window on a desktop.
  case wayland
  /// The fallback clock, without a screen.
  case fallback
  /// The screen of the named connector, or of the first that is connected.
  case kms(connector: String?)
}

/// The options that choose a display, for every command that uses one.
struct DisplayOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      """
      A window on a desktop (wayland), a screen (kms, or kms:CONNECTOR such as kms:HDMI-A-1), a clock that stands in for \
      one (fallback), or the first of these that can be used (auto). (default: auto)
      """, valueName: "display"),
    completion: .custom { _, _, _ in ConnectedScreens.displays() }, transform: Accepted.display)
  var display = DisplayChoice.auto

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The screen's mode: \(Accepted.modes). With it, auto stands for kms. (default: the one that the screen prefers)",
      valueName: "WxH@Hz"),
    completion: .custom { _, _, _ in ConnectedScreens.modes() }, transform: Accepted.mode)
  var mode: ModeRequest?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The fallback clock's rate: \(Accepted.rates). (default: 60)", valueName: "Hz"),
    transform: Accepted.rate)
  var rate: RefreshRate?

  /// True if the user accepts nothing but a screen.
  var isScreen: Bool { if case .kms = display { true } else { false } }

  func validate() throws {
    if mode != nil, display == .fallback {
      throw ValidationError("--mode belongs to a screen: use --display kms, or --rate for the fallback clock.")
    }
    if mode != nil, display == .wayland {
      throw ValidationError("--mode belongs to a screen, and those of a desktop are the desktop's: use --display kms.")
    }
    if rate != nil, isScreen {
      throw ValidationError(
        "--rate belongs to the fallback clock: a screen has the rate of its mode. Use --mode, or --display auto or fallback."
      )
    }
    if rate != nil, display == .wayland {
      throw ValidationError(
        "--rate belongs to the fallback clock: a window has the rate of its screen. Use --display auto or fallback.")
    }
    if rate != nil, mode != nil {
      throw ValidationError("--rate belongs to the fallback clock and --mode to a screen: use one of them.")
    }
  }
}
