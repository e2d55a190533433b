import Glibc
public import LinuxSystem
import RunLoops
public import Seats

/// Opens a program's cards, and hears the events of cards and screens that come and go. A program has one session; its cards
/// keep it alive.
///
/// ```swift
/// let session = DisplaySession(seat: .automatic())
/// let display = try Displays.kms(session: session)
/// ```
///
/// Through a seat, a card is given up when the user switches to another console, and comes back with the user. Without a seat
/// it is opened with the program's own rights and kept; when another program takes it, the display tries once a second to
/// get it back.
///
/// Nothing is polled where events come. Where none can come, as in some sandboxes, screens are asked every 5 s.
@MainActor
public final class DisplaySession {
  public let seat: SeatSession
  /// The source of events about cards and screens, and why it was chosen, in a sentence.
  public let eventsReason: String

  /// The interval between questions to screens where no event comes.
  public static let checkInterval = Nanoseconds.seconds(5)
  /// The longest wait for a session that does not have its seat yet.
  private static let patience = Nanoseconds.seconds(1)

  private var monitor: DeviceMonitor?
  private lazy var observer = SeatSession.Observer { [weak self] seat in self?.changed(seat.state) }
  private var cards: [Entry] = []
  /// The nodes of cards whose connectors will be probed, once for several events.
  private var changed: Set<String> = []
  private lazy var changes = FrameLoop.Source(.onMain { [weak self] _ in self?.askChanged() })
  private lazy var items = FrameLoop.ItemGroup([seat.loopItem, monitor?.loopItem, changes].compactMap { $0 })

  private struct Entry {
    weak var card: KMSCard?
    let allowsAtomic: Bool
  }

  /// Opens a node with the program's own rights.
  typealias Opener = @MainActor (_ path: String, _ allowsAtomic: Bool) throws(KMSError) -> DRMDevice
  private let opener: Opener?

  /// - Parameter seat: opens the cards. The session of a real seat takes the console's keyboard: see its article.
  public convenience init(seat: SeatSession) {
    self.init(seat: seat, opener: nil)
  }

  /// - Parameter opener: opens the cards instead of the seat, for tests.
  init(seat: SeatSession, opener: Opener?) {
    self.seat = seat
    self.opener = opener
    var hear: ((DeviceEvent) -> Void)?
    do throws(SystemError) {
      let monitor = try DeviceMonitor(subsystems: ["drm"], handler: { hear?($0) })
      (self.monitor, eventsReason) = (monitor, monitor.reason)
    } catch {
      let seconds = Int64(Self.checkInterval.seconds)
      eventsReason = "no events of devices (\(error)): screens are asked every \(seconds) s"
    }
    hear = { [weak self] event in self?.happened(event) }
    seat.add(observer)
  }

  /// A session without a seat, whose cards are opened with the program's own rights.
  public static func direct(why: String = "no seat was asked for") -> DisplaySession {
    DisplaySession(seat: .direct(why: why))
  }

  /// The session of displays without a named one: without a seat, and shared while it is in use.
  static var unnamed: DisplaySession {
    if let inUse = lastUnnamed { return inUse }
    let session = direct(why: "no session was named")
    lastUnnamed = session
    return session
  }
  private static weak var lastUnnamed: DisplaySession?

  isolated deinit {
    monitor?.invalidate()
    changes.invalidate()
    seat.remove(observer)
  }

  /// Opens a card. A card in use is returned to all callers, since a program can be its master only once.
  ///
  /// - Parameters:
  ///   - path: its node: "/dev/dri/card0".
  ///   - allowsAtomic: false for the legacy calls even where there are atomic commits. A card that was opened the other way is
  ///     opened a second time, and shows nothing until the first one is released.
  public func card(at path: String, allowsAtomic: Bool = true) throws(KMSError) -> KMSCard {
    if let known = cards.first(where: { $0.card?.path == path && $0.allowsAtomic == allowsAtomic })?.card { return known }
    guard seat.waitUntilActive(for: Self.patience) else { throw .seat(seat.error ?? .inactive(path: path)) }
    let place = CardPlace(path: path)
    let opened = OpenedCard(seat: seat, opener: opener)
    let device = try opened.open(path, allowsAtomic: allowsAtomic)
    let access = CardAccess(
      open: { [self] () throws(KMSError) in
        try opened.open(place.path(avoiding: openPaths), allowsAtomic: allowsAtomic)
      },
      close: { opened.close() }, takesMaster: seat.isDirect, hearsEvents: monitor != nil,
      checkInterval: monitor == nil ? Self.checkInterval : nil,
      items: items)
    let card = KMSCard(device: device, access: access)
    cards.removeAll { $0.card == nil }
    cards.append(Entry(card: card, allowsAtomic: allowsAtomic))
    return card
  }

