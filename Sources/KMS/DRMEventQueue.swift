import Glibc
import LinuxSystem
import RunLoops

/// Reads a card's events on the loop and hands each to the display that asked for it: no thread of its own.
///
/// Flips are handed out before vblanks. The kernel puts both into one read, in the order in which they were asked for; a
/// tick that came first would find the last frame still pending and its buffer in use, although it is on the screen.
@MainActor
final class DRMEventQueue {
  private struct Entry {
    let number: UInt32
    weak var route: DRMEventRoute?
  }
  private struct Membership: Equatable {
    let route: UInt32
    let user: DRMEventRoute.User
    let loop: FrameLoop
    let mode: FrameLoop.Mode

    static func == (first: Membership, second: Membership) -> Bool {
      first.route == second.route && first.user == second.user && first.loop === second.loop && first.mode == second.mode
    }
  }

  private let interface: any DRMInterface
  private var source: FrameLoop.DescriptorSource?
  private var routes: [Entry] = []
  private var lastNumber: UInt32 = 0
  private var memberships: [Membership] = []
  /// Room for 32 events; two come at a vblank of each display, and what is left in the kernel makes the descriptor ready
  /// again. More than this would not be taken from the stack. (No buffer of the queue's own: a handler may run the loop,
  /// and be served.)
  private static let capacity = 1024

  /// Whether events are read. Not any more after one could not be.
  var isValid: Bool { source != nil }

  init(interface: any DRMInterface) {
    self.interface = interface
    source = FrameLoop.DescriptorSource(
      descriptor: interface.descriptor,
      onMain: { [weak self] _, _ in self?.serve() })
  }

  /// A new display's share of the events.
  func makeRoute() -> DRMEventRoute {
    routes.removeAll { $0.route == nil }
    lastNumber &+= 1
    let route = DRMEventRoute(number: lastNumber, queue: self)
    routes.append(Entry(number: lastNumber, route: route))
    return route
  }

  /// Whether events wait to be read.
  var hasUnread: Bool {
    var item = pollfd(fd: interface.descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&item, 1, 0) > 0 && item.revents & Int16(POLLIN) != 0
  }

  func add(_ user: DRMEventRoute.User, of route: UInt32, to loop: FrameLoop, mode: FrameLoop.Mode) {
    let membership = Membership(route: route, user: user, loop: loop, mode: mode)
    guard let source, !memberships.contains(membership) else { return }
    memberships.append(membership)
    loop.add(source, to: mode)
  }

  func remove(_ user: DRMEventRoute.User, of route: UInt32, from loop: FrameLoop, mode: FrameLoop.Mode) {
    leave { $0 == Membership(route: route, user: user, loop: loop, mode: mode) }
  }

  /// Forgets a display: its events are dropped, and modes that it alone is served in are left.
  func remove(_ route: UInt32) {
    routes.removeAll { $0.number == route }
    leave { $0.route == route }
  }

  /// Ends it for good; events that were not read are lost.
  func invalidate() {
    source?.invalidate()
    source = nil
    routes = []
    memberships = []
  }

  /// A mode is left when the last that wants events served in it leaves it.
  private func leave(where isLeaving: (Membership) -> Bool) {
    guard let source else { return }
    let left = memberships.filter(isLeaving)
    memberships.removeAll(where: isLeaving)
    for old in left where !memberships.contains(where: { $0.loop === old.loop && $0.mode == old.mode }) {
      old.loop.remove(source, from: old.mode)
      // To leave the common modes is to leave each of them, also one that is named by itself.
      for membership in memberships where membership.loop === old.loop { old.loop.add(source, to: membership.mode) }
    }
  }

  private func serve() {
    do throws(SystemError) {
      try withUnsafeTemporaryAllocation(byteCount: Self.capacity, alignment: 8) { buffer throws(SystemError) in
        let count = try interface.readEvents(into: buffer)
        let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<min(count, buffer.count)])
        dispatch(bytes) { $0.isFlip }
        dispatch(bytes) { !$0.isFlip }
      }
    } catch {
      // The descriptor cannot be read any more: it is no longer waited on.
      let told = routes
      invalidate()
      for entry in told { entry.route?.onError?(error) }
    }
  }

  private func dispatch(_ bytes: UnsafeRawBufferPointer, where isWanted: (DRMEvent) -> Bool) {
    var parser = DRMEventParser(bytes)
    while let event = parser.next() {
      guard isWanted(event) else { continue }
      switch event {
      case .flip(let token, let time, let sequence):
        route(of: token)?.onFlip?(UInt32(truncatingIfNeeded: token), time, sequence)
      case .sequence(let token, let time, let sequence):
        route(of: token)?.onSequence?(UInt32(truncatingIfNeeded: token), time, sequence)
      case .other: break
      }
    }
  }

  private func route(of token: UInt64) -> DRMEventRoute? {
    let number = UInt32(truncatingIfNeeded: token >> 32)
    return routes.first { $0.number == number }?.route
  }
}
