import Testing

@testable import Seats

struct SessionStateTests {
  /// Every state with every event: the provider is answered exactly once for each request to give the seat up.
  @Test func everyEventInEveryState() {
    typealias Step = (state: SessionState, actions: [SessionState.Action])
    let table: [(state: SessionState, enable: Step, disable: Step, released: Step, ended: Step)] = [
      (.inactive, (.active, [.notify]), (.inactive, []), (.inactive, []), (.gone, [.notify])),
      (.active, (.active, []), (.disabling, [.notify]), (.active, []), (.gone, [.notify])),
      (.disabling, (.active, [.notify]), (.disabling, []), (.inactive, [.acknowledge, .notify]), (.gone, [.notify])),
      (.gone, (.gone, []), (.gone, []), (.gone, []), (.gone, [])),
    ]
    for row in table {
      let events: [(SessionState.Event, Step)] = [
        (.seat(.enable), row.enable), (.seat(.disable), row.disable), (.released, row.released), (.ended, row.ended),
      ]
      for (event, expected) in events {
        var state = row.state
        let actions = state.handle(event)
        #expect(state == expected.state && actions == expected.actions, "\(row.state), \(event)")
      }
    }
  }
}
