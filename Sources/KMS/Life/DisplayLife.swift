import FrameTiming
import LinuxSystem
import Presentation

/// What a display has of all that it takes to be seen, and what is to be done when that changes. A pure value.
///
/// A display is seen while its card's device is there, its session has the seat, a screen is plugged in, the application
/// wants it, and the driver does as it is told. What happens comes as events; the answer is actions, to be carried out in
/// their order, and two of them are answered by further events. It comes back by itself: when an event says that something
/// is there again, and where none can say so after a pause. The rules:
/// - A device that is gone, and a screen of another session, are left alone.
/// - A screen that is not as it was set is set anew at once, and soon after that only after a pause: a link that fails each time
///   would be set for ever.
/// - At most one retry is due. Pauses double from 0.1 s, to 1 s while another program has the card, to 5 s otherwise.
/// - Where events tell, a socket without a screen and a device that is gone are not asked about.
struct DisplayLife: Sendable {
  enum Event: Equatable, Sendable {
    /// The card's device is no more.
    case deviceRemoved
    /// A device has come that may be the card's.
    case deviceAdded
    /// Whether the session that the card was opened through has the seat.
    case session(isActive: Bool)
    /// The session is over, for good.
    case sessionEnded
    /// Something about the card's connectors is new.
    case hotplug
    /// What the application wants.
    case power(Bool)
    /// The retry's time has come.
    case retryDue
    /// The answer to `probe`: whether a screen is plugged in, and is shown what it would be shown now.
    case probed(isPlugged: Bool, isUpToDate: Bool)
    /// The answer to `show`: the display shows.
    case shown
    /// The answer to `show`, or what came up while the display showed.
    case failed(Failure)
  }

  /// Why a display cannot be shown on.
  enum Failure: Hashable, Sendable {
    case noDevice
    case notMaster
    case unplugged
    /// The reason, for people.
    case refused(String)
  }

  enum Action: Equatable, Sendable {
    /// Take no frames any more; a clock ticks instead of the screen.
    case stop
    /// Switch the screen off, and let go of its buffers.
    case switchOff
    /// Close the card, without asking it for anything.
    case closeDevice
    /// Ask the connector, and answer.
    case probe
    /// Do all that it takes to show, from the card's opening on, and answer.
    case show
    /// Let `retryDue` come so much later; nil for never.
    case retry(after: Nanoseconds?)
    case tell(DisplayState)
    /// Nothing can bring the display back.
    case end
  }

  /// How often a showing display is asked whether it is still plugged in; nil where events tell, or nobody wants to know.
  let checkInterval: Nanoseconds?
  /// Whether events tell of devices and screens that come.
  let hearsEvents: Bool

  private(set) var state = DisplayState.showing
  private var hasDevice = true
  private var isSessionActive = true
  private var isPlugged = true
  private var isPowered = true
  private var isEnded = false
  private var isShowing = true
  /// What the driver's or another program's last no was.
  private var failure: Failure?
  /// Failures in a row.
  private var failures = 0
  /// How often in a row the screen was set anew, and soon was not as it was set.
  private var corrections = 0
  private var showingSince: MonotonicTime
  private var isAwaitingAnswer = false
  private var isRetryPending = false

  /// A display that shows.
  ///
  /// - Parameters:
  ///   - hearsEvents: whether `deviceAdded` and `hotplug` will come.
  ///   - checkInterval: how often to ask where they do not.
  init(hearsEvents: Bool, checkInterval: Nanoseconds? = nil, at now: MonotonicTime) {
    self.hearsEvents = hearsEvents
    self.checkInterval = hearsEvents ? nil : checkInterval
    showingSince = now
  }

  /// The first actions of a display that shows.
  mutating func begin() -> [Action] { schedule(checkInterval) }

  mutating func handle(_ event: Event, at now: MonotonicTime) -> [Action] {
    if isEnded { return [] }
    var actions = react(to: event, at: now)
    // What an attempt comes to is known after it.
    if !isAwaitingAnswer, let new = isEnded ? nil : newState, new != state || event == .shown {
      state = new
      actions.append(.tell(new))
    }
    return actions
  }

  private mutating func react(to event: Event, at now: MonotonicTime) -> [Action] {
    switch event {
    case .deviceRemoved:
      return leaveDevice() + schedule(hearsEvents ? nil : Self.longestPause)
    case .deviceAdded:
      return hasDevice ? [] : tryAnew()
    case .session(let isActive):
      guard isActive != isSessionActive else { return [] }
      isSessionActive = isActive
      return isActive ? tryAnew() : leave() + schedule(nil)
    case .sessionEnded:
      defer { isEnded = true }
      return leaveDevice() + schedule(nil) + [.end]
    case .hotplug:
      if !hasDevice { return [] }
      return isShowing ? [.probe] : tryAnew()
    case .power(let isOn):
      guard isOn != isPowered else { return [] }
      isPowered = isOn
      return isOn ? tryAnew() : leave() + schedule(nil) + switchOffIfAllowed()
    case .retryDue:
      guard isRetryPending else { return [] }
      isRetryPending = false
      return isShowing ? [.probe] : attempt()
    case .probed(let isPlugged, let isUpToDate):
      guard isShowing else { return [] }
      if !isPlugged { return fail(.unplugged, at: now) }
      return isUpToDate ? schedule(checkInterval) : correct(at: now)
    case .shown:
      // One that was given up meanwhile.
      guard isAwaitingAnswer else { return isShowing ? [] : [.stop] }
      isAwaitingAnswer = false
      (hasDevice, isPlugged, isShowing, failure, showingSince) = (true, true, true, nil, now)
      return schedule(checkInterval)
    case .failed(let failure):
      return fail(failure, at: now)
    }
  }

