import Geometry
import Input
public import LinuxSystem

/// The events that were read and not delivered yet. Movements of a contact that follow each other are one event with its history, so that a
/// device of 1,000 reports a second costs a layer no more than one of 60.
///
/// Movements are only put together up to the next event that is none: a finger that comes or goes, a key. So the order of events that mean
/// something to each other stays.
///
/// Nothing is allocated while a turn has no more events than one before it had.
public struct InputQueue: Sendable {
  private var entries: [Entry] = []
  private var samples: [LinkedSample] = []
  /// The entries that take further movements, by their contacts.
  private var movements: [Contact.ID: Int] = [:]
  /// The entry that takes further events of a pointer: hovering or scrolling.
  private var lastOfPointer: Int?

  private struct Entry: Sendable {
    var event: ScreenEvent
    /// The time of the first of the events that it puts together.
    let since: MonotonicTime
    /// The indices in `samples` of the oldest and the newest sample; below 0 for an event without samples.
    var first: Int32
    var last: Int32

    init(_ event: ScreenEvent, sample: Int32 = -1) {
      (self.event, since, first, last) = (event, event.time, sample, sample)
    }
  }

  fileprivate struct LinkedSample: Sendable {
    var sample: ContactSample
    /// The index of the next one of the same entry; below 0 for none.
    var next: Int32 = -1
  }

  public init() {}

  public var isEmpty: Bool { entries.isEmpty }

  public mutating func append(_ event: ScreenEvent) {
    switch event.action {
    case .contact(let contact, _, let pressure):
      let sample = Int32(samples.count)
      samples.append(LinkedSample(sample: ContactSample(contact: contact, pressure: pressure)))
      guard contact.phase == .moved else { return appendBarrier(Entry(event, sample: sample)) }
      if let index = movements[contact.id] {
        samples[Int(entries[index].last)].next = sample
        entries[index].last = sample
        entries[index].event = event
      } else {
        movements[contact.id] = entries.count
        entries.append(Entry(event, sample: sample))
      }
    case .hover, .scroll(_, _), .gesture(.changed, _):
      if let index = lastOfPointer, let merged = entries[index].event.merged(with: event) {
        entries[index].event = merged
      } else {
        lastOfPointer = entries.count
        entries.append(Entry(event))
      }
    case .hoverEnded, .gesture, .key, .modifiers, .keysReleased, .keyboardChanged: appendBarrier(Entry(event))
    }
  }

  private mutating func appendBarrier(_ entry: Entry) {
    movements.removeAll(keepingCapacity: true)
    lastOfPointer = nil
    entries.append(entry)
  }

  /// Passes on all events in their order, each with the samples of its contact, which are none for other events, and with the time of the first
  /// of those that it puts together.
  public func forEach(_ body: (ScreenEvent, ContactHistory, _ since: MonotonicTime) -> Void) {
    for entry in entries { body(entry.event, ContactHistory(samples: samples, index: entry.first), entry.since) }
  }

  /// Forgets all events, and keeps their memory.
  public mutating func removeAll() {
    entries.removeAll(keepingCapacity: true)
    samples.removeAll(keepingCapacity: true)
    movements.removeAll(keepingCapacity: true)
    lastOfPointer = nil
  }
}

/// A contact as a device told it, among others that were put together.
public struct ContactSample: Hashable, Sendable {
  public var contact: Contact
  /// From 0 to 1; nil for a device that does not tell.
  public var pressure: Double?
}

/// The samples of an event, the oldest first.
public struct ContactHistory: Sequence, IteratorProtocol {
  fileprivate let samples: [InputQueue.LinkedSample]
  /// The index of the next sample; below 0 after the last.
  fileprivate var index: Int32

  public mutating func next() -> ContactSample? {
    guard samples.indices.contains(Int(index)) else { return nil }
    let linked = samples[Int(index)]
    index = linked.next
    return linked.sample
  }
}

extension ScreenEvent {
  /// This event and one that follows it as one; nil for two that cannot be one.
  fileprivate func merged(with next: ScreenEvent) -> ScreenEvent? {
    guard device == next.device, screen == next.screen else { return nil }
    var merged = next
    switch (action, next.action) {
    case (.hover, .hover): break
    case (.scroll(.wheel(let first), _), .scroll(.wheel(let second), let point)):
      merged.action = .scroll(.wheel(first + second), at: point)
    case (.scroll(.fingers(let first), _), .scroll(.fingers(let second), let point)):
      merged.action = .scroll(.fingers(first + second), at: point)
    case (.scroll(.continuous(let first), _), .scroll(.continuous(let second), let point)):
      merged.action = .scroll(.continuous(first + second), at: point)
    case (.gesture(.changed(let first, _, let angle), _), .gesture(.changed(let second, let scale, let more), let point)):
      merged.action = .gesture(.changed(translation: first + second, scale: scale, rotation: angle + more), at: point)
    default: return nil
    }
    return merged
  }
}
