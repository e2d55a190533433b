/// The transfers that wait, and the limits of those that are under way. Lower orders come first, equal ones as they came; one whose
/// host has as many as it may have lets others pass.
struct TransferQueue: Sendable {
  typealias ID = UInt64

  let limit: Int
  let limitPerHost: Int
  private(set) var runningCount = 0

  private struct Place: Hashable, Comparable {
    var order: Int
    var number: ID
    static func < (left: Place, right: Place) -> Bool { (left.order, left.number) < (right.order, right.number) }
  }

  private struct Host {
    /// A heap; places that no transfer has any more are skipped.
    var waiting = BinaryHeap<Place>()
    var running = 0
  }

  private var hosts: [String: Host] = [:]
  private var waiting: [ID: (place: Place, host: String)] = [:]
  private var running: [ID: String] = [:]

  /// - Parameters:
  ///   - limit: the most transfers under way, at least 1.
  ///   - limitPerHost: the same for one host.
  init(limit: Int, limitPerHost: Int) {
    self.limit = max(limit, 1)
    self.limitPerHost = max(limitPerHost, 1)
  }

  var waitingCount: Int { waiting.count }
  /// The places in memory, those that are skipped included.
  var placeCount: Int { hosts.values.reduce(0) { $0 + $1.waiting.count } }

  /// Adds a transfer that is not in the queue. Its number tells who came first.
  mutating func insert(_ id: ID, host: String, order: Int) {
    let place = Place(order: order, number: id)
    waiting[id] = (place, host)
    hosts[host, default: Host()].waiting.insert(place)
  }

  /// Moves a transfer that waits; for others nothing changes.
  mutating func move(_ id: ID, to order: Int) {
    guard let (place, host) = waiting[id], place.order != order else { return }
    insert(id, host: host, order: order)
    // Places that were left would add up while nothing begins.
    guard let count = hosts[host]?.waiting.count, count > 4 * waiting.count + 64 else { return }
    var heap = BinaryHeap<Place>()
    for entry in waiting.values where entry.host == host { heap.insert(entry.place) }
    hosts[host]?.waiting = heap
  }

  /// Takes out a transfer that waits or is under way.
  mutating func remove(_ id: ID) {
    if let (_, host) = waiting.removeValue(forKey: id) {
      forgetIfIdle(host)
    } else if let host = running.removeValue(forKey: id) {
      runningCount -= 1
      hosts[host]?.running -= 1
      forgetIfIdle(host)
    }
  }

  /// The next transfer that may begin, which is under way from now on.
  mutating func next() -> ID? {
    guard runningCount < limit else { return nil }
    var best: (place: Place, host: String)?
    for name in Array(hosts.keys) {
      guard let running = hosts[name]?.running, running < limitPerHost, let place = first(of: name) else { continue }
      if best.map({ place < $0.place }) ?? true { best = (place, name) }
    }
    guard let best else { return nil }
    hosts[best.host]?.waiting.removeFirst()
    hosts[best.host]?.running += 1
    waiting[best.place.number] = nil
    running[best.place.number] = best.host
    runningCount += 1
    return best.place.number
  }

  private mutating func first(of host: String) -> Place? {
    while let place = hosts[host]?.waiting.first {
      if waiting[place.number]?.place == place { return place }
      hosts[host]?.waiting.removeFirst()
    }
    return nil
  }

  private mutating func forgetIfIdle(_ host: String) {
    if hosts[host]?.running == 0, first(of: host) == nil { hosts[host] = nil }
  }
}

/// A heap whose first element is the least.
struct BinaryHeap<Element: Comparable & Sendable>: Sendable {
  private var elements: [Element] = []

  var first: Element? { elements.first }
  var count: Int { elements.count }

  mutating func insert(_ element: Element) {
    elements.append(element)
    var place = elements.count - 1
    while place > 0, elements[place] < elements[(place - 1) / 2] {
      elements.swapAt(place, (place - 1) / 2)
      place = (place - 1) / 2
    }
  }

  /// Removes the first element; an empty heap stays empty.
  mutating func removeFirst() {
    guard let last = elements.popLast(), !elements.isEmpty else { return }
    elements[0] = last
    var place = 0
    while true {
      var least = place
      for child in [2 * place + 1, 2 * place + 2] where child < elements.count && elements[child] < elements[least] {
        least = child
      }
      if least == place { return }
      elements.swapAt(place, least)
      place = least
    }
  }
}

/// Deadlines by number. Moving one to a later time costs a write: its place in the heap is mended when it comes up.
struct Deadlines: Sendable {
  typealias Time = Int64

  private struct Entry: Comparable, Sendable {
    var time: Time
    var id: UInt64
    static func < (left: Entry, right: Entry) -> Bool { (left.time, left.id) < (right.time, right.id) }
  }

  private struct Mark: Sendable {
    var time: Time
    /// The time of the entry in the heap that stands for this deadline.
    var entered: Time
  }

  private var heap = BinaryHeap<Entry>()
  private var marks: [UInt64: Mark] = [:]

  /// The number of deadlines.
  var count: Int { marks.count }
  /// The number of entries in memory, those that are skipped included.
  var entryCount: Int { heap.count }

  /// Sets or moves a deadline.
  mutating func set(_ id: UInt64, to time: Time) {
    if let mark = marks[id], mark.entered <= time {
      marks[id]?.time = time
    } else {
      marks[id] = Mark(time: time, entered: time)
      heap.insert(Entry(time: time, id: id))
    }
  }

  mutating func remove(_ id: UInt64) {
    marks[id] = nil
    guard heap.count > 2 * marks.count + 64 else { return }
    heap = BinaryHeap()
    for (id, mark) in marks {
      marks[id]?.entered = mark.time
      heap.insert(Entry(time: mark.time, id: id))
    }
  }

  /// A time that is not after the first deadline: the time at which to look again; nil if there is none.
  mutating func nextLook() -> Time? {
    dropStale()
    return heap.first?.time
  }

  /// Takes out a deadline that has come; nil if there is none.
  mutating func takeDue(at now: Time) -> UInt64? {
    while true {
      dropStale()
      guard let entry = heap.first, entry.time <= now else { return nil }
      heap.removeFirst()
      guard let mark = marks[entry.id] else { continue }
      if mark.time <= now {
        marks[entry.id] = nil
        return entry.id
      }
      marks[entry.id]?.entered = mark.time
      heap.insert(Entry(time: mark.time, id: entry.id))
    }
  }

  /// Drops entries at the front that stand for no deadline.
  private mutating func dropStale() {
    while let entry = heap.first, marks[entry.id]?.entered != entry.time { heap.removeFirst() }
  }
}
