import CEvdev
import Geometry
import LinuxSystem

/// Makes of the kernel's events of a device those that libinput would tell. A pure value.
///
/// It knows fingers with slots (the kernel's multi-touch protocol B), the one finger of a touch screen that has no multi-touch, relative and
/// absolute pointers, wheels, buttons and keys. Multi-touch without slots (protocol A) is refused before: see `RecordedDevice.Obstacle`. A group of
/// events ends with `SYN_REPORT`; of it come first the keys, then movements, fingers by their slots, wheels and buttons, as in libinput's
/// `fallback_handle_state`. Two things are simpler: a mouse moves by its counts, without acceleration, and a fine wheel turns with its first
/// part of a click, where libinput waits for a half. Places and distances that a script cannot have are moved to the end of its range.
struct EvdevInterpreter {
  private struct Finger {
    var (x, y) = (0, 0)
    /// True while the kernel has a finger in the slot.
    var isDown = false
    /// True for a finger that came with the present group.
    var isNew = false
    var isPalm = false
    /// True while the finger is down in the events that were told.
    var isTold = false
    /// The kernel's `MT_TOOL_` of the slot.
    private var tool = 0

    /// A finger that comes while another is in the slot takes its place.
    mutating func come(_ isThere: Bool) {
      (isDown, isNew) = (isThere, isThere)
      if isThere { isPalm = tool == Int(MT_TOOL_PALM) }
    }

    /// A finger that became a palm is none until it is lifted.
    mutating func become(_ tool: Int) {
      self.tool = tool
      if tool == Int(MT_TOOL_PALM) { isPalm = true } else if isNew { isPalm = false }
    }
  }

  private(set) var events: [InputEvent] = []

  private let device: InputDevice
  private let x: RecordedDevice.Axis
  private let y: RecordedDevice.Axis
  private let matrix: Affine
  private let hasSlots: Bool
  private let isFine: (x: Bool, y: Bool)

  private var slot = 0
  private var fingers: [Int: Finger] = [:]
  /// The slots of the present group.
  private var changed: Set<Int> = []
  private var place = (x: 0, y: 0)
  private var isPlaced = false
  private var motion = Point.zero
  private var clicks = Point.zero
  private var buttons: [(code: InputCode, isDown: Bool)] = []
  /// The keys and buttons that are down.
  private var held: Set<InputCode> = []
  /// True from `SYN_DROPPED` on to the end of the group, which is incomplete.
  private var isDropping = false

  init(_ recorded: RecordedDevice, _ device: InputDevice) {
    self.device = device
    hasSlots = recorded.sends(EV_ABS, ABS_MT_SLOT)
    x = recorded.axes[Int(hasSlots ? ABS_MT_POSITION_X : ABS_X)] ?? RecordedDevice.Axis()
    y = recorded.axes[Int(hasSlots ? ABS_MT_POSITION_Y : ABS_Y)] ?? RecordedDevice.Axis()
    matrix = recorded.calibration
    isFine = (recorded.sends(EV_REL, REL_HWHEEL_HI_RES), recorded.sends(EV_REL, REL_WHEEL_HI_RES))
  }

  /// Takes the next event. Kinds that mean nothing here, such as lamps, are ignored.
  mutating func take(type: Int32, code: Int32, value: Int, at time: MonotonicTime) {
    switch (type, code) {
    case (EV_SYN, SYN_DROPPED): isDropping = true
    case (EV_SYN, SYN_REPORT): isDropping ? endDropping(time) : endGroup(time)
    case _ where isDropping: break
    case (EV_KEY, _): takeKey(code, value, time)
    case (EV_REL, _) where device.abilities.contains(.pointer): takeDistance(code, Double(value))
    case (EV_ABS, _) where device.abilities.contains(.touch): takeFinger(code, value)
    case (EV_ABS, ABS_X): (place.x, isPlaced) = (value, true)
    case (EV_ABS, ABS_Y): (place.y, isPlaced) = (value, true)
    default: break
    }
  }

  // MARK: Events

  private mutating func takeKey(_ code: Int32, _ value: Int, _ time: MonotonicTime) {
    if code == BTN_TOUCH, !hasSlots, device.abilities.contains(.touch) { return changeFinger { $0.come(value != 0) } }
    let key = InputCode(rawValue: UInt16(truncatingIfNeeded: code))
    guard let isButton = key.isButton, device.abilities.contains(isButton ? .pointer : .keyboard) else { return }
    // The kernel repeats a key that is held by 2.
    switch value {
    case 0: guard held.remove(key) != nil else { return }
    case 1: guard held.insert(key).inserted else { return }
    default: return
    }
    if isButton { buttons.append((key, value == 1)) } else { add(.key(key, isDown: value == 1), time) }
  }

