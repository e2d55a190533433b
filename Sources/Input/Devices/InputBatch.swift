/// Events that are read together, in the order of their times. Those of one device stay in the order in which they were read.
///
/// libinput reads one device after the other, each with all that it has sent. After a turn that took long, a click would come before the key
/// that was pressed ahead of it.
struct InputBatch {
  /// It keeps its memory.
  private var events: [InputEvent] = []
  /// The number of events that were taken.
  private var taken = 0

  mutating func append(_ event: InputEvent) {
    var index = events.count
    while index > taken, events[index - 1].time > event.time, events[index - 1].device != event.device { index -= 1 }
    events.insert(event, at: index)
  }

  /// Takes the first one; nil if there is none.
  mutating func next() -> InputEvent? {
    guard taken < events.count else {
      events.removeAll(keepingCapacity: true)
      taken = 0
      return nil
    }
    defer { taken += 1 }
    return events[taken]
  }
}
