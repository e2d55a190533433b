public import FrameTiming
import Glibc
import LinuxSystem
public import RunLoops

/// The vblanks of a CRTC as the kernel stamps them, to the nanosecond and with a 64-bit count.
///
/// Each request queues one event; nothing is queued while nobody asks. An event that does not come within a second is looked
/// after: it is asked for once more if vblanks go by, and otherwise the display is lost.
@MainActor
public final class DRMVBlankSource: VBlankSource {
  public let name: String
  public let refreshRate: RefreshRate
  public var onVBlank: (@MainActor (VBlank) -> Void)?
  /// Called once when no vblank can come any more: the CRTC was switched off or the device removed.
  var onError: ((SystemError) -> Void)?

  private let interface: any DRMInterface
  private let crtc: UInt32
  private let events: DRMEventRoute
  private var request = VBlankRequest()
  /// How long an event may take: no mode has intervals of this length.
  private static let limit = Nanoseconds.seconds(1)
  /// Looks after an event that does not come. Set by a request when it is not: what is asked for later is looked after in
  /// its turn, so that a vblank costs a comparison.
  private var watch: FrameLoop.Timer?
  private var isWatching = false
  /// The loop's, once there is one.
  private var clock: SystemClock?
  private var requested = MonotonicTime.zero

  init(interface: any DRMInterface, pipe: ScanOutPipe, events: DRMEventRoute) {
    self.interface = interface
    self.events = events
    crtc = pipe.crtc
    refreshRate = pipe.refreshRate
    name = "DRM vblank of \(pipe.connector.name)"
    events.onSequence = { [weak self] token, time, sequence in
      self?.received(token, VBlank(timestamp: time, sequence: sequence))
    }
    watch = .parked { [weak self] in self?.look() }
  }

  /// Whether the driver has vblanks for a CRTC. Asked by calling: drivers without report the capabilities all the same.
  ///
  /// - Throws: what is neither an answer nor a CRTC that is off.
  static func isSupported(by interface: any DRMInterface, crtc: UInt32) throws(SystemError) -> Bool {
    do throws(SystemError) {
      _ = try interface.sequence(ofCRTC: crtc)
      return true
    } catch {
      switch error.errno {
      case EOPNOTSUPP, ENOTTY, ENOSYS: return false
      case EINVAL: return true
      default: throw error
      }
    }
  }

  public func requestVBlank() { perform(request.want()) }

  public func newestVBlank() -> VBlank? {
    // Fails when the CRTC is off or the device gone; whether the display is lost is found by the next request.
    guard let newest = try? interface.sequence(ofCRTC: crtc) else { return nil }
    return VBlank(timestamp: newest.time, sequence: newest.sequence)
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
    if request.receive(token) { onVBlank?(vblank) }
  }

  private func perform(_ action: VBlankRequest.Action) {
    guard case .queue(let token) = action else { return }
    do throws(SystemError) {
      try interface.queueNextSequence(ofCRTC: crtc, token: events.token(token))
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
      let newest = try interface.sequence(ofCRTC: crtc)
      // No vblank since then: the hardware has none any more.
      if newest.time <= requested { throw SystemError(call: "drmCrtcQueueSequence", subject: "CRTC \(crtc)", errno: ETIME) }
      perform(request.askAgain())
    } catch {
      fail(error)
    }
  }
}

/// What a vblank source waits for: a pure value.
struct VBlankRequest {
  enum Action: Equatable {
    case none
    /// Queue an event with this token.
    case queue(UInt32)
    /// Tell that no vblank will come.
    case report
  }

  private enum State: Equatable {
    case idle
    /// An event with this token was queued.
    case queued(UInt32)
    /// Wanted, but nothing can be queued before a mode is set.
    case waitingForCRTC
    /// Nothing comes any more.
    case ended
  }

  private var state = State.idle
  private var lastToken: UInt32 = 0
  private var isCRTCOn = false

  mutating func want() -> Action {
    guard state == .idle else { return .none }
    return queue()
  }

  /// Whether an event was queued that has not come.
  var isQueued: Bool {
    if case .queued = state { true } else { false }
  }

  /// The event that was queued is lost; should it come after all, it is not the one that is waited for.
  mutating func askAgain() -> Action { isQueued ? queue() : .none }

  /// Whether the event is the one that is waited for, and not one of an earlier request.
  mutating func receive(_ token: UInt32) -> Bool {
    guard state == .queued(token) else { return false }
    state = .idle
    return true
  }

  /// Queueing failed. Before our first mode-set the CRTC may be off (`EINVAL`): then there is something to wait for.
  mutating func fail(errno: Int32) -> Action {
    guard case .queued = state else { return .none }
    if errno == EINVAL, !isCRTCOn {
      state = .waitingForCRTC
      return .none
    }
    state = .ended
    return .report
  }

  mutating func crtcDidTurnOn() -> Action {
    isCRTCOn = true
    return state == .waitingForCRTC ? queue() : .none
  }

  mutating func invalidate() { state = .ended }

  private mutating func queue() -> Action {
    lastToken &+= 1
    state = .queued(lastToken)
    return .queue(lastToken)
  }
}
