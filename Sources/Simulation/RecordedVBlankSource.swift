public import FrameTiming
public import LinuxSystem
public import RunLoops

/// A source of vblanks that were recorded: a display as it was, faults and all.
///
/// Each request is answered by the next vblank of the recording, when it arrived. None is left out, also if the request comes later
/// than the arrival.
///
///     let source = RecordedVBlankSource(recording, clock: loop.clock)
///     let ticker = DisplayTicker(source: source)
@MainActor
public final class RecordedVBlankSource: VBlankSource {
  public let name: String
  public let refreshRate: RefreshRate
  public var onVBlank: (@MainActor (VBlank) -> Void)?
  /// Called when a vblank is requested and none is left.
  public var onEnd: (@MainActor () -> Void)?

  private let vblanks: [VBlank]
  private let deliveries: [MonotonicTime]
  private let clock: SystemClock
  private lazy var alarm = FrameLoop.Alarm(.onMain { [weak self] in self?.fire() })
  private var next = 0
  private var isRequested = false

  /// - Parameter clock: the clock of the loop that the source is added to. It should be manual, and not be later than the first
  ///   arrival.
  public init(_ recording: VBlankRecording, clock: SystemClock) {
    name = "recording of \(recording.displayName)"
    refreshRate = recording.refreshRate
    vblanks = recording.vblanks
    deliveries = recording.deliveries
    self.clock = clock
  }

  public func requestVBlank() {
    guard !isRequested else { return }
    guard next < vblanks.count else { return onEnd?() ?? () }
    isRequested = true
    alarm.fireTime = max(deliveries[next], clock.now)
  }

  public var loopItem: any FrameLoop.Item { alarm }

  public func invalidate() {
    alarm.invalidate()
    isRequested = false
    (onVBlank, onEnd) = (nil, nil)
  }

  private func fire() {
    isRequested = false
    next += 1
    onVBlank?(vblanks[next - 1])
  }
}
