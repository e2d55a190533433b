import FrameTiming
import LinuxSystem
import RunLoops

/// The vblanks of a CRTC as the kernel stamps them: to the nanosecond and with a 64-bit count, or, by a kernel before 4.15, to
/// the microsecond and with 32 bits, which are widened.
///
/// Each request queues one event; nothing is queued while nobody asks. When an event does not come within a second, it is
/// requested once more if vblanks go by, and otherwise the display is lost.
@MainActor
final class DRMVBlankSource: VBlankSource {
  let name: String
  let refreshRate: RefreshRate
  let isVariable: Bool
  // Unchecked like `request` below: read at each vblank.
  @exclusivity(unchecked) var onVBlank: (@MainActor (VBlank) -> Void)?
  /// Hears once when no vblank can come any more: the CRTC was switched off or the device removed.
  weak var owner: (any ScreenOwner)?

  private let interface: any DRMInterface
  private let pipe: ScanOutPipe
  let calls: VBlankCalls
  private let events: DRMEventRoute
  // Used at each vblank without a call in between: a check at run time would only take time.
  @exclusivity(unchecked) private var request = VBlankRequest()
  /// The sequence of the last vblank that was seen.
  @exclusivity(unchecked) private var last: UInt64 = 0
  /// Looks after an event that does not come. A request sets it when it is at rest: a later event is looked after in its
  /// turn, so that a vblank costs a comparison.
  private lazy var watch = FrameLoop.Alarm(.onMain { [weak self] in self?.look() })
  private(set) lazy var loopItem: any FrameLoop.Item = FrameLoop.ItemGroup([events.loopItem, watch])
  private let clock: SystemClock
  private var requested = MonotonicTime.zero

  /// - Parameters:
  ///   - events: this source's own.
  ///   - clock: the clock of the loop that the source is added to.
  init(
    interface: any DRMInterface, pipe: ScanOutPipe, calls: VBlankCalls, events: DRMEventRoute, isVariable: Bool = false,
    clock: SystemClock
  ) {
    self.clock = clock
    self.isVariable = isVariable
    self.interface = interface
    self.pipe = pipe
    self.calls = calls
    self.events = events
    refreshRate = pipe.refreshRate
    name = "DRM vblank of \(pipe.connector.name)"
    events.onSequence = { [weak self] token, time, sequence in
      self?.received(token, VBlank(timestamp: time, sequence: sequence))
    }
    events.onVBlank = { [weak self] token, time, sequence in
      guard let self else { return }
      received(token, VBlank(timestamp: time, sequence: UInt64(widening: sequence, near: last)))
    }
  }

  func requestVBlank() { perform(request.want()) }

  func newestVBlank() -> VBlank? {
    if request.isEnded { return nil }
    // Fails when the CRTC is off or the device gone; the next request reports that.
    return try? calls.newest(on: interface, near: last)
  }

  /// A mode was set: the CRTC is on.
  func crtcDidTurnOn() { perform(request.crtcDidTurnOn()) }

  func invalidate() {
    request.invalidate()
    events.invalidate()
    watch.invalidate()
    onVBlank = nil
    owner = nil
  }

  private func received(_ token: UInt32, _ vblank: VBlank) {
    guard request.receive(token) else { return }
    last = vblank.sequence
    onVBlank?(vblank)
  }

  private func perform(_ action: VBlankRequest.Action) {
    guard case .queue(let token) = action else { return }
    do throws(SystemError) {
      try calls.queueNext(on: interface, token: events.token(token))
      requested = clock.now
      if watch.fireTime == nil { watch.fireTime = requested + CommitQueue.limit }
    } catch {
      fail(error)
    }
  }

  private func fail(_ error: SystemError) {
    if request.fail(errno: error.errno) == .report { owner?.screen(reports: .lost(pipe.error(error))) }
  }

  // MARK: An event that does not come

  private func look() {
    guard request.isQueued else { return }
    let due = requested + CommitQueue.limit
    if clock.now < due { return watch.fireTime = due }
    // After a pause of the whole program the event may not be read yet.
    if events.hasUnread { return watch.fireTime = clock.now + CommitQueue.grace }
    do throws(SystemError) {
      // By the count: stamps may be of another clock.
      let newest = try calls.newest(on: interface, near: last).sequence
      // No vblank since the last look or event: the hardware has stopped.
      if newest == last { throw calls.silence }
      last = newest
      perform(request.askAgain())
    } catch {
      fail(error)
    }
  }
}
