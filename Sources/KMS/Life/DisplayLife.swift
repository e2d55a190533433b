import FrameTiming
import LinuxSystem
import Presentation

/// A display's life: whether it shows, what keeps it from showing, and what to do when something changes. A pure value:
/// events go in, actions come out, to be carried out in their order. The actions `probe` and `show` are answered by
/// further events.
///
/// A display shows while its card's device is there, its session has the seat, a screen is plugged in, the application
/// wants it, and the driver takes its commits. It comes back by itself: when an event says that something is there again,
/// and after a pause where no event can. The rules:
/// - A device that is gone, and a screen of another session, are left alone.
/// - A screen that is not as it was set is set anew at once; the second time within 10 s after a pause, as a link that
///   fails each time would be set for ever.
/// - One retry at most is scheduled. Pauses double from 0.1 s, to 1 s while another program has the card, to 5 s otherwise.
/// - Where events come, a connector without a screen and a device that is gone are not asked.
struct DisplayLife: Sendable {
  enum Event: Equatable, Sendable {
    /// The card's device was removed.
    case deviceRemoved
    /// A device has come that may be the card's.
    case deviceAdded
    /// The session that the card was opened through has lost the seat, or has it again.
    case session(isActive: Bool)
    /// The session has ended for good.
    case sessionEnded
    /// The card's connectors have changed.
    case hotplug
    /// The application wants the screen on or off.
    case power(Bool)
    /// The application wants the picture turned another way.
    case turned
    /// The scheduled retry's time has come.
    case retryDue
    /// The answer to `probe`: whether a screen is plugged in, and shows what it would be set to now.
    case probed(isPlugged: Bool, isUpToDate: Bool)
    /// The answer to `show`: the display shows.
    case shown
    /// The answer to `show`, or an error while the display showed.
    case failed(Failure)
  }

  /// Why a display cannot show.
  enum Failure: Hashable, Sendable {
    case noDevice
    case notMaster
    case unplugged
    /// The reason, for people.
    case refused(String)
  }

  enum Action: Equatable, Sendable {
    /// Take no more frames; a clock ticks instead of the screen.
    case stop
    /// Switch the screen off, and free its buffers.
    case switchOff
    /// Close the card, without a call to its driver.
    case closeDevice
    /// Ask the connector, and answer with `probed` or `failed`.
    case probe
    /// Open the card, set up the screen, and answer with `shown` or `failed`.
    case show
    /// Send `retryDue` after this pause; nil for never.
    case retry(after: Nanoseconds?)
    /// Tell the application.
    case tell(DisplayState)
    /// Nothing can bring the display back.
    case end
  }

  private enum Phase: Sendable {
    /// - since: the time when it was last set up.
    case showing(since: MonotonicTime)
    /// `show` is to be answered. - Parameter before: what kept it away before.
    case trying(before: Failure?)
    /// It does not show. - Parameter failure: nil while nothing but the application or the session keeps it away.
    case away(Failure?)
    case ended
  }

  /// The interval of probes while it shows; nil where the kernel sends events, or where no observer needs them.
  let checkInterval: Nanoseconds?
  /// True if events tell of devices and screens that come.
  let hearsEvents: Bool

  /// The state that was last reported to the application.
  private(set) var state = DisplayState.showing
  private var phase: Phase
  private var isSessionActive = true
  private var isPowered = true
  private var isRetryScheduled = false
  /// The number of failures in a row.
  private var failures = 0
  /// The number of times in a row that the screen was set anew and soon was not as it was set.
  private var corrections = 0

  /// A display that shows.
  ///
  /// - Parameters:
  ///   - hearsEvents: whether `deviceAdded` and `hotplug` will come.
  ///   - checkInterval: how often to probe where they do not.
  init(hearsEvents: Bool, checkInterval: Nanoseconds? = nil, at now: MonotonicTime) {
    self.hearsEvents = hearsEvents
    self.checkInterval = hearsEvents ? nil : checkInterval
    phase = .showing(since: now)
  }

  /// The first actions of a display that shows.
  mutating func begin() -> [Action] { schedule(checkInterval) }

  mutating func handle(_ event: Event, at now: MonotonicTime) -> [Action] {
    if case .ended = phase { return [] }
    var actions = react(to: event, at: now)
    // While an attempt is not answered there is nothing to tell.
    if let new = newState, new != state || event == .shown {
      state = new
      actions.append(.tell(new))
    }
    return actions
  }

  private var isShowing: Bool { if case .showing = phase { true } else { false } }
  private var isTrying: Bool { if case .trying = phase { true } else { false } }