  private mutating func takeDistance(_ code: Int32, _ value: Double) {
    switch code {
    case REL_X: motion.x += value
    case REL_Y: motion.y += value
    // A wheel's positive values go up, and to the right.
    case REL_WHEEL_HI_RES: clicks.y -= value / 120
    case REL_HWHEEL_HI_RES: clicks.x += value / 120
    case REL_WHEEL where !isFine.y: clicks.y -= value
    case REL_HWHEEL where !isFine.x: clicks.x += value
    default: break
    }
  }

  private mutating func takeFinger(_ code: Int32, _ value: Int) {
    switch code {
    case ABS_MT_SLOT where hasSlots: slot = max(value, 0)
    case ABS_MT_TRACKING_ID where hasSlots: changeFinger { $0.come(value >= 0) }
    case ABS_MT_POSITION_X where hasSlots: changeFinger { $0.x = value }
    case ABS_MT_POSITION_Y where hasSlots: changeFinger { $0.y = value }
    case ABS_MT_TOOL_TYPE where hasSlots: changeFinger { $0.become(value) }
    case ABS_X where !hasSlots: changeFinger { $0.x = value }
    case ABS_Y where !hasSlots: changeFinger { $0.y = value }
    default: break
    }
  }

  private mutating func changeFinger(_ change: (inout Finger) -> Void) {
    change(&fingers[slot, default: Finger()])
    changed.insert(slot)
  }

  // MARK: Groups

  private mutating func endGroup(_ time: MonotonicTime) {
    if motion != .zero { add(.motion(motion.inScript), time) }
    if isPlaced, device.abilities.contains(.pointer) { add(.position(part(place.x, place.y)), time) }
    for slot in changed.sorted() { tellFinger(slot, time) }
    if clicks != .zero { add(.scroll(.wheel(clicks.inScript)), time) }
    for button in buttons { add(.button(button.code, isDown: button.isDown), time) }
    beginGroup()
  }

  private mutating func beginGroup() {
    changed.removeAll(keepingCapacity: true)
    buttons.removeAll(keepingCapacity: true)
    (motion, clicks, isPlaced, isDropping) = (.zero, .zero, false, false)
  }

  /// The kernel threw events away: nobody knows which fingers and keys are left, so none is.
  private mutating func endDropping(_ time: MonotonicTime) {
    for (slot, finger) in fingers.sorted(by: { $0.key < $1.key }) where finger.isTold {
      add(.touch(finger: slot, .cancelled), time)
    }
    fingers = fingers.mapValues {
      var finger = $0
      (finger.isDown, finger.isNew, finger.isTold) = (false, false, false)
      return finger
    }
    // Those of the group that broke off were not told yet.
    let untold = Set(buttons.filter(\.isDown).map(\.code))
    for button in buttons where !button.isDown { held.insert(button.code) }
    for code in held.subtracting(untold).sorted(by: { $0.rawValue < $1.rawValue }) {
      add(code.isButton == true ? .button(code, isDown: false) : .key(code, isDown: false), time)
    }
    held = []
    beginGroup()
  }

  private mutating func tellFinger(_ slot: Int, _ time: MonotonicTime) {
    guard var finger = fingers[slot] else { return }
    if finger.isTold, finger.isNew || !finger.isDown || finger.isPalm {
      let isPalm = finger.isPalm && !finger.isNew
      add(.touch(finger: slot, isPalm ? .cancelled : .up), time)
      finger.isTold = false
    }
    if finger.isDown, !finger.isPalm, finger.isNew || finger.isTold {
      let point = part(finger.x, finger.y)
      add(.touch(finger: slot, finger.isTold ? .moved(point) : .down(point)), time)
      finger.isTold = true
    }
    finger.isNew = false
    fingers[slot] = finger
  }

  private func part(_ horizontal: Int, _ vertical: Int) -> Point {
    matrix.apply(Point(x.part(horizontal), y.part(vertical))).inScript
  }

  private mutating func add(_ action: InputEvent.Action, _ time: MonotonicTime) {
    events.append(InputEvent(time: time, device: device.id, action: action))
  }
}

extension Point {
  /// The nearest place or distance that a script may have.
  fileprivate var inScript: Point {
    let range = InputScriptLine.distances
    return Point(min(max(x, range.lowerBound), range.upperBound), min(max(y, range.lowerBound), range.upperBound))
  }
}

extension InputCode {
  /// True for a button, false for a key; nil for a code that tells of a finger or of a pen's tool. As libinput's `get_key_type`.
  fileprivate var isButton: Bool? {
    switch Int32(rawValue) {
    case 0, BTN_TOOL_PEN...BTN_TOUCH, BTN_TOOL_DOUBLETAP...BTN_TOOL_QUADTAP: nil
    case BTN_MISC..<KEY_OK, BTN_DPAD_UP...BTN_DPAD_RIGHT, BTN_TRIGGER_HAPPY...: true
    default: false
    }
  }
}
