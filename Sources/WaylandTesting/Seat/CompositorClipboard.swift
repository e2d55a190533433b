import CWaylandTesting
import Glibc
public import LinuxSystem
import RunLoops

/// The clipboard of a scripted compositor: what its clients copy, and what another program does that is none of them.
///
/// ```swift
/// compositor.clipboard.copy("from elsewhere", delivery: .pieces(of: 3, every: .milliseconds(40)))
/// let paste = compositor.clipboard.paste("UTF8_STRING")
/// ```
@MainActor
public final class CompositorClipboard {
  /// The way in which the other program hands over what it copied.
  public enum Delivery: Hashable, Sendable {
    case whole
    case pieces(of: Int, every: Nanoseconds)
    /// It writes nothing, and does not end.
    case silent
    /// It ends before it has written anything.
    case gone
    /// It writes for ever.
    case endless
  }

  /// The kinds of text that programs offer.
  public static let textTypes = ["text/plain;charset=utf-8", "UTF8_STRING", "text/plain"]

  private enum Selection {
    case none
    case client(ServerObject, types: [String])
    case program([UInt8], types: [String], Delivery)
  }

  /// The kinds that a client offers whose selection is in force; nil if none is.
  public var clientTypes: [String]? { if case .client(_, let types) = selection { types } else { nil } }
  /// The offers that clients have not destroyed.
  public private(set) var offerCount = 0
  /// How often a client asked the other program for its text.
  public private(set) var requestCount = 0

  private unowned let compositor: ScriptedCompositor
  private var selection = Selection.none
  private var selectionSerial: UInt32 = 0
  /// The kinds that each source offers.
  private var types: [ObjectIdentifier: [String]] = [:]
  private var writers: [PipeWriter] = []

  init(of compositor: ScriptedCompositor) { self.compositor = compositor }

  // MARK: The other program

  /// The other program copies a text.
  public func copy(
    _ text: String, types: [String] = CompositorClipboard.textTypes, delivery: Delivery = .whole
  ) { select(.program(Array(text.utf8), types: types, delivery)) }

  /// Nothing is copied any more.
  public func clear() { select(.none) }

  /// The other program asks the client for what it copied.
  ///
  /// - Parameter isRead: false not to read what the client writes.
  /// - Returns: nil if no client has copied anything.
  public func paste(_ type: String, isRead: Bool = true) -> CompositorPaste? {
    guard case .client(let source, _) = selection else { return nil }
    var ends: [Int32] = [-1, -1]
    guard wayland_testing_pipe(&ends) == 0 else { return nil }
    source.send("send", .string(type), .descriptor(ends[1]))
    close(ends[1])
    return CompositorPaste(OwnedDescriptor(owning: ends[0]), compositor.loop, isRead: isRead)
  }

  // MARK: Clients

  func offer(_ manager: ServerObject) {
    manager.onRequest = { [unowned self] request in
      switch request.name {
      case "create_data_source": addSource(request.newObject(0))
      case "get_data_device": addDevice(request.newObject(0))
      default: break
      }
    }
  }

  private func addSource(_ source: ServerObject) {
    source.onRequest = { [unowned self] request in
      if request.name == "offer" { types[ObjectIdentifier(source), default: []].append(request.string(0)) }
    }
    source.onEnd = { [unowned self] in
      types[ObjectIdentifier(source)] = nil
      if case .client(let current, _) = selection, current === source { select(.none) }
    }
  }

  private func addDevice(_ device: ServerObject) {
    let client = device.client
    client.dataDevices.append(device)
    device.onEnd = { client.dataDevices.removeAll { $0 === device } }
    device.onRequest = { [unowned self] request in
      if request.name == "set_selection" { select(request.object(0), serial: request.uint(1), of: client) }
    }
    if compositor.seat.keyboardFocus?.surface.object.client === client { tell(device) }
  }

  private func select(_ source: ServerObject?, serial: UInt32, of client: CompositorClient) {
    guard compositor.seat.isUsed(serial) else { return compositor.note(.unknownInput, "a selection for \(serial)") }
    // As compositors do, without a word.
    guard compositor.seat.keyboardFocus?.surface.object.client === client, serial >= selectionSerial else { return }
    selectionSerial = serial
    select(source.map { .client($0, types: types[ObjectIdentifier($0)] ?? []) } ?? .none)
  }

  private func select(_ new: Selection) {
    let old = selection
    selection = new
    if case .client(let source, _) = old { source.send("cancelled") }
    if let client = compositor.seat.keyboardFocus?.surface.object.client { tell(client) }
  }

