import CLibinput
import Geometry
import LinuxSystem

extension InputDevice {
  /// - Parameter device: one of libinput.
  init(_ device: OpaquePointer?, id: ID) {
    var abilities = Abilities()
    for (capability, ability) in [
      (LIBINPUT_DEVICE_CAP_TOUCH, Abilities.touch), (LIBINPUT_DEVICE_CAP_POINTER, .pointer),
      (LIBINPUT_DEVICE_CAP_KEYBOARD, .keyboard), (LIBINPUT_DEVICE_CAP_TABLET_TOOL, .pen),
      (LIBINPUT_DEVICE_CAP_GESTURE, .gestures),
    ] where libinput_device_has_capability(device, capability) != 0 {
      abilities.insert(ability)
    }
    let letters = ["KEY_A", "KEY_Z", "KEY_ENTER"].compactMap { InputCode(named: $0) }
    if abilities.contains(.keyboard),
      letters.allSatisfy({ libinput_device_keyboard_has_key(device, UInt32($0.rawValue)) == 1 })
    {
      abilities.insert(.letters)
    }
    let fingers = abilities.contains(.touch) ? Int(libinput_device_touch_get_touch_count(device)) : 0
    var (width, height) = (0.0, 0.0)
    var rows = [Float](repeating: 0, count: 6)
    let isCalibrated =
      libinput_device_config_calibration_has_matrix(device) != 0
      && libinput_device_config_calibration_get_matrix(device, &rows) != 0
    let matrix = rows.map(Double.init)
    let hasSize = libinput_device_get_size(device, &width, &height) == 0
    self.init(
      id: id, name: libinput_device_get_name(device).map { String(cString: $0) } ?? "", abilities: abilities,
      fingers: fingers > 0 ? fingers : nil, size: hasSize ? Size(width: width, height: height) : nil,
      outputName: libinput_device_get_output_name(device).map { String(cString: $0) },
      calibration: isCalibrated
        ? Affine(a: matrix[0], b: matrix[3], c: matrix[1], d: matrix[4], tx: matrix[2], ty: matrix[5]) : nil)
  }
}

extension InputEvent {
  /// An event of libinput; nil for one that has no meaning here: the end of a group of touches, buttons of a tablet's pad, a laptop's lid.
  init?(_ event: OpaquePointer, of device: InputDevice.ID) {
    let type = libinput_event_get_type(event)
    let time: UInt64
    let action: Action?
    // Types are numbered in hundreds by the kind of device.
    switch type.rawValue / 100 {
    case LIBINPUT_EVENT_KEYBOARD_KEY.rawValue / 100:
      let key = libinput_event_get_keyboard_event(event)
      time = libinput_event_keyboard_get_time_usec(key)
      let isDown = libinput_event_keyboard_get_key_state(key) == LIBINPUT_KEY_STATE_PRESSED
      action = .key(InputCode(libinput_event_keyboard_get_key(key)), isDown: isDown)
    case LIBINPUT_EVENT_TOUCH_DOWN.rawValue / 100:
      let touch = libinput_event_get_touch_event(event)
      time = libinput_event_touch_get_time_usec(touch)
      // A screen that knows one finger has no slots.
      action = Touch(touch, type).map { .touch(finger: max(Int(libinput_event_touch_get_slot(touch)), 0), $0) }
    case LIBINPUT_EVENT_GESTURE_SWIPE_BEGIN.rawValue / 100:
      let gesture = libinput_event_get_gesture_event(event)
      time = libinput_event_gesture_get_time_usec(gesture)
      action = TouchpadGesture(gesture, type).map { .gesture($0) }
    case LIBINPUT_EVENT_TABLET_TOOL_AXIS.rawValue / 100:
      let pen = libinput_event_get_tablet_tool_event(event)
      time = libinput_event_tablet_tool_get_time_usec(pen)
      action =
        type == LIBINPUT_EVENT_TABLET_TOOL_BUTTON
        ? .button(
          InputCode(libinput_event_tablet_tool_get_button(pen)),
          isDown: libinput_event_tablet_tool_get_button_state(pen) == LIBINPUT_BUTTON_STATE_PRESSED)
        : .pen(Pen(pen))
    case LIBINPUT_EVENT_POINTER_MOTION.rawValue / 100:
      let pointer = libinput_event_get_pointer_event(event)
      time = libinput_event_pointer_get_time_usec(pointer)
      action = Action(pointer, type)
    default: return nil
    }
    guard let action else { return nil }
    self.init(time: MonotonicTime(nanoseconds: Int64(time) * 1000), device: device, action: action)
  }
}

extension InputEvent.Action {
  /// An event of a pointer; nil for the old form of scrolling, which comes beside the new one.
  fileprivate init?(_ event: OpaquePointer?, _ type: libinput_event_type) {
    switch type {
    case LIBINPUT_EVENT_POINTER_MOTION:
      self = .motion(Point(libinput_event_pointer_get_dx(event), libinput_event_pointer_get_dy(event)))
    case LIBINPUT_EVENT_POINTER_MOTION_ABSOLUTE:
      self = .position(
        Point(
          libinput_event_pointer_get_absolute_x_transformed(event, 1),
          libinput_event_pointer_get_absolute_y_transformed(event, 1)))
    case LIBINPUT_EVENT_POINTER_BUTTON:
      self = .button(
        InputCode(libinput_event_pointer_get_button(event)),
        isDown: libinput_event_pointer_get_button_state(event) == LIBINPUT_BUTTON_STATE_PRESSED)
    case LIBINPUT_EVENT_POINTER_SCROLL_WHEEL:
      // 120 is one click.
      self = .scroll(.wheel(Self.scroll(event, libinput_event_pointer_get_scroll_value_v120) / 120))
    case LIBINPUT_EVENT_POINTER_SCROLL_FINGER:
      let distance = Self.scroll(event, libinput_event_pointer_get_scroll_value)
      self = .scroll(distance == .zero ? .fingersEnded : .fingers(distance))
    case LIBINPUT_EVENT_POINTER_SCROLL_CONTINUOUS:
      self = .scroll(.continuous(Self.scroll(event, libinput_event_pointer_get_scroll_value)))
    default: return nil
    }
  }