  /// The reason why the display is away, or was before the attempt.
  private var failure: Failure? {
    switch phase {
    case .away(let failure), .trying(let failure): failure
    case .showing, .ended: nil
    }
  }

  private var hasDevice: Bool { failure != .noDevice }

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
      let actions = leaveDevice() + schedule(nil) + [.end]
      phase = .ended
      return actions
    case .hotplug:
      if !hasDevice { return [] }
      return isShowing ? [.probe] : tryAnew()
    case .power(let isOn):
      guard isOn != isPowered else { return [] }
      isPowered = isOn
      return isOn ? tryAnew() : leave() + schedule(nil) + switchOffIfAllowed()
    case .turned:
      return isShowing ? leave() + attempt() : []
    case .retryDue:
      guard isRetryScheduled else { return [] }
      isRetryScheduled = false
      return isShowing ? [.probe] : attempt()
    case .probed(let isPlugged, let isUpToDate):
      guard case .showing(let since) = phase else { return [] }
      if !isPlugged { return fail(.unplugged, at: now) }
      return isUpToDate ? schedule(checkInterval) : correct(since: since, at: now)
    case .shown:
      // An attempt that was given up meanwhile.
      guard isTrying else { return isShowing ? [] : [.stop] }
      phase = .showing(since: now)
      return schedule(checkInterval)
    case .failed(let failure):
      return fail(failure, at: now)
    }
  }

  private mutating func fail(_ failure: Failure, at now: MonotonicTime) -> [Action] {
    let (wasShowing, wasTrying) = (isShowing, isTrying)
    // A late error of a display that was left.
    guard wasShowing || wasTrying else { return failure == .noDevice ? leaveDevice() : [] }
    if case .showing(let since) = phase, now - since >= Self.steady { failures = 0 }
    failures += 1
    var actions: [Action] = []
    if failure == .noDevice {
      actions += leaveDevice()
    } else {
      actions += leave()
      phase = .away(failure)
      if failure == .unplugged, wasShowing { actions += switchOffIfAllowed() }
    }
    return actions + schedule(pause(after: failure, ofAttempt: wasTrying))
  }

  private mutating func correct(since: MonotonicTime, at now: MonotonicTime) -> [Action] {
    if now - since >= Self.steady { corrections = 0 }
    let time = corrections == 0 ? now : since + backOff(corrections, Self.longestPause)
    if now < time { return schedule(time - now) }
    corrections += 1
    return leave() + attempt()
  }

  /// The pause before the next attempt; nil to wait for an event.
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
    let actions = schedule(nil)
    guard isSessionActive, isPowered, case .away(let failure) = phase else { return actions }
    phase = .trying(before: failure)
    return actions + [.show]
  }

  private mutating func leave() -> [Action] {
    let actions: [Action] = isShowing ? [.stop] : []
    // An attempt that is still to be answered is given up.
    phase = .away(failure)
    return actions
  }

  private mutating func leaveDevice() -> [Action] {
    let actions = hasDevice ? leave() + [.closeDevice] : leave()
    phase = .away(.noDevice)
    return actions
  }

  private func switchOffIfAllowed() -> [Action] { hasDevice && isSessionActive ? [.switchOff] : [] }

  private mutating func schedule(_ pause: Nanoseconds?) -> [Action] {
    guard pause != nil || isRetryScheduled else { return [] }
    isRetryScheduled = pause != nil
    return [.retry(after: pause)]
  }

  /// The state to report; nil while an attempt to show a picture decides it.
  private var newState: DisplayState? {
    switch phase {
    case .showing: .showing
    case .trying, .ended: nil
    case .away where !isSessionActive: .waiting(.sessionInactive)
    case .away(.noDevice): .waiting(.deviceRemoved)
    case .away where !isPowered: .waiting(.switchedOff)
    case .away(.unplugged): .waiting(.unplugged)
    case .away(.notMaster): .waiting(.taken)
    case .away(.refused(let reason)): .waiting(.refused(reason))
    case .away(nil): nil
    }
  }

  // MARK: Times

  private static let shortestPause = Nanoseconds.milliseconds(100)
  private static let longestPause = Nanoseconds.seconds(5)
  private static let longestPauseForMaster = Nanoseconds.seconds(1)
  /// A display that has shown for this long has not failed at once.
  private static let steady = Nanoseconds.seconds(10)
  /// The number of attempts to open a new device, within 6 s.
  private static let attemptsToOpen = 6
}
