import LinuxSystem

/// The modes that an item is in: modes of one loop or, for sources, of several.
struct Membership: Sendable {
  var registrations = Registrations()
  /// The sets of common items that the item belongs to.
  var commons: [CommonItems] = []
  /// A timer's time in the queues of its modes.
  var queuedTime = MonotonicTime.distantFuture
  /// A timer's tolerance: how much later it may be called.
  var tolerance = Nanoseconds.zero

  /// Moves a timer in the queues of its modes.
  mutating func move(to time: MonotonicTime) {
    queuedTime = time
    registrations.forEach { $0.mode.moveTimer($0.slot, to: time) }
  }

  /// Sets a timer's tolerance in all its modes.
  mutating func tolerate(_ tolerance: Nanoseconds) {
    self.tolerance = tolerance
    registrations.forEach { $0.mode.setTolerance(of: $0.slot, to: tolerance) }
  }

  /// True if the item is in a mode of another loop than that of `wakeUp`. Being one of its common items does not count.
  func isElsewhere(than wakeUp: WakeUp) -> Bool { registrations.contains { $0.mode.wakeUp !== wakeUp } }
}

/// The items of all common modes of a loop. A mode that becomes common gets them too.
final class CommonItems: Sendable {
  let wakeUp: WakeUp
  private let state = Lock(State())

  private struct State {
    var items: [ObjectIdentifier: Numbered] = [:]
    var nextNumber: UInt64 = 0
  }

  private struct Numbered {
    let number: UInt64
    let item: any LoopItem
  }

  init(wakeUp: WakeUp) {
    self.wakeUp = wakeUp
  }

  /// In the order in which they became common items.
  var all: [any LoopItem] {
    state.withLock { Array($0.items.values) }.sorted { $0.number < $1.number }.map(\.item)
  }

  func insert(_ item: any LoopItem) {
    state.withLock { state in
      state.items[ObjectIdentifier(item)] = Numbered(number: state.nextNumber, item: item)
      state.nextNumber += 1
    }
  }

  func remove(_ item: any LoopItem) {
    state.withLock { $0.items[ObjectIdentifier(item)] = nil }
  }
}

/// A single item of a mode: an observer, a source, a descriptor source or a timer.
protocol LoopItem: AnyObject, Sendable {
  var isValid: Bool { get }
  /// True if the callback is main-actor code.
  var belongsToMainActor: Bool { get }
  /// True if the item may be in several loops at a time.
  static var isShareable: Bool { get }

  /// Reads and changes the membership, under the item's lock.
  func withMembership<Result: Sendable>(_ body: (inout Membership) -> Result) -> Result
  /// Adds the item to a mode of `loop`. A requirement, so that the compiler makes the whole way for each kind of item.
  func insert(into loop: FrameLoop, _ mode: FrameLoop.Mode)
  /// Puts the item into `mode`. The membership is locked.
  /// - Returns: its slot; nil if the mode refuses it.
  func enter(_ mode: ModeState, _ membership: Membership) -> Int?
  /// Takes the item out of a mode. The membership is locked.
  func leave(_ registration: Membership.Registration)
  /// Called after the item was added to a mode or refused by it, or was removed from it. No lock is held.
  func didEnter(_ mode: ModeState)
  func didLeave(_ mode: ModeState)
  /// Ends the item, since it cannot be added. No lock is held.
  func refuse(_ error: SystemError)
  /// Makes the item invalid. The membership is locked.
  /// - Returns: true if the item was valid.
  func endValidity() -> Bool
  /// Releases the item's closures; a closure that is being called lives to the end of the call. No lock is held, since
  /// releasing a closure can run any code.
  func releaseCallback()
}

extension LoopItem {
  func insert(into loop: FrameLoop, _ mode: FrameLoop.Mode) { loop.insert(self, mode) }
  func didEnter(_ mode: ModeState) {}
  func didLeave(_ mode: ModeState) {}
  /// Without an error to throw, and a program that would wait for the item in vain.
  func refuse(_ error: SystemError) { failForLack(error) }

