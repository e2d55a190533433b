import CWaylandClient
import Geometry
import Input
import LinuxSystem

/// The touch screens of a seat.
@MainActor
final class SeatTouch {
  private let pointer: OpaquePointer
  private unowned let seat: WaylandSeat
  private var fingers = FingerSlots()
  /// The finger on a button of a window's own frame.
  private var frameButton: (id: Int32, window: WaylandWindow, area: FrameArea)?

  init(_ pointer: OpaquePointer, of seat: WaylandSeat) {
    (self.pointer, self.seat) = (pointer, seat)
    wl_touch_add_listener(pointer, Self.listener, listenerData(self))
  }

  func destroy() {
    if wl_touch_get_version(pointer) >= 3 { wl_touch_release(pointer) } else { wl_touch_destroy(pointer) }
  }

  private func down(_ serial: UInt32, _ stamp: UInt32, _ surface: UInt, _ id: Int32, _ x: Double, _ y: Double) {
    guard let window = seat.window(surface) else {
      guard let (window, part) = seat.connection.frame(of: surface) else { return }
      frameButton = window.frame?.touched(part, at: Point(x, y), serial: serial, seat: seat.pointer).map { (id, window, $0) }
      return
    }
    seat.used(serial)
    let slot = fingers.begin(id, in: window)
    seat.send(.touch(finger: slot, .down(window.part(x, y))), .touch, of: window, at: seat.time(of: stamp))
  }

  private func moved(_ stamp: UInt32, _ id: Int32, _ x: Double, _ y: Double) {
    guard let (window, slot) = fingers.finger(id) else { return }
    seat.send(.touch(finger: slot, .moved(window.part(x, y))), .touch, of: window, at: seat.time(of: stamp))
  }

  private func up(_ stamp: UInt32, _ id: Int32) {
    if let (finger, window, area) = frameButton, finger == id {
      frameButton = nil
      return window.frame?.tapped(area, seat: seat.pointer) ?? ()
    }
    guard let (window, slot) = fingers.end(id) else { return }
    seat.send(.touch(finger: slot, .up), .touch, of: window, at: seat.time(of: stamp))
  }

  private func cancelled() {
    frameButton = nil
    for (window, slot) in fingers.endAll() {
      seat.send(.touch(finger: slot, .cancelled), .touch, of: window, at: seat.now)
    }
  }

  private static let listener = listenerTable(
    wl_touch_listener(
      down: { data, _, serial, stamp, surface, id, x, y in
        let surface = UInt(bitPattern: surface)
        onMain(data) { (touch: SeatTouch) in
          touch.down(serial, stamp, surface, id, wl_fixed_to_double(x), wl_fixed_to_double(y))
        }
      },
      up: { data, _, _, stamp, id in onMain(data) { (touch: SeatTouch) in touch.up(stamp, id) } },
      motion: { data, _, stamp, id, x, y in
        onMain(data) { (touch: SeatTouch) in touch.moved(stamp, id, wl_fixed_to_double(x), wl_fixed_to_double(y)) }
      },
      // Each event stands for itself: layers get those of a turn together.
      frame: { _, _ in },
      cancel: { data, _ in onMain(data) { (touch: SeatTouch) in touch.cancelled() } },
      shape: { _, _, _, _, _ in },
      orientation: { _, _, _, _ in }))
}

/// The fingers that are down: the compositor's numbers of them, and the slots that they have in their windows, the lowest that are free.
@MainActor
private struct FingerSlots {
  private var fingers: [(id: Int32, window: WaylandWindow, slot: Int)] = []

  mutating func begin(_ id: Int32, in window: WaylandWindow) -> Int {
    fingers.removeAll { $0.id == id }
    let taken = Set(fingers.lazy.filter { $0.window === window }.map(\.slot))
    let slot = (0...taken.count).first { !taken.contains($0) } ?? 0
    fingers.append((id, window, slot))
    return slot
  }

  func finger(_ id: Int32) -> (WaylandWindow, Int)? { fingers.first { $0.id == id }.map { ($0.window, $0.slot) } }

  mutating func end(_ id: Int32) -> (WaylandWindow, Int)? {
    guard let index = fingers.firstIndex(where: { $0.id == id }) else { return nil }
    let finger = fingers.remove(at: index)
    return (finger.window, finger.slot)
  }

  mutating func endAll() -> [(WaylandWindow, Int)] {
    defer { fingers = [] }
    return fingers.map { ($0.window, $0.slot) }
  }
}
