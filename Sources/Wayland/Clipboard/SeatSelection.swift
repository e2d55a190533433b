import CWaylandClient
import Glibc
import LinuxSystem

/// The selection of a seat: what was copied last, here or elsewhere.
@MainActor
final class SeatSelection {
  private let device: OpaquePointer
  private unowned let seat: WaylandSeat
  /// The offers that are not destroyed; the one that is the selection is among them.
  private var offers: [SelectionOffer] = []
  private var selection: SelectionOffer?
  /// An offer that is dragged over a window. Nothing takes it.
  private var dragged: SelectionOffer?
  private var source: SelectionSource?
  /// True from the moment at which our text was offered to the one at which the desktop says what the selection is.
  private var isUntold = false
  private var reader: SelectionReader?

  /// - Returns: nil where the desktop has no clipboard.
  init?(of seat: WaylandSeat, _ pointer: OpaquePointer) {
    guard let manager = seat.connection.globals.dataDevices,
      let device = wl_data_device_manager_get_data_device(manager, pointer)
    else { return nil }
    (self.seat, self.device) = (seat, device)
    wl_data_device_add_listener(device, Self.listener, listenerData(self))
  }

  func destroy() {
    reader?.end(nil)
    reader = nil
    source?.destroy()
    for offer in offers { offer.destroy() }
    (offers, selection, dragged, source) = ([], nil, nil, nil)
    if wl_data_device_get_version(device) >= 2 { wl_data_device_release(device) } else { wl_data_device_destroy(device) }
  }

  /// Makes a text the selection.
  ///
  /// - Returns: false before anybody has done anything.
  func offer(_ text: String) -> Bool {
    guard let serial = seat.lastSerial, let manager = seat.connection.globals.dataDevices,
      let source = SelectionSource(text, manager, seat.connection)
    else { return false }
    let old = self.source
    self.source = source
    isUntold = true
    source.onEnd = { [weak self, weak source] in
      guard let self, let source, source === self.source else { return }
      self.source = nil
      source.destroy()
    }
    wl_data_device_set_selection(device, source.pointer, serial)
    // Only now: there is no moment without a selection.
    old?.destroy()
    seat.connection.flush()
    return true
  }

  /// - Parameter handler: called once.
  func request(_ handler: @escaping @MainActor (String?) -> Void) {
    // A desktop that did not take our text has not said so, but what it tells is another one's.
    if let source, isUntold || selection?.isOffer(of: source) == true { return handler(source.text) }
    guard let selection, let type = selection.type else { return handler(nil) }
    if let reader { return reader.add(handler) }
    guard let reader = SelectionReader(seat.connection, ended: { [weak self] in self?.reader = nil }) else {
      return handler(nil)
    }
    self.reader = reader
    reader.add(handler)
    reader.start { wl_data_offer_receive(selection.pointer, type, $0) }
    seat.connection.flush()
  }

  // MARK: Events

  private func introduced(_ pointer: UInt) {
    if let pointer = OpaquePointer(bitPattern: pointer) { offers.append(SelectionOffer(pointer)) }
  }

  private func selected(_ pointer: UInt) {
    isUntold = false
    end(selection)
    selection = offer(pointer)
  }

  private func draggedIn(_ pointer: UInt) {
    end(dragged)
    dragged = offer(pointer)
  }

  private func draggedOut() {
    end(dragged)
    dragged = nil
  }

  private func offer(_ pointer: UInt) -> SelectionOffer? { offers.first { UInt(bitPattern: $0.pointer) == pointer } }

  private func end(_ offer: SelectionOffer?) {
    guard let offer else { return }
    offers.removeAll { $0 === offer }
    offer.destroy()
  }

