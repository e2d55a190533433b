import LinuxSystem

/// Where an item is: in modes of one loop or, for sources, of several.
struct Membership: Sendable {
  var registrations = Registrations()
  /// The common items of loops that the item is one of.
  var commons: [CommonItems] = []
  /// A timer's: what its modes' queues have it at.
  var queuedTime: MonotonicTime
  /// A timer's: how much later it may be called.
  var tolerance: Nanoseconds

  init(queuedTime: MonotonicTime = .distantFuture, tolerance: Nanoseconds = .zero) {
    self.queuedTime = queuedTime
    self.tolerance = tolerance
  }

  /// Moves a timer in the queues of its modes.
  mutating func move(to time: MonotonicTime) {
    queuedTime = time
    registrations.forEach { $0.mode.moveTimer($0.slot, to: time) }
  }

  /// Lets a timer be called later, in all of its modes.
  mutating func tolerate(_ tolerance: Nanoseconds) {
    self.tolerance = tolerance
    registrations.forEach { $0.mode.setTolerance(of: $0.slot, to: tolerance) }
  }

  /// Whether the item is in a mode of a loop other than that of `wakeUp`. To be one of its common items is not enough.
  func isElsewhere(than wakeUp: WakeUp) -> Bool { registrations.contains { $0.mode.wakeUp !== wakeUp } }
}

/// What all of a loop's common modes have, and modes get that become common later.
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

/// What can be added to a mode: observers, sources, descriptor sources, timers.
protocol LoopItem: AnyObject, Sendable {
  var isValid: Bool { get }
  /// Its callback is the main actor's.
  var belongsToMainActor: Bool { get }
  /// Whether it may be in several loops at a time.
  static var isShareable: Bool { get }

  /// Reads and changes where the item is, alone.
  func withMembership<Result: Sendable>(_ body: (inout Membership) -> Result) -> Result
  /// Puts the item among those of `mode`; the membership is locked.
  /// - Returns: its slot, nil when the mode cannot have it, which makes it invalid.
  func enter(_ mode: ModeState, _ membership: Membership) -> Int?
  /// The opposite; the membership is locked.
  func leave(_ registration: Membership.Registration)
  /// The item was added to or removed from a mode. No lock is held.
  func didEnter(_ mode: ModeState)
  func didLeave(_ mode: ModeState)
  /// Makes the item invalid; the membership is locked.
  /// - Returns: whether it was valid.
  func endValidity() -> Bool
  /// Lets the closures go that the item was made with; those that are being called live to their call's end. No lock is held,
  /// since their end is the caller's code.
  func releaseCallback()
}

extension LoopItem {
  func didEnter(_ mode: ModeState) {}
  func didLeave(_ mode: ModeState) {}

  /// - Returns: whether the item is newly in `mode`.
  func attach(to mode: ModeState) -> Bool {
    var isRefused = false
    let isAttached = withMembership { membership in
      guard isValid, Self.isShareable || !membership.isElsewhere(than: mode.wakeUp),
        !membership.registrations.contains(where: { $0.mode === mode })
      else { return false }
      guard let slot = enter(mode, membership) else {
        isRefused = true
        return false
      }
      membership.registrations.append(Membership.Registration(mode: mode, slot: slot))
      return true
    }
    if isRefused { invalidateAndDetach() }
    return isAttached
  }

  /// - Returns: whether the item was in `mode`.
  func detach(from mode: ModeState) -> Bool {
    withMembership { membership in
      guard let registration = membership.registrations.remove(in: mode) else { return false }
      leave(registration)
      return true
    }
  }

  /// - Returns: whether the item is one of the common items now.
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

  /// - Returns: whether the item was one of the common items.
  func leave(_ common: CommonItems) -> Bool {
    withMembership { membership in
      guard let index = membership.commons.firstIndex(where: { $0 === common }) else { return false }
      membership.commons.remove(at: index)
      common.remove(self)
      return true
    }
  }

  /// Makes the item invalid, takes it out of everything that it is in, and lets go of what it would have called.
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
