import Geometry
import Input
import LinuxSystem
import Testing

@testable import Interaction

@Suite struct InputQueueTests {
  /// Whatever comes: each contact's samples come out once and in their order, an event is that of its last sample, and the order of all
  /// events but movements is the one in which they came.
  @Test(arguments: 0..<100) func nothingIsLost(seed: UInt64) {
    var devices = RandomDevices(seed: seed)
    var tracker = ContactTracker(screens: ContactTrackerTests.screens)
    var queue = InputQueue()
    var random = SplitMix64(seed: seed)
    for _ in 0..<60 {
      var sent: [ScreenEvent] = []
      for _ in 0..<Int.random(in: 1...40, using: &random) {
        tracker.handle(devices.next()) { event in
          sent.append(event)
          queue.append(event)
        }
      }
      var got: [ScreenEvent] = []
      var samples: [ContactSample] = []
      var histories: [[ContactSample]] = []
      var times: [MonotonicTime] = []
      queue.forEach { event, history, since in
        got.append(event)
        times.append(since)
        let own = Array(history)
        samples += own
        histories.append(own)
        guard case .contact(let contact, _, _) = event.action else { return #expect(own.isEmpty) }
        #expect(own.first?.contact.time == since, "seed \(seed)")
        #expect(own.last?.contact == contact, "seed \(seed)")
        #expect(own.count == 1 || contact.phase == .moved, "seed \(seed)")
      }
      queue.removeAll()
      #expect(queue.isEmpty)
      #expect(times.first == sent.first?.time)
      // The first one's time counts of events that are put together.
      var rest = sent[...]
      for time in times where rest.first?.time != time { rest = rest.drop { $0.time != time } }
      #expect(got.isEmpty || !rest.isEmpty, "seed \(seed)")
      #expect(Dictionary(grouping: samples, by: \.contact.id) == Dictionary(grouping: contacts(of: sent), by: \.contact.id))
      #expect(got.filter(isBarrier) == sent.filter(isBarrier), "seed \(seed)")
      // Movements stay between the same two of those, where a contact has one event.
      #expect(moves(in: got, histories) == moves(in: sent, nil), "seed \(seed)")
      for part in got.split(whereSeparator: isBarrier) {
        let ids = part.compactMap { if case .contact(let contact, _, _) = $0.action { contact.id } else { nil } }
        #expect(ids.count == Set(ids).count, "seed \(seed)")
      }
      #expect(abs(sum(of: got) - sum(of: sent)) < 1e-9, "seed \(seed)")
    }
  }

  private func contacts(of events: [ScreenEvent]) -> [ContactSample] {
    events.compactMap { event in
      guard case .contact(let contact, _, let pressure) = event.action else { return nil }
      return ContactSample(contact: contact, pressure: pressure)
    }
  }

  /// The movements between each two other events, in the order of their contacts.
  private func moves(in events: [ScreenEvent], _ histories: [[ContactSample]]?) -> [[Contact]] {
    var moves: [[Contact]] = [[]]
    for (index, event) in events.enumerated() {
      if isBarrier(event) { moves.append([]) }
      guard case .contact(let contact, _, _) = event.action, contact.phase == .moved else { continue }
      moves[moves.count - 1] += histories?[index].map(\.contact) ?? [contact]
    }
    return moves.map { $0.enumerated().sorted { ($0.1.id.rawValue, $0.0) < ($1.1.id.rawValue, $1.0) }.map(\.1) }
  }

  private func isBarrier(_ event: ScreenEvent) -> Bool {
    switch event.action {
    case .contact(let contact, _, _): contact.phase != .moved
    case .hover, .scroll, .gesture(.changed, _): false
    case .hoverEnded, .gesture, .key, .modifiers, .keysReleased, .keyboardChanged: true
    }
  }

  /// The clicks that wheels were turned by.
  private func sum(of events: [ScreenEvent]) -> Double {
    events.reduce(0) { sum, event in
      guard case .scroll(.wheel(let clicks), _) = event.action, clicks.y.isFinite, abs(clicks.y) < 10 else { return sum }
      return sum + clicks.y
    }
  }
}