  /// Tells a client what is copied, as when it gets the keyboard.
  func tell(_ client: CompositorClient) { for device in client.dataDevices { tell(device) } }

  private func tell(_ device: ServerObject) {
    let types: [String]
    switch selection {
    case .none: return device.send("selection", .object(nil))
    case .client(_, let offered), .program(_, let offered, _): types = offered
    }
    let offer = ServerObject(
      client: device.client, interface: InterfaceNames.interface("wl_data_offer"), version: device.version, id: 0)
    offerCount += 1
    offer.onEnd = { [weak self] in self?.offerCount -= 1 }
    let offered = selection
    offer.onRequest = { [unowned self] request in
      if request.name == "receive" {
        hand(over: offered, request.string(0), to: OwnedDescriptor(owning: request.descriptor(1)))
      }
    }
    device.send("data_offer", .object(offer))
    for type in types { offer.send("offer", .string(type)) }
    device.send("selection", .object(offer))
  }

  private func hand(over selection: Selection, _ type: String, to file: consuming OwnedDescriptor) {
    requestCount += 1
    switch selection {
    case .none: break
    case .client(let source, _): source.send("send", .string(type), .descriptor(file.number))
    case .program(let bytes, _, let delivery):
      guard delivery != .gone else { return }
      let writer = PipeWriter(bytes, delivery, file, compositor)
      writers.append(writer)
      writer.start()
    }
  }

  /// Ends what is under way.
  func invalidate() {
    for writer in writers { writer.end() }
    writers = []
  }
}

/// The bytes that a client writes for another program that pastes.
@MainActor
public final class CompositorPaste {
  public private(set) var bytes: [UInt8] = []
  /// True when the client has written all.
  public private(set) var isEnded = false
  public var text: String { String(decoding: bytes, as: UTF8.self) }
  private let file: OwnedDescriptor
  private var source: FrameLoop.DescriptorSource?

  init(_ file: consuming OwnedDescriptor, _ loop: FrameLoop, isRead: Bool) {
    self.file = file
    guard isRead else { return }
    let source = FrameLoop.DescriptorSource(descriptor: self.file.number, .onMain { [weak self] _, _ in self?.read() })
    self.source = source
    loop.add(source, to: .default)
  }

  isolated deinit { source?.invalidate() }

  private func read() {
    var piece = [UInt8](repeating: 0, count: 4096)
    let count = Glibc.read(file.number, &piece, piece.count)
    if count > 0 { return bytes.append(contentsOf: piece.prefix(count)) }
    isEnded = count == 0
    source?.invalidate()
  }
}

/// Writes the text of the other program.
@MainActor
private final class PipeWriter {
  private unowned let compositor: ScriptedCompositor
  private let delivery: CompositorClipboard.Delivery
  private var file: OwnedDescriptor?
  private var rest: ArraySlice<UInt8>
  private var source: FrameLoop.DescriptorSource?

  init(
    _ bytes: [UInt8], _ delivery: CompositorClipboard.Delivery, _ file: consuming OwnedDescriptor,
    _ compositor: ScriptedCompositor
  ) {
    (self.compositor, self.delivery, rest) = (compositor, delivery, bytes[...])
    self.file = consume file
  }

  func start() {
    guard let number = file?.number else { return }
    _ = fcntl(number, F_SETFL, O_NONBLOCK)
    switch delivery {
    case .silent, .gone: break
    case .pieces: step()
    case .whole, .endless:
      let source = FrameLoop.DescriptorSource(
        descriptor: number, events: .writable, .onMain { [weak self] _, _ in self?.step() })
      self.source = source
      compositor.loop.add(source, to: .default)
    }
  }

  private func step() {
    guard let number = file?.number else { return }
    var piece = Array(rest.prefix(4096))
    switch delivery {
    case .pieces(let count, _): piece = Array(rest.prefix(count))
    case .endless: piece = [UInt8](repeating: 0x61, count: 4096)
    case .whole, .silent, .gone: break
    }
    let written = wayland_testing_write(number, piece, piece.count)
    if delivery != .endless { rest = rest.dropFirst(max(written, 0)) }
    if written < 0 && written != Int(-EAGAIN) || rest.isEmpty && delivery != .endless { return end() }
    guard case .pieces(_, let interval) = delivery else { return }
    compositor.schedule(at: compositor.loop.clock.now + interval) { [weak self] in self?.step() }
  }

  func end() {
    source?.invalidate()
    source = nil
    file = nil
  }
}