  private static let listener = listenerTable(
    wl_data_device_listener(
      data_offer: { data, _, offer in
        let offer = UInt(bitPattern: offer)
        onMain(data) { (selection: SeatSelection) in selection.introduced(offer) }
      },
      enter: { data, _, _, _, _, _, offer in
        let offer = UInt(bitPattern: offer)
        onMain(data) { (selection: SeatSelection) in selection.draggedIn(offer) }
      },
      leave: { data, _ in onMain(data) { (selection: SeatSelection) in selection.draggedOut() } },
      motion: { _, _, _, _, _ in },
      drop: { data, _ in onMain(data) { (selection: SeatSelection) in selection.draggedOut() } },
      selection: { data, _, offer in
        let offer = UInt(bitPattern: offer)
        onMain(data) { (selection: SeatSelection) in selection.selected(offer) }
      }))
}

/// An offer of another program, or of this one, as far as it is text.
@MainActor
final class SelectionOffer {
  let pointer: OpaquePointer
  /// The best kind of text that is offered; nil if none is.
  private(set) var type: String?
  private var mark: String?

  init(_ pointer: OpaquePointer) {
    self.pointer = pointer
    wl_data_offer_add_listener(pointer, Self.listener, listenerData(self))
  }

  func destroy() { wl_data_offer_destroy(pointer) }

  func isOffer(of source: SelectionSource) -> Bool { mark == source.mark }

  private func add(_ name: String) {
    if name.hasPrefix(SelectionSource.markPrefix) { mark = name }
    let rank = SelectionSource.textTypes.firstIndex(of: name)
    guard let rank, rank < type.flatMap({ SelectionSource.textTypes.firstIndex(of: $0) }) ?? .max else { return }
    type = name
  }

  private static let listener = listenerTable(
    wl_data_offer_listener(
      offer: { data, _, type in
        guard let type else { return }
        let name = String(cString: type)
        onMain(data) { (offer: SelectionOffer) in offer.add(name) }
      },
      source_actions: { _, _, _ in },
      action: { _, _, _ in }))
}

/// Our own text, for those who ask for it.
@MainActor
final class SelectionSource {
  /// The kinds of text, the best first. All have UTF-8.
  static let textTypes = ["text/plain;charset=utf-8", "UTF8_STRING", "text/plain"]
  static let markPrefix = "application/x-framepace-copy-"
  /// The most programs that are served at a time.
  private static let mostWriters = 16
  private static var count = 0

  let pointer: OpaquePointer
  let text: String
  /// A kind of its own, by which an offer is known to be of this text.
  let mark: String
  /// Called when another program has the selection.
  var onEnd: (@MainActor () -> Void)?
  private let connection: WaylandConnection
  private var writers = 0

  init?(_ text: String, _ manager: OpaquePointer, _ connection: WaylandConnection) {
    guard let pointer = wl_data_device_manager_create_data_source(manager) else { return nil }
    Self.count += 1
    (self.pointer, self.text, self.connection) = (pointer, text, connection)
    mark = "\(Self.markPrefix)\(getpid())-\(Self.count)"
    wl_data_source_add_listener(pointer, Self.listener, listenerData(self))
    for type in Self.textTypes + [mark] { wl_data_source_offer(pointer, type) }
  }

  /// Ends it. Those who read the text already get all of it.
  func destroy() {
    onEnd = nil
    wl_data_source_destroy(pointer)
  }

  private func send(to number: Int32, _ type: String) {
    let file = OwnedDescriptor(owning: number)
    guard Self.textTypes.contains(type), writers < Self.mostWriters else { return }
    writers += 1
    SelectionWriter(Array(text.utf8), file, connection) { [weak self] in self?.writers -= 1 }.start()
  }

  private static let listener = listenerTable(
    wl_data_source_listener(
      target: { _, _, _ in },
      send: { data, _, type, descriptor in
        let name = type.map { String(cString: $0) } ?? ""
        onMain(data) { (source: SelectionSource) in source.send(to: descriptor, name) }
      },
      cancelled: { data, _ in onMain(data) { (source: SelectionSource) in source.onEnd?() } },
      dnd_drop_performed: { _, _ in },
      dnd_finished: { _, _ in },
      action: { _, _, _ in }))
}