  private var openCards: [KMSCard] { cards.compactMap(\.card) }
  private var openPaths: [String] { openCards.filter { $0.device != nil }.map(\.path) }

  // MARK: Events

  func happened(_ event: DeviceEvent) {
    switch event {
    case .added(let device) where device.isGraphicsCard:
      for card in openCards { card.tell(.deviceAdded) }
    case .removed(let device) where device.isGraphicsCard:
      for card in openCards where card.path == device.node { card.tell(.deviceRemoved) }
    // Some drivers leave out `HOTPLUG=1`, and so does a "change" that is written into sysfs.
    case .changed(let device) where device.isGraphicsCard && device.propertyID == nil:
      guard let node = device.node else { return }
      changed.insert(node)
      changes.signal()
    case .added, .removed, .changed: break
    case .rescan:
      for card in openCards {
        card.tell(.deviceAdded)
        card.tell(.hotplug)
      }
    }
  }

  private func askChanged() {
    // A burst of events is one change: read them all first.
    if monitor?.hasEvents == true {
      changes.signal()
      return
    }
    for card in openCards where changed.contains(card.path) { card.tell(.hotplug) }
    changed = []
  }

  private func changed(_ state: SessionState) {
    for card in openCards {
      switch state {
      case .active: card.tell(.session(isActive: true))
      case .disabling, .inactive: card.tell(.session(isActive: false))
      case .gone: card.tell(.sessionEnded)
      }
    }
  }
}

/// A card's device, opened by its seat.
@MainActor
private final class OpenedCard {
  private let seat: SeatSession
  private let opener: DisplaySession.Opener?
  private var device: SeatDevice?

  init(seat: SeatSession, opener: DisplaySession.Opener?) {
    self.seat = seat
    self.opener = opener
  }

  func open(_ path: String, allowsAtomic: Bool) throws(KMSError) -> DRMDevice {
    close()
    if let opener { return try opener(path, allowsAtomic) }
    let device: SeatDevice
    do throws(SeatError) {
      device = try seat.openDevice(at: path)
    } catch .device(let path, let error) {
      throw .device(path: path, error)
    } catch {
      throw .seat(error)
    }
    self.device = device
    do throws(KMSError) {
      return try duplicate(device, path, allowsAtomic: allowsAtomic)
    } catch {
      // An unusable device must not be kept: it may be the card's master.
      close()
      throw error
    }
  }

  private func duplicate(_ device: SeatDevice, _ path: String, allowsAtomic: Bool) throws(KMSError) -> DRMDevice {
    // The seat closes its own descriptor; ours is closed with its last user, perhaps at exit.
    let number = fcntl(device.descriptor, F_DUPFD_CLOEXEC, 0)
    guard number >= 0 else { throw .device(path: path, .last(call: "fcntl", subject: path)) }
    do throws(SystemError) {
      return try DRMDevice(LibDRM(node: OwnedDescriptor(owning: number), path: path), allowsAtomic: allowsAtomic)
    } catch {
      throw .device(path: path, error)
    }
  }

  func close() {
    if let device { seat.closeDevice(device) }
    device = nil
  }
}

/// A card's place in the machine, to find it again: its node may have another number when it comes back.
@MainActor
private struct CardPlace {
  let path: String
  /// The sysfs folder of the device that the card belongs to, such as a PCI device.
  private let parent: String?
  private let driver: String?

  init(path: String) {
    self.path = path
    let device = Self.cards.first { $0.node == path }
    parent = device?.parent
    driver = device?.driver
  }

  /// The node of the card that is in the same place now, else of one with the same driver, else the node from before.
  ///
  /// - Parameter paths: the nodes of other open cards.
  func path(avoiding paths: [String]) -> String {
    let free = Self.cards.filter { !paths.contains($0.node ?? "") }
    let found = free.first { $0.parent == parent } ?? free.first { driver != nil && $0.driver == driver }
    return found?.node ?? path
  }

  private static var cards: [Device] {
    // Without sysfs only nodes tell cards apart.
    ((try? DeviceMonitor.devices(in: "drm")) ?? []).filter(\.isGraphicsCard)
  }
}

extension Device {
  /// "…/0000:00:02.0" of "…/0000:00:02.0/drm/card0".
  fileprivate var parent: String {
    syspath.split(separator: "/", omittingEmptySubsequences: false).dropLast(2).joined(separator: "/")
  }
}
