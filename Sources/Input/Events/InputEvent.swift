public import Geometry
public import LinuxSystem

/// Something that happened at an input device, in the device's own terms: neither a layer nor a display is known yet.
///
/// Events of a device come in their order. Those of several devices may come a little out of the order of their times.
public struct InputEvent: Hashable, Sendable {
  /// When the kernel had it, by `CLOCK_MONOTONIC`, to the microsecond.
  public var time: MonotonicTime
  public var device: InputDevice.ID
  public var action: Action

  public init(time: MonotonicTime, device: InputDevice.ID, action: Action) {
    (self.time, self.device, self.action) = (time, device, action)
  }

  /// The action of a device.
  public enum Action: Hashable, Sendable {
    /// The device may be used from now on: the first event of each.
    case added(InputDevice)
    /// The device went away, or the session lost it: its last event. Before it, fingers that were down are cancelled, and keys and buttons
    /// that were held come up.
    case removed
    /// A finger on a touch screen. `finger` is its slot: the lowest number that no other finger of the device has.
    case touch(finger: Int, Touch)
    /// A pointer moved by so much, with the acceleration that is set for it: a mouse of 1000 dots per inch moves by 1 for each dot while it is
    /// slow.
    case motion(Point)
    /// An absolute pointer is at this part of its area, from 0 to 1 in both directions.
    case position(Point)
    case button(InputCode, isDown: Bool)
    case scroll(Scroll)
    case key(InputCode, isDown: Bool)
    case pen(Pen)
    case gesture(TouchpadGesture)
    /// The pointer is on no screen: it went to the window of another program.
    case left
    /// The modifiers of the keyboard, which its keys do not change from now on, from a desktop that keeps them for all programs.
    case modifiers(ModifierState)
    /// All keys of the keyboard count as up, though nobody lifted them: another program has it now.
    case keysReleased
  }

  /// An action of a finger. Points are parts of the device's area, from 0 to 1 in both directions, after the calibration of the device; a finger
  /// at its edge may be a little outside.
  public enum Touch: Hashable, Sendable {
    case down(Point)
    case moved(Point)
    /// Lifted, where it was last.
    case up
    /// The finger was none: the palm of a hand, or the device gave up.
    case cancelled
  }

  /// A turn of a wheel, or a movement that scrolls. Positive values go down and to the right in the document.
  public enum Scroll: Hashable, Sendable {
    /// A wheel that was turned by so many of its clicks; a fine wheel tells parts of one.
    case wheel(Point)
    /// Fingers on a touchpad moved so far, in the units of `motion`.
    case fingers(Point)
    /// The fingers were lifted, or rest: what they scrolled may go on by itself.
    case fingersEnded
    /// A trackpoint or a button that scrolls while it is held.
    case continuous(Point)
  }

  /// The state of a pen after the event.
  public struct Pen: Hashable, Sendable {
    public enum Contact: String, Hashable, Sendable, CaseIterable {
      /// Out of the tablet's reach.
      case away
      /// Above the tablet.
      case near
      case down
    }

    public enum Tool: String, Hashable, Sendable, CaseIterable {
      case pen, eraser, brush, pencil, airbrush, mouse, lens, totem
    }

    public var tool: Tool
    public var contact: Contact
    /// The part of the tablet's area, from 0 to 1 in both directions; a little outside where the tablet sees more than its area.
    public var position: Point
    /// From 0 to 1; nil for a pen that does not tell.
    public var pressure: Double?
    /// The pen's lean from upright to the right and towards the user, in degrees; nil for a pen that does not tell.
    public var tilt: Point?

    public init(tool: Tool, contact: Contact, position: Point, pressure: Double? = nil, tilt: Point? = nil) {
      (self.tool, self.contact, self.position) = (tool, contact, position)
      (self.pressure, self.tilt) = (pressure, tilt)
    }
  }

  /// A gesture of several fingers that a touchpad recognised.
  public enum TouchpadGesture: Hashable, Sendable {
    case began(Kind, fingers: Int)
    /// The fingers moved together by `translation`, in the units of `motion`; since the beginning their distance became `scale` times what it
    /// was; since the last event they turned by `rotation`, in degrees clockwise.
    case changed(translation: Point, scale: Double, rotation: Double)
    case ended
    case cancelled

    public enum Kind: String, Hashable, Sendable, CaseIterable {
      case swipe, pinch
      /// Fingers that rest.
      case hold
    }
  }
}