  private mutating func fail(_ failure: Failure, at now: MonotonicTime) -> [Action] {
    let wasAttempt = isAwaitingAnswer
    isAwaitingAnswer = false
    // What a display that was left has still to say.
    guard wasAttempt || isShowing else { return failure == .noDevice && hasDevice ? leaveDevice() : [] }
    if isShowing, now - showingSince >= Self.steady { failures = 0 }
    failures += 1
    var actions: [Action] = []
    switch failure {
    case .noDevice:
      actions += leaveDevice()
    case .unplugged:
      (hasDevice, isPlugged, self.failure) = (true, false, nil)
      let wasShowing = isShowing
      actions += leave()
      if wasShowing { actions += switchOffIfAllowed() }
    case .notMaster, .refused:
      (hasDevice, isPlugged, self.failure) = (true, true, failure)
      actions += leave()
    }
    return actions + schedule(pause(after: failure, ofAttempt: wasAttempt))
  }

  private mutating func correct(at now: MonotonicTime) -> [Action] {
    if now - showingSince >= Self.steady { corrections = 0 }
    let time = corrections == 0 ? now : showingSince + backOff(corrections, Self.longestPause)
    if now < time { return schedule(time - now) }
    corrections += 1
    return leave() + attempt()
  }

  /// How long to wait before the next attempt; nil for as long as no event says that there is a reason to.
  private func pause(after failure: Failure, ofAttempt wasAttempt: Bool) -> Nanoseconds? {
    switch failure {
    case .notMaster: return backOff(Self.longestPauseForMaster)
    case .refused: return backOff(Self.longestPause)
    case .unplugged: return hearsEvents ? nil : backOff(Self.longestPause)
    case .noDevice:
      // The event that a device has come may come before its node has its rights.
      if !hearsEvents { return Self.longestPause }
      return !wasAttempt || failures > Self.attemptsToOpen ? nil : backOff(Self.longestPause)
    }
  }

  private func backOff(_ longest: Nanoseconds) -> Nanoseconds { backOff(failures, longest) }

  private func backOff(_ count: Int, _ longest: Nanoseconds) -> Nanoseconds {
    min(Self.shortestPause * Int64(1 << min(count - 1, 10)), longest)
  }

  // MARK: Steps

  /// Something is there that was not: earlier failures do not count.
  private mutating func tryAnew() -> [Action] {
    failures = 0
    return attempt()
  }

  private mutating func attempt() -> [Action] {
    guard isSessionActive, isPowered, !isShowing, !isAwaitingAnswer else { return schedule(nil) }
    let actions = schedule(nil)
    isAwaitingAnswer = true
    return actions + [.show]
  }

  private mutating func leave() -> [Action] {
    // An attempt whose answer is still to come is given up.
    isAwaitingAnswer = false
    guard isShowing else { return [] }
    isShowing = false
    return [.stop]
  }

  private mutating func leaveDevice() -> [Action] {
    let actions = leave()
    guard hasDevice else { return actions }
    hasDevice = false
    failure = nil
    return actions + [.closeDevice]
  }

  private func switchOffIfAllowed() -> [Action] { hasDevice && isSessionActive ? [.switchOff] : [] }

  /// Sets the one retry.
  private mutating func schedule(_ pause: Nanoseconds?) -> [Action] {
    guard pause != nil || isRetryPending else { return [] }
    isRetryPending = pause != nil
    return [.retry(after: pause)]
  }

  /// What can be said of the display; nil while that is to be found out.
  private var newState: DisplayState? {
    if isShowing { return .showing }
    if !isSessionActive { return .waiting(.sessionInactive) }
    if !hasDevice { return .waiting(.deviceRemoved) }
    if !isPowered { return .waiting(.switchedOff) }
    if !isPlugged { return .waiting(.unplugged) }
    switch failure {
    case .notMaster: return .waiting(.taken)
    case .refused(let reason): return .waiting(.refused(reason))
    case .noDevice, .unplugged, nil: return nil
    }
  }

  // MARK: Times

  private static let shortestPause = Nanoseconds.milliseconds(100)
  private static let longestPause = Nanoseconds.seconds(5)
  private static let longestPauseForMaster = Nanoseconds.seconds(1)
  /// What has shown for so long has not failed at once.
  private static let steady = Nanoseconds.seconds(10)
  /// How often a device that has come is tried to be opened, over 6 s.
  private static let attemptsToOpen = 6
}
