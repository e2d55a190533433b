/// The state of a session with its seat.
///
/// A pure value: `handle` returns the actions that a `SeatSession` performs.
public enum SessionState: Sendable, Equatable {
  /// Another session has the seat, or no event came yet. Devices stay open but do nothing: a card is not DRM master, input
  /// devices are revoked.
  case inactive
  /// The seat's devices may be opened and used.
  case active
  /// Another session wants the seat: stop using the devices now. The state ends when all observers were called.
  case disabling
  /// The session was closed, or its seat was lost. This state is final.
  case gone

  enum Event: Equatable {
    case seat(SeatEvent)
    /// All observers have stopped using the devices.
    case released
    /// The provider has failed, or the session was closed.
    case ended
  }

  enum Action: Equatable {
    /// Call the observers with the new state.
    case notify
    /// Tell the provider that the devices are free.
    case acknowledge
  }

  /// Returns the actions to perform, in order.
  mutating func handle(_ event: Event) -> [Action] {
    switch (self, event) {
    case (.gone, _):
      return []
    case (_, .ended):
      self = .gone
      return [.notify]
    // The provider may change its mind while the session is disabling; it expects no answer then.
    case (.inactive, .seat(.enable)), (.disabling, .seat(.enable)):
      self = .active
      return [.notify]
    case (.active, .seat(.disable)):
      self = .disabling
      return [.notify]
    case (.disabling, .released):
      self = .inactive
      return [.acknowledge, .notify]
    // A repeated event. seatd's protocol treats an unexpected answer as an error.
    case (.active, .seat(.enable)), (.inactive, .seat(.disable)), (.disabling, .seat(.disable)),
      (.active, .released), (.inactive, .released):
      return []
    }
  }
}
