import Glibc
import LinuxSystem
import RunLoops

/// Reads a card's events on the loop and dispatches each to the display that requested it. It has no thread of its own.
///
/// A handler may run the loop: that run dispatches the events that were read together with the handler's, so that other
/// displays do not wait for its end.
@MainActor
final class DRMEventQueue {
  private struct Entry {
    let number: UInt32
    weak var route: DRMEventRoute?
  }
  private struct Membership: Equatable {
    let route: UInt32
    let loop: FrameLoop
    let mode: FrameLoop.Mode

    static func == (first: Membership, second: Membership) -> Bool {
      first.route == second.route && first.loop === second.loop && first.mode == second.mode
    }
  }

  private let interface: any DRMInterface
  private var source: FrameLoop.DescriptorSource?
  private var lastNumber: UInt32 = 0
  private var memberships: [Membership] = []
  // Used at each event, with no call in between but the card's `read`: a check at run time would only take time.
  @exclusivity(unchecked) private var routes: [Entry] = []
  @exclusivity(unchecked) private var backlog = DRMEventBacklog()
  /// Observes the beginning of runs, for each loop that serves events.
  private var observers: [(loop: FrameLoop, observer: FrameLoop.Observer)] = []

  /// True if events are read: false after a read has failed.
  var isValid: Bool { source != nil }

  init(interface: any DRMInterface) {
    self.interface = interface
    source = FrameLoop.DescriptorSource(
      descriptor: interface.descriptor,
      .onMain { [weak self] _, _ in self?.serve() })
  }

  /// A new share of the events.
  func makeRoute() -> DRMEventRoute {
    routes.removeAll { $0.route == nil }
    lastNumber &+= 1
    let route = DRMEventRoute(number: lastNumber, queue: self)
    routes.append(Entry(number: lastNumber, route: route))
    return route
  }

  /// True if events wait to be read or dispatched.
  var hasUnread: Bool {
    if !backlog.isEmpty { return true }
    var item = pollfd(fd: interface.descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&item, 1, 0) > 0 && item.revents & Int16(POLLIN) != 0
  }

  func add(_ route: UInt32, to loop: FrameLoop, mode: FrameLoop.Mode) {
    let membership = Membership(route: route, loop: loop, mode: mode)
    guard let source, !memberships.contains(membership) else { return }
    memberships.append(membership)
    enter(membership, source)
  }

  func remove(_ route: UInt32, from loop: FrameLoop, mode: FrameLoop.Mode) {
    leave { $0 == Membership(route: route, loop: loop, mode: mode) }
  }

  /// Forgets a route: its events are dropped, and modes that only it is served in are left.
  func remove(_ route: UInt32) {
    routes.removeAll { $0.number == route }
    leave { $0.route == route }
  }

  /// Ends the queue for good; unread events are lost.
  func invalidate() {
    source?.invalidate()
    source = nil
    for (_, observer) in observers { observer.invalidate() }
    observers = []
    backlog.removeAll()
    routes = []
    memberships = []
  }

  // MARK: Modes

  private func enter(_ membership: Membership, _ source: FrameLoop.DescriptorSource) {
    let (loop, mode) = (membership.loop, membership.mode)
    loop.add(source, to: mode)
    loop.add(observer(of: loop), to: mode)
  }

  private func observer(of loop: FrameLoop) -> FrameLoop.Observer {
    if let known = observers.first(where: { $0.loop === loop }) { return known.observer }
    let observer = FrameLoop.Observer(.entry, .onMain { [weak self, weak loop] _, _ in self?.runBegins(of: loop) })
    observers.append((loop, observer))
    return observer
  }

  /// Leaves a mode together with the last route that is served in it.
  private func leave(where isLeaving: (Membership) -> Bool) {
    guard let source else { return }
    let left = memberships.filter(isLeaving)
    memberships.removeAll(where: isLeaving)
    for old in left where !memberships.contains(where: { $0.loop === old.loop && $0.mode == old.mode }) {
      old.loop.remove(source, from: old.mode)
      old.loop.remove(observer(of: old.loop), from: old.mode)
      // Removing an item from the common modes removes it from each of them, also from one it was added to by name.
      for membership in memberships where membership.loop === old.loop { enter(membership, source) }
    }
  }

  // MARK: Serving

  /// A handler may have begun the run, whose descriptor may have nothing more to read.
  private func runBegins(of loop: FrameLoop?) {
    guard !backlog.isEmpty, let loop, let mode = loop.currentMode else { return }
    loop.perform(in: [mode], onMain: { [weak self] in self?.dispatch() })
  }

  private func serve() {
    // An outer run was still dispatching events.
    if !backlog.isEmpty {
      dispatch()
      guard isValid else { return }
    }
    do throws(SystemError) {
      try backlog.fill(from: interface)
    } catch {
      // The descriptor cannot be read any more, and must not wake the loop again.
      let told = routes
      invalidate()
      for entry in told { entry.route?.onError?(error) }
    }
    dispatch()
  }

  private func dispatch() {
    while let event = backlog.take() {
      switch event {
      case .flip(let token, let time, let sequence):
        route(of: token)?.onFlip?(UInt32(truncatingIfNeeded: token), time, sequence)
      case .sequence(let token, let time, let sequence):
        route(of: token)?.onSequence?(UInt32(truncatingIfNeeded: token), time, sequence)
      case .vblank(let token, let time, let sequence):
        route(of: token)?.onVBlank?(UInt32(truncatingIfNeeded: token), time, sequence)
      case .other: break
      }
    }
  }

  private func route(of token: UInt64) -> DRMEventRoute? {
    let number = UInt32(truncatingIfNeeded: token >> 32)
    // A loop by index: a closure would check its isolation at each call, and copies of entries would copy weak references.
    let routes = routes
    for index in routes.indices where routes[index].number == number { return routes[index].route }
    return nil
  }
}
