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
    switch options.display {
    case .fallback: (probe, source) = (nil, fallback("asked for"))
    case .kms(let connector):
      let probe = try VBlankProbe.open(connector: connector, mode: options.mode, clock: clock)
      (self.probe, source) = (probe, probe.source)
    // A mode can only mean a screen.
    case .auto where options.mode != nil:
      let probe = try VBlankProbe.open(mode: options.mode, clock: clock)
      (self.probe, source) = (probe, probe.source)
    case .auto:
      do throws(KMSError) {
        let probe = try VBlankProbe.open(clock: clock)
        (self.probe, source) = (probe, probe.source)
      } catch {
        (probe, source) = (nil, fallback(error.description))
      }
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
