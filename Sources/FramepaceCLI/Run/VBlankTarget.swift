import FrameTiming
import Framepace
import KMS
import Wayland

/// The source that `framepace vblank` measures: a screen, a window or a clock.
@MainActor
struct VBlankTarget {
  let source: any VBlankSource
  private let probe: Probe?

  private enum Probe {
    case screen(VBlankProbe)
    case window(WindowProbe)
  }

  init(_ options: DisplayOptions, clock: SystemClock) throws {
    func fallback(_ reason: String) -> FallbackClock {
      FallbackClock(refreshRate: options.rate ?? .hertz60, reason: reason, clock: clock)
    }
    if options.display == .wayland {
      let window = try WindowProbe.open(clock: clock)
      (probe, source, isRateUnused) = (.window(window), window, false)
      return
    }
    let connector: String? = if case .kms(let name) = options.display { name } else { nil }
    do throws(KMSError) {
      let probe =
        options.display == .fallback ? nil : try VBlankProbe.open(connector: connector, mode: options.mode, clock: clock)
      self.probe = probe.map { .screen($0) }
      source = probe?.source ?? fallback("asked for")
    } catch {
      // A mode can only mean a screen.
      guard options.display == .auto, options.mode == nil else { throw error }
      let hint = WaylandConnection.isNamedByEnvironment ? "; --display wayland measures what the desktop tells" : ""
      (probe, source) = (nil, fallback(error.description + hint))
    }
    isRateUnused = probe != nil && options.rate != nil
  }

  /// The connector, mode and driver, or the window; nil without any.
  var display: String? {
    switch probe {
    case .screen(let probe): probe.name
    case .window(let probe): probe.displayName
    case nil: nil
    }
  }
  /// True if `--rate` was given but a screen is measured, which has its own rate.
  let isRateUnused: Bool
  /// True if the stamps are computed by a clock.
  var isFallback: Bool { source is FallbackClock }

  func onLost(_ body: @escaping @MainActor (any Error) -> Void) {
    switch probe {
    case .screen(let probe): probe.onLost = body
    case .window(let probe): probe.onLost = body
    case nil: break
    }
  }

  func invalidate() {
    source.invalidate()
    if case .screen(let probe) = probe { probe.invalidate() }
  }
}
