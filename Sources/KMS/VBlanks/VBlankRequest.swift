import Glibc

/// The event that a vblank source waits for: a pure value.
struct VBlankRequest {
  enum Action: Equatable {
    case none
    /// Queue an event with this token.
    case queue(UInt32)
    /// Report that no vblank will come.
    case report
  }

  private enum State: Equatable {
    case idle
    /// An event with this token was queued.
    case queued(UInt32)
    /// A vblank is wanted, but nothing can be queued before a mode is set.
    case waitingForCRTC
    /// No vblank comes any more.
    case ended
  }

  private var state = State.idle
  private var lastToken: UInt32 = 0
  private var isCRTCOn = false

  mutating func want() -> Action {
    guard state == .idle else { return .none }
    return queue()
  }

  /// True if an event was queued that has not come.
  var isQueued: Bool {
    if case .queued = state { true } else { false }
  }

  /// True if no vblank comes any more.
  var isEnded: Bool { state == .ended }

  /// The queued event is lost. Should it come after all, it is ignored.
  mutating func askAgain() -> Action { isQueued ? queue() : .none }

  /// True if the event is the awaited one, and not one of an earlier request.
  mutating func receive(_ token: UInt32) -> Bool {
    guard state == .queued(token) else { return false }
    state = .idle
    return true
  }

  /// Queueing failed. Before our first mode-set the CRTC may be off (`EINVAL`): then the mode-set is awaited.
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
