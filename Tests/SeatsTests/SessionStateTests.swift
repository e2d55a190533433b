import Testing

@testable import Seats

struct SessionStateTests {
  /// Plays events on a new session, and returns its state and actions.
  private func play(_ events: SessionState.Event...) -> (state: SessionState, actions: [SessionState.Action]) {
    var state = SessionState.inactive
    var actions: [SessionState.Action] = []
    for event in events { actions += state.handle(event) }
    return (state, actions)
  }

  @Test func `a switch away and back is acknowledged once, after the release`() {
    let left = play(.seat(.enable), .seat(.disable))
    #expect(left.state == .disabling)
    #expect(left.actions == [.notify, .notify])
    let away = play(.seat(.enable), .seat(.disable), .released)
    #expect(away.state == .inactive)
    #expect(away.actions == [.notify, .notify, .acknowledge, .notify])
    let back = play(.seat(.enable), .seat(.disable), .released, .seat(.enable))
    #expect(back.state == .active)
    #expect(back.actions.count == 5)
  }

  @Test func `what is told twice is done once`() {
    #expect(play(.seat(.enable), .seat(.enable)).actions == [.notify])
    #expect(play(.seat(.enable), .seat(.disable), .seat(.disable)).actions == [.notify, .notify])
    #expect(
      play(.seat(.enable), .seat(.disable), .released, .seat(.disable), .released).actions.filter { $0 == .acknowledge }
        .count == 1)
  }

  @Test func `a disable that was never owed is not acknowledged`() {
    #expect(play(.seat(.disable), .released).actions.isEmpty)
    #expect(play(.seat(.enable), .released).actions == [.notify])
    #expect(play(.seat(.enable), .seat(.disable), .seat(.enable), .released) == (.active, [.notify, .notify, .notify]))
  }

  @Test func `the end is the end`() {
    for events in [[], [.seat(.enable)], [.seat(.enable), .seat(.disable)]] as [[SessionState.Event]] {
      var state = SessionState.inactive
      for event in events { _ = state.handle(event) }
      #expect(state.handle(.ended) == [.notify])
      for event in [.seat(.enable), .seat(.disable), .released, .ended] as [SessionState.Event] {
        #expect(state.handle(event).isEmpty)
        #expect(state == .gone)
      }
    }
  }
}
