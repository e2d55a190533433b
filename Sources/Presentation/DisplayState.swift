/// The state of a display: it shows what it is given, or waits for the reason that it does not to go.
public enum DisplayState: Hashable, Sendable {
  case showing
  /// Nothing can be seen for now, and nothing need be done: the display comes back by itself when the reason is gone.
  ///
  /// Its ticker goes on, on a clock at the last rate: an application that rather rests until then pauses its links. Layers
  /// keep their state, and animations end in time. An output without animations asks for no ticks.
  case waiting(Absence)

  /// The reason why a display shows nothing.
  public enum Absence: Hashable, Sendable {
    /// Nobody can see it: a window that is covered or put away. Its ticker runs at one tick a second meanwhile.
    case hidden
    /// No screen is plugged in.
    case unplugged
    /// The application has switched it off.
    case switchedOff
    /// Another session, such as a desktop on another console, has the seat.
    case sessionInactive
    /// Another program is master of the card.
    case taken
    /// The device that drives it was removed.
    case deviceRemoved
    /// The driver does not show pictures on it; the reason, for people.
    case refused(String)
  }
}

extension DisplayState.Absence: CustomStringConvertible {
  /// The rest of a sentence that begins with the display's name.
  public var description: String {
    switch self {
    case .hidden: "is hidden"
    case .unplugged: "is unplugged"
    case .switchedOff: "is switched off"
    case .sessionInactive: "belongs to another session now"
    case .taken: "is in use by another program"
    case .deviceRemoved: "is gone with its device"
    case .refused(let reason): "shows nothing: \(reason)"
    }
  }
}
