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
  /// A mode in which events are read, and the number of routes in it.
  private struct Place {
    let loop: FrameLoop
    let mode: FrameLoop.Mode
    var routes = 1
  }

  private let interface: any DRMInterface
  private var source: FrameLoop.DescriptorSource?
  private var lastNumber: UInt32 = 0
  private var places: [Place] = []
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

  /// Forgets a route: its events are dropped.
  func remove(_ route: UInt32) { routes.removeAll { $0.number == route } }

  /// Ends the queue for good; unread events are lost.
  func invalidate() {
    source?.invalidate()
    source = nil
    for (_, observer) in observers { observer.invalidate() }
    for entry in routes { entry.route?.loopItem.invalidate() }
    observers = []
    backlog.removeAll()
    routes = []
    places = []
  }

  // MARK: Modes

  /// A route is served in a mode from now on.
  func enter(_ mode: FrameLoop.Mode, of loop: FrameLoop) {
    guard let source else { return }
    if let known = places.firstIndex(where: { $0.loop === loop && $0.mode == mode }) { return places[known].routes += 1 }
    places.append(Place(loop: loop, mode: mode))
    loop.add(source, to: mode)
    loop.add(observer(of: loop), to: mode)
  }

  /// A route is served in a mode no more. The last one takes the queue along.
  func leave(_ mode: FrameLoop.Mode, of loop: FrameLoop) {
    guard let source, let index = places.firstIndex(where: { $0.loop === loop && $0.mode == mode }) else { return }
    places[index].routes -= 1
    guard places[index].routes == 0 else { return }
    places.remove(at: index)
    loop.remove(source, from: mode)
    loop.remove(observer(of: loop), from: mode)
  }

  private func observer(of loop: FrameLoop) -> FrameLoop.Observer {
    if let known = observers.first(where: { $0.loop === loop }) { return known.observer }
    let observer = FrameLoop.Observer(.entry, .onMain { [weak self, weak loop] _, _ in self?.runBegins(of: loop) })
    observers.append((loop, observer))
    return observer
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
