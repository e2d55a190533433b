import Geometry
import LinuxSystem

/// The contacts that a machine follows, in the order in which they began.
///
/// It keeps its memory, so that nothing is allocated after the first contacts of all.
struct ContactList: Sendable {
  struct Entry: BitwiseCopyable {
    let id: Contact.ID
    /// The place where it began.
    let start: Point
    /// The place where it is.
    var location: Point

    /// The square of the distance from the beginning.
    var squaredDistance: Double { (location - start).squaredLength }
  }

  private var entries: ContiguousArray<Entry> = []
  /// The place of the contact that left last.
  private var leftAt = Point.zero

  var count: Int { entries.count }
  var isEmpty: Bool { entries.isEmpty }
  subscript(index: Int) -> Entry { entries[index] }

  /// The middle of the contacts, or where the last one was.
  var center: Point { entries.isEmpty ? leftAt : mean { $0.location } }
  /// The middle of the places where the contacts began.
  var startCenter: Point { entries.isEmpty ? leftAt : mean { $0.start } }

  private func mean(_ place: (Entry) -> Point) -> Point {
    var sum = Point.zero
    for entry in entries { sum += place(entry) }
    return sum / Double(entries.count)
  }

  /// Adds a contact; false if it is there already, or is nowhere.
  mutating func add(_ contact: Contact) -> Bool {
    guard contact.location.isUsable, index(of: contact.id) == nil else { return false }
    entries.append(Entry(id: contact.id, start: contact.location, location: contact.location))
    return true
  }

  func index(of id: Contact.ID) -> Int? { entries.firstIndex { $0.id == id } }

  /// Moves a contact, and returns how far it went; nothing if the place is none.
  mutating func move(at index: Int, to location: Point) -> Point {
    guard location.isUsable else { return .zero }
    let way = location - entries[index].location
    entries[index].location = location
    return way
  }

  mutating func remove(at index: Int) {
    leftAt = entries[index].location
    entries.remove(at: index)
  }

  mutating func removeAll() {
    entries.removeAll(keepingCapacity: true)
    leftAt = .zero
  }
}

/// A machine that follows contacts from their beginning to their end, and ignores all that it did not see begin.
protocol ContactFollower: GestureMachine {
  var contacts: ContactList { get set }
  /// False while a further contact is ignored; true by default.
  var takesMore: Bool { get }
  /// A contact began, and is the last one of the list.
  mutating func began(at time: MonotonicTime)
  /// A contact of the list moved.
  mutating func moved(_ entry: ContactList.Entry, by way: Point, at time: MonotonicTime)
  /// A contact was lifted, and left the list.
  mutating func lifted(at time: MonotonicTime)
  /// A contact was taken away, and left the list.
  mutating func cancelled()
}

extension ContactFollower {
  var takesMore: Bool { true }

  mutating func follow(_ contact: Contact) {
    if let deadline, contact.time >= deadline { pass(contact.time) }
    guard !state.isFinal else { return }
    if contact.phase == .began {
      if takesMore, contacts.add(contact) { began(at: contact.time) }
      return
    }
    guard let index = contacts.index(of: contact.id) else { return }
    switch contact.phase {
    case .began: break
    case .moved:
      let way = contacts.move(at: index, to: contact.location)
      moved(contacts[index], by: way, at: contact.time)
    case .ended:
      contacts.remove(at: index)
      lifted(at: contact.time)
    case .cancelled:
      contacts.remove(at: index)
      cancelled()
    }
  }
}