  /// - Returns: true if the item was not in `mode` before, and is now or was refused; `didEnter` must follow.
  func attach(to mode: ModeState) -> Bool {
    withMembership { membership in
      guard isValid, Self.isShareable || !membership.isElsewhere(than: mode.wakeUp),
        !membership.registrations.contains(where: { $0.mode === mode })
      else { return false }
      if let slot = enter(mode, membership) {
        membership.registrations.append(Membership.Registration(mode: mode, slot: slot))
      }
      return true
    }
  }

  /// - Returns: true if the item was in `mode`.
  func detach(from mode: ModeState) -> Bool {
    withMembership { membership in
      guard let registration = membership.registrations.remove(in: mode) else { return false }
      leave(registration)
      return true
    }
  }

  /// - Returns: true if the item is one of the common items now.
  func join(_ common: CommonItems) -> Bool {
    withMembership { membership in
      guard isValid, Self.isShareable || !membership.isElsewhere(than: common.wakeUp) else { return false }
      if !membership.commons.contains(where: { $0 === common }) {
        membership.commons.append(common)
        common.insert(self)
      }
      return true
    }
  }

  /// - Returns: true if the item was one of the common items.
  func leave(_ common: CommonItems) -> Bool {
    withMembership { membership in
      guard let index = membership.commons.firstIndex(where: { $0 === common }) else { return false }
      membership.commons.remove(at: index)
      common.remove(self)
      return true
    }
  }

  /// Makes the item invalid, removes it from all modes, and releases its closures.
  func invalidateAndDetach() {
    let modes: [ModeState]? = withMembership { membership in
      guard endValidity() else { return nil }
      let registrations = membership.registrations
      membership.registrations = Membership.Registrations()
      registrations.forEach(leave)
      for common in membership.commons { common.remove(self) }
      membership.commons = []
      return registrations.modes
    }
    guard let modes else { return }
    for mode in modes { didLeave(mode) }
    releaseCallback()
  }
}

extension Membership {
  /// An item's registration with a mode.
  struct Registration: Sendable {
    let mode: ModeState
    /// A timer's slot in the mode's queue; unused for other items.
    let slot: Int
  }

  /// The registrations of an item, in the order of their addition. The first is stored inline, since most items are in one
  /// mode only.
  struct Registrations: Sendable {
    private(set) var first: Registration?
    private var others: [Registration] = []

    var isEmpty: Bool { first == nil }
    var count: Int { first == nil ? 0 : 1 + others.count }
    var modes: [ModeState] { first.map { [$0.mode] + others.map(\.mode) } ?? [] }

    func contains(where isMeant: (Registration) -> Bool) -> Bool {
      first.map(isMeant) ?? false || others.contains(where: isMeant)
    }

    @inline(__always)
    func forEach(_ body: (Registration) -> Void) {
      if let first { body(first) }
      if !others.isEmpty { others.forEach(body) }
    }

    mutating func append(_ registration: Registration) {
      if first == nil { first = registration } else { others.append(registration) }
    }

    mutating func remove(in mode: ModeState) -> Registration? {
      if let first, first.mode === mode {
        self.first = others.isEmpty ? nil : others.removeFirst()
        return first
      }
      return others.firstIndex { $0.mode === mode }.map { others.remove(at: $0) }
    }
  }
}

/// An item's entry in a mode: its order, and its callback.
///
/// An item releases its closures when it ends. The mode's entry holds them too, and so does an array of entries that is being
/// called. So a closure lives to the end of its call, without a lock or a count of calls.
protocol OrderedCallee: AnyObject, Sendable {
  associatedtype Item: AnyObject

  var item: Item { get }
  var order: Int { get }
}

/// Sorted by order, equal orders as they were added. Binary search, since a mode may have thousands.
extension Array where Element: OrderedCallee {
  mutating func insert(inOrder callee: Element) {
    insert(callee, at: firstIndex(from: { $0 > callee.order }))
  }

  /// Removes an item's entry.
  mutating func remove(_ item: Element.Item, order: Int) {
    var index = firstIndex(from: { $0 >= order })
    while index < count, self[index].order == order {
      if self[index].item === item {
        remove(at: index)
        return
      }
      index += 1
    }
  }

  /// The first index from which on all orders meet a condition.
  private func firstIndex(from isBeyond: (Int) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if isBeyond(self[middle].order) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
