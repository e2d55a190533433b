import CWaylandClient
import FrameTiming
import LinuxSystem

/// A screen of the desktop.
@MainActor
final class WaylandOutput {
  let pointer: OpaquePointer
  /// Its number in the registry.
  let global: UInt32
  private weak var connection: WaylandConnection?
  /// Its name: "eDP-1"; empty where the compositor does not say.
  private(set) var name = ""
  private(set) var scale = 1
  /// The rate of its mode; nil if the compositor does not say.
  private(set) var refreshRate: RefreshRate?
  /// The pixels of its mode; nil before the compositor has told it.
  private var size: (width: Int, height: Int)?
  /// Nil before its mode and all else is told, and where the compositor tells no mode.
  var screen: DesktopScreen? {
    guard isTold, let size else { return nil }
    return DesktopScreen(name: name, width: size.width, height: size.height, refreshRate: refreshRate, scale: scale)
  }
  /// True once the compositor has told what it tells of it. Before version 2 it says no end of that: then the mode is the last.
  private(set) var isTold = false

  init(_ pointer: OpaquePointer, name: UInt32, connection: WaylandConnection) {
    (self.pointer, global, self.connection) = (pointer, name, connection)
    wl_output_add_listener(pointer, Self.listener, listenerData(self))
  }

  func destroy() {
    if wl_output_get_version(pointer) >= 3 { wl_output_release(pointer) } else { wl_output_destroy(pointer) }
  }

  private func wasTold() {
    isTold = true
    connection?.outputChanged(self)
  }

  private static let listener = listenerTable(
    wl_output_listener(
      geometry: { _, _, _, _, _, _, _, _, _, _ in },
      mode: { data, _, flags, width, height, millihertz in
        guard flags & WL_OUTPUT_MODE_CURRENT.rawValue != 0 else { return }
        onMain(data) { (output: WaylandOutput) in
          output.refreshRate = RefreshRate(numerator: Int64(millihertz), denominator: 1000)
          output.size = (max(Int(width), 0), max(Int(height), 0))
          if wl_output_get_version(output.pointer) < 2 { output.wasTold() }
        }
      },
      done: { data, _ in onMain(data) { (output: WaylandOutput) in output.wasTold() } },
      scale: { data, _, factor in onMain(data) { (output: WaylandOutput) in output.scale = max(Int(factor), 1) } },
      name: { data, _, name in
        guard let name else { return }
        let text = String(cString: name).withoutControlCharacters
        onMain(data) { (output: WaylandOutput) in output.name = text }
      },
      description: { _, _, _ in }))
}
