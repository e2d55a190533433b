/// Where a session stands with its seat: a pure value.
public enum SessionState: Sendable, Equatable {
  /// Another session has the seat, or none yet. Devices are open but do nothing: a card is not master, inputs are revoked.
  case inactive
  /// The seat's devices may be used and opened.
  case active
  /// The seat is wanted elsewhere: let go of the devices now. Ends when all observers have been told.
  case disabling
  /// The session was closed, or its seat was lost, for good.
  case gone

  enum Event: Equatable {
    case seat(SeatEvent)
    /// All observers have let go.
    case released
    /// The provider has failed, or the session is closed.
    case ended
  }

  enum Action: Equatable {
    /// Tell the observers of the new state.
    case notify
    /// Tell the provider that the devices are free.
    case acknowledge
  }

  /// What is to be done, in this order.
  mutating func handle(_ event: Event) -> [Action] {
    switch (self, event) {
    case (.gone, _):
      return []
    case (_, .ended):
      self = .gone
      return [.notify]
    // Also if the provider has changed its mind: then it does not wait for an answer.
    case (.inactive, .seat(.enable)), (.disabling, .seat(.enable)):
      self = .active
      return [.notify]
    case (.active, .seat(.disable)):
      self = .disabling
      return [.notify]
    case (.disabling, .released):
      self = .inactive
      return [.acknowledge, .notify]
    // Told twice. An answer that is not waited for is an error in seatd's protocol.
    case (.active, .seat(.enable)), (.inactive, .seat(.disable)), (.disabling, .seat(.disable)),
      (.active, .released), (.inactive, .released):
      return []
    }
  }
}
