import FrameTiming
import Framepace
import KMS

/// The source that `framepace vblank` measures: a screen or a clock.
@MainActor
struct VBlankTarget {
  let source: any VBlankSource
  private let probe: VBlankProbe?

  init(_ options: DisplayOptions, clock: SystemClock) throws {
    func fallback(_ reason: String) -> FallbackClock {
      FallbackClock(refreshRate: options.rate ?? .hertz60, reason: reason, clock: clock)
    }
    let connector: String? = if case .kms(let name) = options.display { name } else { nil }
    do throws(KMSError) {
      let probe =
        options.display == .fallback ? nil : try VBlankProbe.open(connector: connector, mode: options.mode, clock: clock)
      (self.probe, source) = (probe, probe?.source ?? fallback("asked for"))
    } catch {
      // A mode can only mean a screen.
      guard options.display == .auto, options.mode == nil else { throw error }
      (probe, source) = (nil, fallback(error.description))
    }
    isRateUnused = probe != nil && options.rate != nil
  }

  /// The connector, mode and driver; nil without a screen.
  var display: String? { probe?.name }
  /// True if `--rate` was given but a screen is measured, which has its own rate.
  let isRateUnused: Bool
  /// True if the stamps are computed by a clock.
  var isFallback: Bool { source is FallbackClock }

  func onLost(_ body: @escaping @MainActor (any Error) -> Void) { probe?.onLost = body }

  func invalidate() {
    source.invalidate()
    probe?.invalidate()
  }
}
