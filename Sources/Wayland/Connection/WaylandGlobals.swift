import CWaylandClient
import CWaylandProtocols
import Glibc
import LinuxSystem

/// The objects that a compositor offers, as far as windows use them. Each may be missing but those of `missing`.
@MainActor
package struct WaylandGlobals {
  package private(set) var compositor: OpaquePointer?
  package private(set) var sharedMemory: OpaquePointer?
  private(set) var shell: OpaquePointer?
  private(set) var decorations: OpaquePointer?
  private(set) var presentation: OpaquePointer?
  private(set) var viewporter: OpaquePointer?
  private(set) var fractionalScale: OpaquePointer?
  private(set) var idleInhibition: OpaquePointer?
  package private(set) var cursorShapes: OpaquePointer?
  private(set) var fifo: OpaquePointer?
  private(set) var commitTiming: OpaquePointer?
  private(set) var tablets: OpaquePointer?
  private(set) var gestures: OpaquePointer?
  private(set) var textInputs: OpaquePointer?
  private(set) var subcompositor: OpaquePointer?
  private(set) var dataDevices: OpaquePointer?
  private(set) var outputs: [WaylandOutput] = []
  /// Held from the beginning: wlroots gives the pointer to a surface that comes to lie below it, and never to one whose client has no seat then.
  private var seats: [(name: UInt32, pointer: OpaquePointer)] = []
  /// The clock of presentation feedback.
  private(set) var stampClock = PresentationClock()
  /// All globals, also those that windows do not use, for those who bind them.
  private(set) var all: [Announcement] = []
  /// Hears of each global, those that were announced before included.
  private var followers: [@MainActor (Announcement) -> Void] = []

  package struct Announcement: Hashable, Sendable {
    package var interface: String
    package var name: UInt32
    package var version: UInt32

    /// Makes an object of it; nil for an interface that this library does not know.
    func bind(_ registry: OpaquePointer, upTo most: UInt32) -> OpaquePointer? {
      guard let type = cwayland_interface(interface) else { return nil }
      return wl_registry_bind(registry, name, type, min(version, most)).map { OpaquePointer($0) }
    }
  }

  /// Why there can be no window; nil if there can.
  var missing: WaylandError? {
    if compositor == nil { return .missing(interface: "wl_compositor", version: 4) }
    if sharedMemory == nil { return .missing(interface: "wl_shm", version: 1) }
    if shell == nil { return .missing(interface: "xdg_wm_base", version: 1) }
    return nil
  }

  mutating func announced(
    _ interface: String, name: UInt32, version: UInt32, registry: OpaquePointer, connection: WaylandConnection
  ) {
    let announcement = Announcement(interface: interface, name: name, version: version)
    func bind(upTo most: UInt32) -> OpaquePointer? { announcement.bind(registry, upTo: most) }
    all.append(announcement)
    switch interface {
    case "wl_compositor" where version >= 4: compositor = compositor ?? bind(upTo: 4)
    case "wl_shm": sharedMemory = sharedMemory ?? bind(upTo: 1)
    case "xdg_wm_base" where shell == nil:
      shell = bind(upTo: 6)
      xdg_wm_base_add_listener(shell, Self.shellListener, listenerData(connection))
    case "wp_presentation" where presentation == nil:
      presentation = bind(upTo: 2)
      wp_presentation_add_listener(presentation, Self.presentationListener, listenerData(connection))
    case "wl_output":
      if let pointer = bind(upTo: 4) {
        outputs.append(WaylandOutput(pointer, name: name, connection: connection))
      }
    case "wl_seat": if let seat = bind(upTo: 5) { seats.append((name, seat)) }
    case "zxdg_decoration_manager_v1": decorations = decorations ?? bind(upTo: 1)
    case "wp_viewporter": viewporter = viewporter ?? bind(upTo: 1)
    case "wp_fractional_scale_manager_v1": fractionalScale = fractionalScale ?? bind(upTo: 1)
    case "zwp_idle_inhibit_manager_v1": idleInhibition = idleInhibition ?? bind(upTo: 1)
    case "wp_cursor_shape_manager_v1": cursorShapes = cursorShapes ?? bind(upTo: 1)
    case "wp_fifo_manager_v1": fifo = fifo ?? bind(upTo: 1)
    case "wp_commit_timing_manager_v1": commitTiming = commitTiming ?? bind(upTo: 1)
    case "zwp_tablet_manager_v2": tablets = tablets ?? bind(upTo: 1)
    case "zwp_pointer_gestures_v1": gestures = gestures ?? bind(upTo: 3)
    case "zwp_text_input_manager_v3": textInputs = textInputs ?? bind(upTo: 1)
    case "wl_subcompositor": subcompositor = subcompositor ?? bind(upTo: 1)
    case "wl_data_device_manager": dataDevices = dataDevices ?? bind(upTo: 3)
    default: break
    }
    for follower in followers { follower(announcement) }
  }

  /// - Returns: the output that is gone, if it was one.
  mutating func withdrawn(_ name: UInt32) -> WaylandOutput? {
    all.removeAll { $0.name == name }
    for seat in seats where seat.name == name { Self.release(seat: seat.pointer) }
    seats.removeAll { $0.name == name }
    guard let index = outputs.firstIndex(where: { $0.global == name }) else { return nil }
    let output = outputs.remove(at: index)
    output.destroy()
    return output
  }

  mutating func follow(_ follower: @escaping @MainActor (Announcement) -> Void) {
    followers.append(follower)
    for announcement in all { follower(announcement) }
  }

  mutating func setStampClock(_ number: UInt32) { stampClock = PresentationClock(number: number) }

  mutating func destroy() {
    for output in outputs { output.destroy() }
    for seat in seats { Self.release(seat: seat.pointer) }
    if let tablets { zwp_tablet_manager_v2_destroy(tablets) }
    if let gestures {
      let hasRelease = zwp_pointer_gestures_v1_get_version(gestures) >= 2
      if hasRelease { zwp_pointer_gestures_v1_release(gestures) } else { zwp_pointer_gestures_v1_destroy(gestures) }
    }
    if let textInputs { zwp_text_input_manager_v3_destroy(textInputs) }
    if let subcompositor { wl_subcompositor_destroy(subcompositor) }
    if let dataDevices { wl_data_device_manager_destroy(dataDevices) }
    if let fifo { wp_fifo_manager_v1_destroy(fifo) }
    if let commitTiming { wp_commit_timing_manager_v1_destroy(commitTiming) }
    if let cursorShapes { wp_cursor_shape_manager_v1_destroy(cursorShapes) }
    if let idleInhibition { zwp_idle_inhibit_manager_v1_destroy(idleInhibition) }
    if let fractionalScale { wp_fractional_scale_manager_v1_destroy(fractionalScale) }
    if let viewporter { wp_viewporter_destroy(viewporter) }
    if let presentation { wp_presentation_destroy(presentation) }
    if let decorations { zxdg_decoration_manager_v1_destroy(decorations) }
    if let shell { xdg_wm_base_destroy(shell) }
    if let sharedMemory { wl_shm_destroy(sharedMemory) }
    if let compositor { wl_compositor_destroy(compositor) }
    self = WaylandGlobals()
  }

  static func release(seat: OpaquePointer) {
    if wl_seat_get_version(seat) >= 5 { wl_seat_release(seat) } else { wl_seat_destroy(seat) }
  }

  private static let shellListener = listenerTable(
    xdg_wm_base_listener(ping: { _, shell, serial in xdg_wm_base_pong(shell, serial) }))

  private static let presentationListener = listenerTable(
    wp_presentation_listener(
      clock_id: { data, _, number in
        onMain(data) { (connection: WaylandConnection) in connection.setStampClock(number) }
      }))
}
