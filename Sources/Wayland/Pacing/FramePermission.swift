import LinuxSystem

/// Tells whether a window may draw: the compositor's frame callbacks are its permission. A pure value.
///
/// A commit asks for a callback, and the next frame may be drawn when that has come. Compositors send none for a window that nobody can
/// see, and some send none for other reasons, or never: so a callback that does not come for a while makes the window hidden, and nothing
/// waits for it. (GNOME suspends a window that is covered, KDE one that is minimised; others do not suspend any.)
struct FramePermission: Hashable, Sendable {
  enum Event: Hashable, Sendable {
    /// The compositor has told the window's size: it may draw, whatever callback is still to come.
    case configured
    /// A frame was committed, and asks for a callback.
    case committed
    case callback
    case suspended(Bool)
    /// The time of `deadline` may have come.
    case alarm
    /// The surface is gone, or the connection.
    case ended
  }

  /// The change of what the window shows; nil for none.
  enum Change: Hashable, Sendable {
    case hidden
    case shown
  }

  private enum State: Hashable, Sendable {
    /// No size is known yet.
    case unmapped
    case granted
    /// A callback was asked for and has not come.
    case asked(since: MonotonicTime)
    /// It did not come in time.
    case withheld
    case ended
  }

  private var state = State.unmapped
  private var isSuspended = false

  /// True while nobody can see the window, as far as is known.
  var isHidden: Bool {
    switch state {
    case .unmapped, .withheld, .ended: true
    case .granted, .asked: isSuspended
    }
  }

  /// True if a frame may be drawn now.
  var mayDraw: Bool { state == .granted && !isSuspended }

  /// How long a callback may take before the window counts as hidden.
  static func limit(interval: Nanoseconds) -> Nanoseconds { max(interval * 3, .milliseconds(100)) }

  /// When to look for a callback that does not come; nil for never.
  func deadline(interval: Nanoseconds) -> MonotonicTime? {
    guard case .asked(let since) = state, !isSuspended else { return nil }
    return since + Self.limit(interval: interval)
  }

  mutating func handle(_ event: Event, at now: MonotonicTime, interval: Nanoseconds) -> Change? {
    let wasHidden = isHidden
    switch (event, state) {
    case (_, .ended): return nil
    case (.ended, _): state = .ended
    case (.configured, _): state = .granted
    case (.committed, .unmapped): break
    case (.committed, _): state = .asked(since: now)
    case (.callback, .asked), (.callback, .withheld): state = .granted
    case (.callback, _): break
    case (.suspended(let isNow), _):
      // The frame that the compositor shows next is a new one, if it has its callback or not.
      if isSuspended, !isNow, state != .unmapped { state = .granted }
      isSuspended = isNow
    case (.alarm, .asked):
      if let deadline = deadline(interval: interval), now >= deadline { state = .withheld }
    case (.alarm, _): break
    }
    return isHidden == wasHidden ? nil : isHidden ? .hidden : .shown
  }
}
