import Framepace
import Geometry
import Input
import Interaction
import LinuxSystem
import WaylandTesting
import XCTest

@testable import Wayland

/// A window of an engine on a scripted compositor, with the input of its seat.
@MainActor
final class SeatStage {
  let window: PictureStage
  private(set) var input: WaylandInput!
  private(set) var events: [InputEvent] = []
  private(set) var keyboards: [(Keyboard?, KeyRepeat?)] = []
  var seat: CompositorSeat { window.compositor.seat }

  init(globals: CompositorGlobals = .all, scale: Int = 120, decoration: CompositorPolicy.Decoration = .byCompositor) throws {
    var policy = CompositorPolicy()
    policy.decoration = decoration
    window = try PictureStage(
      outputs: [CompositorOutput(scale: scale)], globals: globals, policy: policy, size: (200, 100))
    seat.keymap = Self.layout
    window.run(for: .milliseconds(50))
    input = WaylandInput(connection: window.display.connection) { [unowned self] in
      events.append($0)
      window.engine.inputRouter.receive($0)
    }
    input.onKeyboard = { [unowned self] in keyboards.append(($0, $1)) }
    wait()
  }

  /// A small layout with two keys, shift and caps lock.
  static let layout = """
    xkb_keymap {
      xkb_keycodes { minimum = 8; maximum = 255; <A> = 38; <B> = 56; <SH> = 50; <CL> = 66; };
      xkb_types { virtual_modifiers X; type "ALPHABETIC" { modifiers = Shift+Lock; map[Shift] = 2; map[Lock] = 2; };
        type "ONE_LEVEL" { modifiers = none; }; };
      xkb_compatibility { interpret Shift_L { action = SetMods(modifiers=Shift); };
        interpret Caps_Lock { action = LockMods(modifiers=Lock); }; };
      xkb_symbols { key <A> { type = "ALPHABETIC", [ a, A ] }; key <B> { type = "ALPHABETIC", [ b, B ] };
        key <SH> { [ Shift_L ] }; key <CL> { [ Caps_Lock ] }; modifier_map Shift { <SH> }; modifier_map Lock { <CL> }; };
    };
    """

  func wait(_ milliseconds: Int64 = 5) { window.run(for: .milliseconds(milliseconds)) }

  /// The events since the last call, without those of devices that come.
  func taken() -> [String] {
    wait()
    defer { events = [] }
    return events.map(\.action).filter { if case .added = $0 { false } else { true } }.map(\.words)
  }

  func end() {
    input.invalidate()
    window.expectNoFaults()
    window.end()
  }
}