  /// The values of both axes; zero for one that the event does not have.
  private static func scroll(
    _ event: OpaquePointer?, _ value: (OpaquePointer?, libinput_pointer_axis) -> Double
  ) -> Point {
    func along(_ axis: libinput_pointer_axis) -> Double {
      libinput_event_pointer_has_axis(event, axis) != 0 ? value(event, axis) : 0
    }
    return Point(along(LIBINPUT_POINTER_AXIS_SCROLL_HORIZONTAL), along(LIBINPUT_POINTER_AXIS_SCROLL_VERTICAL))
  }
}

extension InputEvent.Touch {
  /// Nil for the end of a group of touches.
  fileprivate init?(_ event: OpaquePointer?, _ type: libinput_event_type) {
    var point: Point {
      Point(libinput_event_touch_get_x_transformed(event, 1), libinput_event_touch_get_y_transformed(event, 1))
    }
    switch type {
    case LIBINPUT_EVENT_TOUCH_DOWN: self = .down(point)
    case LIBINPUT_EVENT_TOUCH_MOTION: self = .moved(point)
    case LIBINPUT_EVENT_TOUCH_UP: self = .up
    case LIBINPUT_EVENT_TOUCH_CANCEL: self = .cancelled
    default: return nil
    }
  }
}

extension InputEvent.Pen {
  fileprivate init(_ event: OpaquePointer?) {
    let tool = libinput_event_tablet_tool_get_tool(event)
    let isNear = libinput_event_tablet_tool_get_proximity_state(event) == LIBINPUT_TABLET_TOOL_PROXIMITY_STATE_IN
    let isDown = libinput_event_tablet_tool_get_tip_state(event) == LIBINPUT_TABLET_TOOL_TIP_DOWN
    self.init(
      tool: Tool(libinput_tablet_tool_get_type(tool)), contact: isDown ? .down : isNear ? .near : .away,
      position: Point(
        libinput_event_tablet_tool_get_x_transformed(event, 1), libinput_event_tablet_tool_get_y_transformed(event, 1)))
    if libinput_tablet_tool_has_pressure(tool) != 0 { pressure = libinput_event_tablet_tool_get_pressure(event) }
    if libinput_tablet_tool_has_tilt(tool) != 0 {
      tilt = Point(libinput_event_tablet_tool_get_tilt_x(event), libinput_event_tablet_tool_get_tilt_y(event))
    }
  }
}

extension InputEvent.Pen.Tool {
  /// - Parameter type: one of libinput; one that later versions add counts as a pen.
  fileprivate init(_ type: libinput_tablet_tool_type) {
    self =
      switch type {
      case LIBINPUT_TABLET_TOOL_TYPE_ERASER: .eraser
      case LIBINPUT_TABLET_TOOL_TYPE_BRUSH: .brush
      case LIBINPUT_TABLET_TOOL_TYPE_PENCIL: .pencil
      case LIBINPUT_TABLET_TOOL_TYPE_AIRBRUSH: .airbrush
      case LIBINPUT_TABLET_TOOL_TYPE_MOUSE: .mouse
      case LIBINPUT_TABLET_TOOL_TYPE_LENS: .lens
      case LIBINPUT_TABLET_TOOL_TYPE_TOTEM: .totem
      default: .pen
      }
  }
}

extension InputEvent.TouchpadGesture {
  fileprivate init?(_ event: OpaquePointer?, _ type: libinput_event_type) {
    let fingers = Int(libinput_event_gesture_get_finger_count(event))
    switch type {
    case LIBINPUT_EVENT_GESTURE_SWIPE_BEGIN: self = .began(.swipe, fingers: fingers)
    case LIBINPUT_EVENT_GESTURE_PINCH_BEGIN: self = .began(.pinch, fingers: fingers)
    case LIBINPUT_EVENT_GESTURE_HOLD_BEGIN: self = .began(.hold, fingers: fingers)
    case LIBINPUT_EVENT_GESTURE_SWIPE_UPDATE, LIBINPUT_EVENT_GESTURE_PINCH_UPDATE:
      let isPinch = type == LIBINPUT_EVENT_GESTURE_PINCH_UPDATE
      self = .changed(
        translation: Point(libinput_event_gesture_get_dx(event), libinput_event_gesture_get_dy(event)),
        scale: isPinch ? libinput_event_gesture_get_scale(event) : 1,
        rotation: isPinch ? libinput_event_gesture_get_angle_delta(event) : 0)
    case LIBINPUT_EVENT_GESTURE_SWIPE_END, LIBINPUT_EVENT_GESTURE_PINCH_END, LIBINPUT_EVENT_GESTURE_HOLD_END:
      self = libinput_event_gesture_get_cancelled(event) != 0 ? .cancelled : .ended
    default: return nil
    }
  }
}

extension InputCode {
  fileprivate init(_ number: UInt32) { self.init(rawValue: UInt16(truncatingIfNeeded: number)) }
}
