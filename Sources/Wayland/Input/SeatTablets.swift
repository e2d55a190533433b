import CWaylandClient
import CWaylandProtocols
import Geometry
import Input
import LinuxSystem

/// The pens of a seat, and the tablets that they are used on.
@MainActor
final class SeatTablets {
  private let pointer: OpaquePointer
  private unowned let seat: WaylandSeat
  private var tools: [SeatTool] = []
  private var tablets: [OpaquePointer] = []
  /// Their buttons and rings are not read. Those that they have made stay until the connection ends.
  private var pads: [OpaquePointer] = []

  /// - Returns: nil where the desktop tells of no tablets.
  init?(of seat: WaylandSeat, _ seatPointer: OpaquePointer) {
    guard let manager = seat.connection.globals.tablets,
      let pointer = zwp_tablet_manager_v2_get_tablet_seat(manager, seatPointer)
    else { return nil }
    (self.seat, self.pointer) = (seat, pointer)
    zwp_tablet_seat_v2_add_listener(pointer, Self.listener, listenerData(self))
  }

  func destroy() {
    for tool in tools { tool.destroy() }
    for tablet in tablets { zwp_tablet_v2_destroy(tablet) }
    for pad in pads { zwp_tablet_pad_v2_destroy(pad) }
    (tools, tablets, pads) = ([], [], [])
    zwp_tablet_seat_v2_destroy(pointer)
  }

  func showCursor() { for tool in tools { tool.showCursor() } }

  private func add(tool: UInt) {
    guard let pointer = OpaquePointer(bitPattern: tool) else { return }
    let tool = SeatTool(pointer, of: seat)
    tool.onRemoved = { [weak self, weak tool] in
      guard let self, let tool else { return }
      tools.removeAll { $0 === tool }
      tool.destroy()
    }
    tools.append(tool)
  }

  private func add(tablet: UInt) {
    guard let pointer = OpaquePointer(bitPattern: tablet) else { return }
    tablets.append(pointer)
    zwp_tablet_v2_add_listener(pointer, Self.tabletListener, listenerData(self))
  }

  private func remove(tablet: UInt) {
    guard let index = tablets.firstIndex(where: { UInt(bitPattern: $0) == tablet }) else { return }
    zwp_tablet_v2_destroy(tablets.remove(at: index))
  }

  private static let listener = listenerTable(
    zwp_tablet_seat_v2_listener(
      tablet_added: { data, _, tablet in
        let tablet = UInt(bitPattern: tablet)
        onMain(data) { (tablets: SeatTablets) in tablets.add(tablet: tablet) }
      },
      tool_added: { data, _, tool in
        let tool = UInt(bitPattern: tool)
        onMain(data) { (tablets: SeatTablets) in tablets.add(tool: tool) }
      },
      pad_added: { data, _, pad in
        let pad = UInt(bitPattern: pad)
        onMain(data) { (tablets: SeatTablets) in
          if let pointer = OpaquePointer(bitPattern: pad) { tablets.pads.append(pointer) }
        }
      }))

  private static let tabletListener = listenerTable(
    zwp_tablet_v2_listener(
      name: { _, _, _ in },
      id: { _, _, _, _ in },
      path: { _, _, _ in },
      done: { _, _ in },
      removed: { data, tablet in
        let tablet = UInt(bitPattern: tablet)
        onMain(data) { (tablets: SeatTablets) in tablets.remove(tablet: tablet) }
      }))
}

/// A pen, or another tool of a tablet. What belongs together comes in frames; each makes one event.
@MainActor
final class SeatTool {
  private let pointer: OpaquePointer
  private unowned let seat: WaylandSeat
  private var shapes: OpaquePointer?
  private var window: WaylandWindow?
  /// The part of a window's own frame that the pen is over.
  private var frame: (window: WaylandWindow, part: FrameLayout.Part)?
  /// The button of a frame on which the pen went down.
  private var frameButton: FrameArea?
  private var arrival: UInt32 = 0
  private var tool = InputEvent.Pen.Tool.pen
  private var contact = InputEvent.Pen.Contact.away
  private var point = Point.zero
  /// Nil for a pen without them.
  private var pressure: Double?
  private var tilt: Point?
  /// The serial of a frame's touch, and the buttons in it.
  private var touch: UInt32?
  private var buttons: [(code: UInt32, isDown: Bool)] = []
  private var hasChanged = false
  /// Called when the pen is gone.
  var onRemoved: (@MainActor () -> Void)?

  init(_ pointer: OpaquePointer, of seat: WaylandSeat) {
    (self.pointer, self.seat) = (pointer, seat)
    zwp_tablet_tool_v2_add_listener(pointer, Self.listener, listenerData(self))
    if let manager = seat.connection.globals.cursorShapes {
      shapes = wp_cursor_shape_manager_v1_get_tablet_tool_v2(manager, pointer)
    }
  }

  func destroy() {
    if window != nil, contact != .away {
      contact = .away
      sendPen(at: seat.now)
    }
    if let shapes { wp_cursor_shape_device_v1_destroy(shapes) }
    zwp_tablet_tool_v2_destroy(pointer)
  }

