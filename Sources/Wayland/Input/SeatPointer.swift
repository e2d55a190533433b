import CWaylandClient
import CWaylandProtocols
import Geometry
import Input
import LinuxSystem

/// The pointer of a seat.
@MainActor
final class SeatPointer {
  private let pointer: OpaquePointer
  private unowned let seat: WaylandSeat
  private var window: WaylandWindow?
  /// The part of a window's own frame that the pointer is in; then it is in no window.
  private var frame: (window: WaylandWindow, part: FrameLayout.Part)?
  /// The look over a frame, which the application does not choose.
  private var frameCursor: CursorShape?
  /// The serial of the arrival in the window, with which the cursor is set.
  private var arrival: UInt32 = 0
  private var axes = PointerAxes()
  private var lastStamp: UInt32 = 0
  private var shapes: OpaquePointer?
  private var theme: CursorTheme?

  init(_ pointer: OpaquePointer, of seat: WaylandSeat) {
    (self.pointer, self.seat) = (pointer, seat)
    wl_pointer_add_listener(pointer, Self.listener, listenerData(self))
    if let manager = seat.connection.globals.cursorShapes {
      shapes = wp_cursor_shape_manager_v1_get_pointer(manager, pointer)
    }
  }

  func destroy() {
    if let shapes { wp_cursor_shape_device_v1_destroy(shapes) }
    theme?.destroy()
    (shapes, theme) = (nil, nil)
    if wl_pointer_get_version(pointer) >= 3 { wl_pointer_release(pointer) } else { wl_pointer_destroy(pointer) }
  }

  // MARK: Cursor

  func showCursor() {
    guard let over = window ?? frame?.window else { return }
    let cursor = frameCursor ?? seat.cursor
    guard let number = cursor.number else { return wl_pointer_set_cursor(pointer, arrival, nil, 0, 0) }
    if let shapes { return wp_cursor_shape_device_v1_set_shape(shapes, arrival, number) }
    let scale = (over.configuration.scale + 119) / 120
    theme = theme ?? CursorTheme(seat.connection, scale: max(scale, 1))
    theme?.show(cursor, pointer, serial: arrival)
  }

  // MARK: Events

  private func entered(_ surface: UInt, _ serial: UInt32, _ x: Double, _ y: Double) {
    window = seat.window(surface)
    arrival = serial
    frame = seat.connection.frame(of: surface).map { (window: $0.0, part: $0.1) }
    frameCursor = nil
    if frame != nil { return moved(seat.now, x, y) }
    guard window != nil else { return }
    showCursor()
    moved(seat.now, x, y)
  }

  private func left() {
    frame?.window.frame?.pointerLeft()
    (frame, frameCursor) = (nil, nil)
    guard let window else { return }
    self.window = nil
    axes = PointerAxes()
    seat.send(.left, .pointer, of: window, at: seat.now)
  }

  private func moved(_ time: MonotonicTime, _ x: Double, _ y: Double) {
    if let frame {
      let cursor = frame.window.frame?.pointerMoved(frame.part, to: Point(x, y), seat: seat.pointer)
      guard cursor != frameCursor else { return }
      frameCursor = cursor
      return showCursor()
    }
    guard let window else { return }
    seat.send(.position(window.part(x, y)), .pointer, of: window, at: time)
  }

  private func pressed(_ serial: UInt32, _ stamp: UInt32, _ button: UInt32, isDown: Bool) {
    if let frame {
      frame.window.frame?.pointerPressed(
        button, isDown: isDown, serial: serial, time: seat.time(of: stamp), seat: seat.pointer)
    }
    guard let window, let code = UInt16(exactly: button) else { return }
    if isDown { seat.used(serial) }
    seat.send(.button(InputCode(rawValue: code), isDown: isDown), .pointer, of: window, at: seat.time(of: stamp))
  }

  /// An event of scrolling came, which a compositor of an old seat does not put into frames.
  private func scrolled(_ stamp: UInt32?, _ change: (inout PointerAxes) -> Void) {
    if let stamp { lastStamp = stamp }
    change(&axes)
    if wl_pointer_get_version(pointer) < 5 { frameEnded() }
  }

  private func frameEnded() {
    guard let scroll = axes.take(), let window else { return }
    seat.send(.scroll(scroll), .pointer, of: window, at: seat.time(of: lastStamp))
  }

  private static let listener = listenerTable(
    wl_pointer_listener(
      enter: { data, _, serial, surface, x, y in
        let surface = UInt(bitPattern: surface)
        onMain(data) { (pointer: SeatPointer) in
          pointer.entered(surface, serial, wl_fixed_to_double(x), wl_fixed_to_double(y))
        }
      },
      leave: { data, _, _, _ in onMain(data) { (pointer: SeatPointer) in pointer.left() } },
      motion: { data, _, stamp, x, y in
        onMain(data) { (pointer: SeatPointer) in
          pointer.moved(pointer.seat.time(of: stamp), wl_fixed_to_double(x), wl_fixed_to_double(y))
        }
      },
      button: { data, _, serial, stamp, button, state in
        onMain(data) { (pointer: SeatPointer) in pointer.pressed(serial, stamp, button, isDown: state != 0) }
      },
      axis: { data, _, stamp, axis, value in
        onMain(data) { (pointer: SeatPointer) in
          pointer.scrolled(stamp) { $0.add(wl_fixed_to_double(value), isHorizontal: axis == 1) }
        }
      },
      frame: { data, _ in onMain(data) { (pointer: SeatPointer) in pointer.frameEnded() } },
      axis_source: { data, _, source in onMain(data) { (pointer: SeatPointer) in pointer.axes.setSource(source) } },
      axis_stop: { data, _, stamp, _ in onMain(data) { (pointer: SeatPointer) in pointer.scrolled(stamp) { $0.stop() } } },
      axis_discrete: { data, _, axis, clicks in
        onMain(data) { (pointer: SeatPointer) in pointer.axes.addClicks(Double(clicks), isHorizontal: axis == 1) }
      },
      axis_value120: { data, _, axis, parts in
        onMain(data) { (pointer: SeatPointer) in pointer.axes.addClicks(Double(parts) / 120, isHorizontal: axis == 1) }
      }))
}

extension WaylandWindow {
  /// A point of the window as a part of its area, from 0 to 1 in both directions.
  func part(_ x: Double, _ y: Double) -> Point {
    let extent = configuration.extent
    return Point(x / Double(max(extent.width, 1)), y / Double(max(extent.height, 1)))
  }
}
