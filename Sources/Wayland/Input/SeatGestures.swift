import CWaylandClient
import CWaylandProtocols
import Geometry
import Input

/// The gestures that the desktop recognises on touchpads, over the window that the pointer is over.
@MainActor
final class SeatGestures {
  private unowned let seat: WaylandSeat
  private let swipe: OpaquePointer?
  private let pinch: OpaquePointer?
  /// Nil before version 3.
  private let hold: OpaquePointer?
  private var window: WaylandWindow?

  /// - Returns: nil where the desktop tells of none.
  init?(of seat: WaylandSeat, _ pointer: OpaquePointer) {
    guard let manager = seat.connection.globals.gestures else { return nil }
    self.seat = seat
    swipe = zwp_pointer_gestures_v1_get_swipe_gesture(manager, pointer)
    pinch = zwp_pointer_gestures_v1_get_pinch_gesture(manager, pointer)
    hold =
      zwp_pointer_gestures_v1_get_version(manager) >= 3 ? zwp_pointer_gestures_v1_get_hold_gesture(manager, pointer) : nil
    if let swipe { zwp_pointer_gesture_swipe_v1_add_listener(swipe, Self.swipeListener, listenerData(self)) }
    if let pinch { zwp_pointer_gesture_pinch_v1_add_listener(pinch, Self.pinchListener, listenerData(self)) }
    if let hold { zwp_pointer_gesture_hold_v1_add_listener(hold, Self.holdListener, listenerData(self)) }
  }

  func destroy() {
    if let swipe { zwp_pointer_gesture_swipe_v1_destroy(swipe) }
    if let pinch { zwp_pointer_gesture_pinch_v1_destroy(pinch) }
    if let hold { zwp_pointer_gesture_hold_v1_destroy(hold) }
  }

  private func began(_ kind: InputEvent.TouchpadGesture.Kind, _ stamp: UInt32, _ surface: UInt, fingers: UInt32) {
    window = seat.window(surface)
    send(.began(kind, fingers: Int(fingers)), stamp)
  }

  private func ended(_ stamp: UInt32, isCancelled: Bool) {
    send(isCancelled ? .cancelled : .ended, stamp)
    window = nil
  }

  private func send(_ gesture: InputEvent.TouchpadGesture, _ stamp: UInt32) {
    guard let window else { return }
    seat.send(.gesture(gesture), .pointer, of: window, at: seat.time(of: stamp))
  }

  private static let swipeListener = listenerTable(
    zwp_pointer_gesture_swipe_v1_listener(
      begin: { data, _, _, stamp, surface, fingers in
        let surface = UInt(bitPattern: surface)
        onMain(data) { (gestures: SeatGestures) in gestures.began(.swipe, stamp, surface, fingers: fingers) }
      },
      update: { data, _, stamp, dx, dy in
        let way = Point(wl_fixed_to_double(dx), wl_fixed_to_double(dy))
        onMain(data) { (gestures: SeatGestures) in
          gestures.send(.changed(translation: way, scale: 1, rotation: 0), stamp)
        }
      },
      end: { data, _, _, stamp, isCancelled in
        onMain(data) { (gestures: SeatGestures) in gestures.ended(stamp, isCancelled: isCancelled != 0) }
      }))

  private static let pinchListener = listenerTable(
    zwp_pointer_gesture_pinch_v1_listener(
      begin: { data, _, _, stamp, surface, fingers in
        let surface = UInt(bitPattern: surface)
        onMain(data) { (gestures: SeatGestures) in gestures.began(.pinch, stamp, surface, fingers: fingers) }
      },
      update: { data, _, stamp, dx, dy, scale, rotation in
        let way = Point(wl_fixed_to_double(dx), wl_fixed_to_double(dy))
        onMain(data) { (gestures: SeatGestures) in
          gestures.send(
            .changed(translation: way, scale: wl_fixed_to_double(scale), rotation: wl_fixed_to_double(rotation)), stamp)
        }
      },
      end: { data, _, _, stamp, isCancelled in
        onMain(data) { (gestures: SeatGestures) in gestures.ended(stamp, isCancelled: isCancelled != 0) }
      }))

  private static let holdListener = listenerTable(
    zwp_pointer_gesture_hold_v1_listener(
      begin: { data, _, _, stamp, surface, fingers in
        let surface = UInt(bitPattern: surface)
        onMain(data) { (gestures: SeatGestures) in gestures.began(.hold, stamp, surface, fingers: fingers) }
      },
      end: { data, _, _, stamp, isCancelled in
        onMain(data) { (gestures: SeatGestures) in gestures.ended(stamp, isCancelled: isCancelled != 0) }
      }))
}