  /// Without shapes the look is the desktop's.
  func showCursor() {
    guard window != nil || frame != nil else { return }
    guard let number = (frame == nil ? seat.cursor : .standard).number else {
      return zwp_tablet_tool_v2_set_cursor(pointer, arrival, nil, 0, 0)
    }
    if let shapes { wp_cursor_shape_device_v1_set_shape(shapes, arrival, number) }
  }

  // MARK: Events

  private func change(_ body: (SeatTool) -> Void) {
    body(self)
    hasChanged = true
  }

  private func came(_ serial: UInt32, _ surface: UInt) {
    window = seat.window(surface)
    frame = seat.connection.frame(of: surface).map { (window: $0.0, part: $0.1) }
    (arrival, contact) = (serial, .near)
    hasChanged = true
    showCursor()
  }

  private func frameEnded(_ stamp: UInt32) {
    let time = seat.time(of: stamp)
    if let touch { seat.used(touch) }
    if frame != nil { pressFrame() }
    if hasChanged { sendPen(at: time) }
    for button in buttons {
      guard let window, let code = UInt16(exactly: button.code) else { continue }
      seat.send(.button(InputCode(rawValue: code), isDown: button.isDown), .pen, of: window, at: time)
    }
    (touch, buttons, hasChanged) = (nil, [], false)
    if contact == .away { (window, frame, frameButton) = (nil, nil, nil) }
  }

  private func pressFrame() {
    guard let frame, let windowFrame = frame.window.frame else { return }
    if contact == .down, let touch {
      frameButton = windowFrame.touched(frame.part, at: point, serial: touch, seat: seat.pointer)
    } else if contact == .near, let button = frameButton {
      frameButton = nil
      windowFrame.tapped(button, seat: seat.pointer)
    }
  }

  private func sendPen(at time: MonotonicTime) {
    guard let window else { return }
    let pen = InputEvent.Pen(
      tool: tool, contact: contact, position: window.part(point.x, point.y), pressure: pressure, tilt: tilt)
    seat.send(.pen(pen), .pen, of: window, at: time)
  }

  private static let listener = listenerTable(
    zwp_tablet_tool_v2_listener(
      type: { data, _, type in onMain(data) { (tool: SeatTool) in tool.tool = InputEvent.Pen.Tool(type) } },
      hardware_serial: { _, _, _, _ in },
      hardware_id_wacom: { _, _, _, _ in },
      capability: { data, _, capability in
        onMain(data) { (tool: SeatTool) in
          if capability == ZWP_TABLET_TOOL_V2_CAPABILITY_PRESSURE.rawValue { tool.pressure = 0 }
          if capability == ZWP_TABLET_TOOL_V2_CAPABILITY_TILT.rawValue { tool.tilt = .zero }
        }
      },
      done: { _, _ in },
      removed: { data, _ in onMain(data) { (tool: SeatTool) in tool.onRemoved?() } },
      proximity_in: { data, _, serial, _, surface in
        let surface = UInt(bitPattern: surface)
        onMain(data) { (tool: SeatTool) in tool.came(serial, surface) }
      },
      proximity_out: { data, _ in onMain(data) { (tool: SeatTool) in tool.change { $0.contact = .away } } },
      down: { data, _, serial in
        onMain(data) { (tool: SeatTool) in tool.change { ($0.contact, $0.touch) = (.down, serial) } }
      },
      up: { data, _ in onMain(data) { (tool: SeatTool) in tool.change { $0.contact = .near } } },
      motion: { data, _, x, y in
        onMain(data) { (tool: SeatTool) in tool.change { $0.point = Point(wl_fixed_to_double(x), wl_fixed_to_double(y)) } }
      },
      pressure: { data, _, pressure in
        onMain(data) { (tool: SeatTool) in tool.change { $0.pressure = min(Double(pressure) / 65535, 1) } }
      },
      distance: { _, _, _ in },
      tilt: { data, _, x, y in
        onMain(data) { (tool: SeatTool) in tool.change { $0.tilt = Point(wl_fixed_to_double(x), wl_fixed_to_double(y)) } }
      },
      rotation: { _, _, _ in },
      slider: { _, _, _ in },
      wheel: { _, _, _, _ in },
      button: { data, _, serial, button, state in
        onMain(data) { (tool: SeatTool) in
          if state != 0 { tool.seat.used(serial) }
          tool.buttons.append((code: button, isDown: state != 0))
        }
      },
      frame: { data, _, stamp in onMain(data) { (tool: SeatTool) in tool.frameEnded(stamp) } }))
}

extension InputEvent.Pen.Tool {
  /// - Parameter type: one of the protocol; an unknown one counts as a pen.
  fileprivate init(_ type: UInt32) {
    self =
      switch zwp_tablet_tool_v2_type(rawValue: type) {
      case ZWP_TABLET_TOOL_V2_TYPE_ERASER: .eraser
      case ZWP_TABLET_TOOL_V2_TYPE_BRUSH: .brush
      case ZWP_TABLET_TOOL_V2_TYPE_PENCIL: .pencil
      case ZWP_TABLET_TOOL_V2_TYPE_AIRBRUSH: .airbrush
      case ZWP_TABLET_TOOL_V2_TYPE_MOUSE: .mouse
      case ZWP_TABLET_TOOL_V2_TYPE_LENS: .lens
      default: .pen
      }
  }
}
