import Glibc

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
  private(set) var lastToken: UInt32
  private var isCRTCOn = false

  /// - Parameter lastToken: the last of another source of the same events, of which one may still come.
  init(after lastToken: UInt32 = 0) { self.lastToken = lastToken }

  mutating func want() -> Action {
    guard state == .idle else { return .none }
    return queue()
  }

  /// Whether an event was queued that has not come.
  var isQueued: Bool {
    if case .queued = state { true } else { false }
  }

  /// Whether no vblank comes any more.
  var isEnded: Bool { state == .ended }

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
