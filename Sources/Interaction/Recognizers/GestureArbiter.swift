import Geometry
import Layers
import LinuxSystem

/// Decides which of the gesture recognizers that look at the same touches have them.
///
/// The rules are UIKit's. A gesture begins when its machine says so, its delegate agrees, every recognizer that it requires to fail has failed, and
/// none that has begun shares a touch with it, unless both may go on together. When it begins, the others that share a touch fail.
@MainActor
final class GestureArbiter {
  /// The recognizers that look at each contact, the innermost layer's first.
  private var recognizers: [Contact.ID: [AnyGestureRecognizer]] = [:]
  /// Those with a gesture that has not been reset, in the order of their first contacts.
  private var active: [AnyGestureRecognizer] = []
  /// The contacts of this turn that were not handled.
  private var pending: [Contact] = []
  private var endedContacts: [Contact.ID] = []
  private let isInTree: @MainActor (Layer) -> Bool
  private let cancelTouch: @MainActor (Contact.ID) -> Void

  /// - Parameters:
  ///   - isInTree: says whether a layer is in one of the trees whose touches these are.
  ///   - cancelTouch: called with each contact that a gesture took from its responder.
  init(isInTree: @escaping @MainActor (Layer) -> Bool, cancelTouch: @escaping @MainActor (Contact.ID) -> Void) {
    (self.isInTree, self.cancelTouch) = (isInTree, cancelTouch)
  }

  /// The earliest time at which a gesture is decided without a contact; nil for none.
  var deadline: MonotonicTime? { active.lazy.compactMap { $0.isUndecided ? $0.deadline : nil }.min() }

  var isIdle: Bool { pending.isEmpty && active.isEmpty }

  /// Lets recognizers look at a contact that begins.
  func begin(_ contact: Contact, _ lookers: [AnyGestureRecognizer]) {
    recognizers[contact.id] = lookers
    for recognizer in lookers where !active.contains(where: { $0 === recognizer }) {
      recognizer.arbiter?.forget(recognizer)
      active.append(recognizer)
      recognizer.arbiter = self
    }
  }

  /// Adds a contact. Movements of several contacts come one contact after the other, and are put in the order of their times.
  func add(_ contact: Contact) {
    guard recognizers[contact.id] != nil else { return }
    var index = pending.count
    if contact.phase == .moved {
      while index > 0, pending[index - 1].phase == .moved, pending[index - 1].id != contact.id,
        pending[index - 1].time > contact.time
      { index -= 1 }
    }
    pending.insert(contact, at: index)
  }

  /// Cancels all gestures: their touches end with what brought them.
  func cancelAll() {
    for recognizer in active {
      cancel(recognizer)
      recognizer.reset()
    }
    active.removeAll()
    pending.removeAll()
    recognizers.removeAll()
  }

  /// The recognizer looks at touches of another router from now on.
  private func forget(_ recognizer: AnyGestureRecognizer) {
    guard active.contains(where: { $0 === recognizer }) else { return }
    cancel(recognizer)
    recognizer.reset()
    active.removeAll { $0 === recognizer }
    for id in Array(recognizers.keys) { recognizers[id]?.removeAll { $0 === recognizer } }
  }

  /// Handles all contacts that came, and the time: once a turn. What actions add is handled too.
  func handle(at now: MonotonicTime) {
    repeat {
      var index = 0
      while index < pending.count {
        let contact = pending[index]
        index += 1
        pass(contact.time)
        for recognizer in recognizers[contact.id] ?? [] { feed(contact, to: recognizer) }
        if contact.phase == .ended || contact.phase == .cancelled { endedContacts.append(contact.id) }
      }
      pending.removeFirst(min(index, pending.count))
      for recognizer in active where !(recognizer.isEnabled && recognizer.layer.map(isInTree) ?? false) {
        cancel(recognizer)
      }
      pass(now)
      for recognizer in active { callChanged(recognizer) }
      // An action that ran the loop has let more come.
    } while !pending.isEmpty
    for id in endedContacts { recognizers[id] = nil }
    endedContacts.removeAll(keepingCapacity: true)
    for recognizer in active where recognizer.isOver { recognizer.reset() }
    active.removeAll { $0.contacts.isEmpty && $0.stage == .possible }
  }

  // MARK: A recognizer

  /// Lets what is decided by this time alone be decided.
  private func pass(_ time: MonotonicTime) {
    for recognizer in active {
      guard recognizer.isUndecided, let deadline = recognizer.deadline, deadline <= time else { continue }
      recognizer.pass(deadline)
      settle(recognizer)
    }
  }

  private func feed(_ contact: Contact, to recognizer: AnyGestureRecognizer) {
    if contact.phase == .began, recognizer.stage == .finished, recognizer.openContacts.isEmpty { recognizer.reset() }
    recognizer.follow(contact)
    guard recognizer.stage != .finished else { return }
    recognizer.feed(contact)
    settle(recognizer)
  }

