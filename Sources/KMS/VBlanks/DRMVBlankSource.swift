public import FrameTiming
import LinuxSystem
public import RunLoops

/// The vblanks of a CRTC as the kernel stamps them: to the nanosecond and with a 64-bit count, or, by a kernel before 4.15, to
/// the microsecond and with 32 bits, which are widened.
///
/// Each request queues one event; nothing is queued while nobody asks. An event that does not come within a second is looked
/// after: it is asked for once more if vblanks go by, and otherwise the display is lost.
@MainActor
public final class DRMVBlankSource: VBlankSource {
  public let name: String
  public let refreshRate: RefreshRate
  public let isVariable: Bool
  // As below: read at each vblank.
  @exclusivity(unchecked) public var onVBlank: (@MainActor (VBlank) -> Void)?
  /// Called once when no vblank can come any more: the CRTC was switched off or the device removed.
  var onError: (@MainActor (SystemError) -> Void)?

  private let interface: any DRMInterface
  private let calls: VBlankCalls
  private let events: DRMEventRoute
  // Touched at each vblank, and nothing is called meanwhile: see the ticker.
  @exclusivity(unchecked) private var request: VBlankRequest
  /// The sequence of the last vblank that was seen.
  @exclusivity(unchecked) private var last: UInt64 = 0
  /// How long an event may take: no mode has intervals of this length.
  private static let limit = Nanoseconds.seconds(1)
  /// Looks after an event that does not come. Set by a request when it is not: what is asked for later is looked after in
  /// its turn, so that a vblank costs a comparison.
  private var watch: FrameLoop.Timer?
  private var isWatching = false
  /// The loop's, once there is one.
  private var clock: SystemClock?
  private var requested = MonotonicTime.zero

  /// - Parameters:
  ///   - events: this source's from now on.
  ///   - predecessor: the one that had `events` before.
  init(
    interface: any DRMInterface, pipe: ScanOutPipe, calls: VBlankCalls, events: DRMEventRoute, isVariable: Bool = false,
    after predecessor: DRMVBlankSource? = nil
  ) {
    request = VBlankRequest(after: predecessor?.request.lastToken ?? 0)
    self.isVariable = isVariable
    self.interface = interface
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
    watch = .parked { [weak self] in self?.look() }
  }

  public func requestVBlank() { perform(request.want()) }

  public func newestVBlank() -> VBlank? {
    if request.isEnded { return nil }
    // Fails when the CRTC is off or the device gone; whether the display is lost is found by the next request.
    return try? calls.newest(on: interface, near: last)
  }

  /// A mode was set: the CRTC is on.
  func crtcDidTurnOn() { perform(request.crtcDidTurnOn()) }

  public func add(to loop: FrameLoop, mode: FrameLoop.Mode) {
    clock = loop.clock
    events.add(.vblanks, to: loop, mode: mode)
    if let watch { loop.add(watch, to: mode) }
  }

  public func remove(from loop: FrameLoop, mode: FrameLoop.Mode) {
    events.remove(.vblanks, from: loop, mode: mode)
    if let watch { loop.remove(watch, from: mode) }
  }

  public func invalidate() {
    request.invalidate()
    watch?.invalidate()
    watch = nil
    onVBlank = nil
    onError = nil
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
      if let clock { requested = clock.now }
      if !isWatching { look(at: requested + Self.limit) }
    } catch {
      fail(error)
    }
  }

  private func fail(_ error: SystemError) {
    if request.fail(errno: error.errno) == .report { onError?(error) }
  }

  // MARK: An event that does not come

  private func look(at time: MonotonicTime) {
    guard let watch, clock != nil else { return }
    isWatching = true
    watch.nextFireTime = time
  }

  private func look() {
    isWatching = false
    guard request.isQueued, let clock else { return }
    if clock.now < requested + Self.limit { return look(at: requested + Self.limit) }
    // After a pause of the whole program it may be among those that are not read yet.
    if events.hasUnread { return look(at: clock.now + FlipTimeout.grace) }
    do throws(SystemError) {
      let newest = try calls.newest(on: interface)
      // No vblank since then: the hardware has none any more.
      if newest.timestamp <= requested { throw calls.silence }
      perform(request.askAgain())
    } catch {
      fail(error)
    }
  }
}