  /// Follows the machine as far as the others let it.
  private func settle(_ recognizer: AnyGestureRecognizer) {
    let proposed = recognizer.machineState
    switch (recognizer.stage, proposed) {
    case (.finished, _), (.possible, .possible): break
    case (.possible, .failed), (.possible, .cancelled), (.waiting, .failed), (.waiting, .cancelled): fail(recognizer)
    case (.possible, _): begin(recognizer, first: proposed)
    case (.waiting, _): break
    case (.recognized, .ended): finish(recognizer, .ended)
    case (.recognized, .failed), (.recognized, .cancelled): finish(recognizer, .cancelled)
    case (.recognized, .changed): recognizer.hasChanged = true
    case (.recognized, .possible), (.recognized, .began): break
    }
  }

  private func begin(_ recognizer: AnyGestureRecognizer, first: GestureState) {
    if let delegate = recognizer.delegate, !delegate.gestureRecognizerShouldBegin(recognizer) { return fail(recognizer) }
    let requirements = recognizer.requirements
    if requirements.contains(where: \.isRecognized) { return fail(recognizer) }
    if requirements.contains(where: { $0.isUndecided && !$0.waits(for: recognizer) }) {
      recognizer.stage = .waiting(first: first)
      return
    }
    let others = others(of: recognizer).filter { !mayGoOnTogether(recognizer, $0) }
    if others.contains(where: \.isRecognized) { return fail(recognizer) }
    recognizer.stage = .recognized
    for other in others { fail(other) }
    for other in active where other.isWaiting && other.requires(recognizer) { fail(other) }
    if recognizer.cancelsTouches { for contact in recognizer.openContacts { cancelTouch(contact.id) } }
    if first == .ended { return finish(recognizer, .ended) }
    recognizer.state = .began
    recognizer.callActions()
    // The machine may have gone on while the gesture waited.
    settle(recognizer)
  }

  private func fail(_ recognizer: AnyGestureRecognizer) {
    guard recognizer.isUndecided || recognizer.stage == .possible else { return }
    recognizer.stage = .finished
    recognizer.state = .failed
    for other in active {
      if case .waiting(let first) = other.stage, other.requires(recognizer) { begin(other, first: first) }
    }
  }

  private func finish(_ recognizer: AnyGestureRecognizer, _ state: GestureState) {
    callChanged(recognizer)
    guard recognizer.stage == .recognized else { return }
    recognizer.stage = .finished
    recognizer.state = state
    recognizer.callActions()
  }

  private func callChanged(_ recognizer: AnyGestureRecognizer) {
    guard recognizer.hasChanged else { return }
    recognizer.hasChanged = false
    guard recognizer.stage == .recognized else { return }
    recognizer.state = .changed
    recognizer.callActions()
  }

  func cancel(_ recognizer: AnyGestureRecognizer) {
    if recognizer.stage == .recognized {
      recognizer.hasChanged = false
      finish(recognizer, .cancelled)
    } else {
      fail(recognizer)
    }
  }

  /// The others that look at a contact of the recognizer.
  private func others(of recognizer: AnyGestureRecognizer) -> [AnyGestureRecognizer] {
    active.filter { other in other !== recognizer && other.contacts.contains { recognizer.contacts.contains($0) } }
  }

  private func mayGoOnTogether(_ one: AnyGestureRecognizer, _ other: AnyGestureRecognizer) -> Bool {
    one.delegate?.gestureRecognizer(one, shouldRecognizeSimultaneouslyWith: other) ?? false
      || other.delegate?.gestureRecognizer(other, shouldRecognizeSimultaneouslyWith: one) ?? false
  }
}

extension AnyGestureRecognizer {
  /// True if it has begun, or ended without having been cancelled.
  var isRecognized: Bool { stage == .recognized || stage == .finished && state == .ended }

  var isWaiting: Bool { if case .waiting = stage { true } else { false } }

  fileprivate func requires(_ other: AnyGestureRecognizer) -> Bool { requirements.contains { $0 === other } }

  /// True if it may still begin: something may come that decides it.
  var isUndecided: Bool {
    switch stage {
    case .possible: !openContacts.isEmpty || deadline != nil
    case .waiting: true
    case .recognized, .finished: false
    }
  }

  /// True if nothing of the gesture is to come.
  fileprivate var isOver: Bool { openContacts.isEmpty && (stage == .finished || stage == .possible && deadline == nil) }

  /// True if it waits, directly or through others that wait, for this one to fail: two that wait for each other would do so for ever.
  fileprivate func waits(for other: AnyGestureRecognizer, depth: Int = 0) -> Bool {
    guard isWaiting, depth < 32 else { return false }
    return requirements.contains { $0 === other || $0.waits(for: other, depth: depth + 1) }
  }

  fileprivate func follow(_ contact: Contact) {
    let index = openContacts.firstIndex { $0.id == contact.id }
    lastContactTime = contact.time
    switch (contact.phase, index) {
    case (.began, nil):
      contacts.append(contact.id)
      openContacts.append(contact)
    case (.moved, let index?), (.began, let index?): openContacts[index] = contact
    case (.ended, let index?), (.cancelled, let index?): openContacts.remove(at: index)
    case (_, nil): break
    }
    guard !openContacts.isEmpty else { return }
    let sum = openContacts.reduce(Point.zero) { $0 + $1.location }
    location = sum / Double(openContacts.count)
  }

  fileprivate func reset() {
    resetMachine()
    (stage, state, hasChanged, lastContactTime) = (.possible, .possible, false, nil)
    contacts.removeAll(keepingCapacity: true)
    openContacts.removeAll(keepingCapacity: true)
  }
}
