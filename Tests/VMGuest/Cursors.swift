import CDRM
import FrameTiming
import Geometry
import Glibc
import KMS
import LinuxSystem
import Presentation
import Raster
import RunLoops

/// A hardware cursor is at its position with and without frames, and is gone at the end. Without a cursor plane the display
/// says so.
@MainActor
func cursor(isExpected: Bool, legacy: Bool) throws {
  let display = openDisplay(legacy: legacy)
  let way = "\(display.card.driver), \(legacy ? "legacy" : "atomic")"
  var refusals: [FeatureRefusal] = []
  display.onRefusal = { refusals.append($0) }
  display.cursor = Cursor(image: try pointer(), hotSpot: Point(2, 3))
  display.cursorPosition = Point(100, 80)
  Animation.show(5, on: display)
  Guest.expect(display.hasCursorPlane == isExpected, "\(way): a cursor plane: \(display.hasCursorPlane)")
  guard display.hasCursorPlane else {
    Guest.expect(refusals == [.noCursorPlane(connector: display.connectorName)], "\(refusals)")
    Guest.say("\(way): \(refusals.first.map { "\($0)" } ?? "")")
    return display.invalidate()
  }
  Guest.expect(refusals.isEmpty, "\(way): \(refusals)")
  let size = display.maximumCursorSize ?? (0, 0)
  let shown = shownCursors(on: display.card)
  Guest.expect(shown.count == 1 && shown.first.map { $0.x == 98 && $0.y == 77 } == true, "\(way): shown are \(shown)")
  // The cursor moves without frames.
  for step in 1...20 {
    display.cursorPosition = Point(Double(100 + step), 80)
    FrameLoop.main.run(mode: .default, until: FrameLoop.main.clock.now + .milliseconds(5))
  }
  FrameLoop.main.run(mode: .default, until: FrameLoop.main.clock.now + .milliseconds(50))
  let moved = shownCursors(on: display.card)
  Guest.expect(moved.first?.x == 118, "\(way): shown are \(moved)")
  Guest.expect(display.state == .showing, "\(display.state)")
  let card = display.card
  display.invalidate()
  Guest.expect(shownCursors(on: card).isEmpty, "\(way): left behind are \(shownCursors(on: card))")
  Guest.say("\(way): a cursor of up to \(size.0)x\(size.1)")
}

func pointer() throws -> Image {
  let bitmap = try Bitmap(width: 12, height: 16)
  for y in 0..<16 { memset(bitmap.row(y), 0xFF, 4 * min(12, y + 1)) }
  return bitmap.freeze()
}

struct ShownCursor {
  let plane: UInt32
  let x: Int
  let y: Int
}

/// The card's cursor planes that show something, according to the kernel.
@MainActor
func shownCursors(on device: DRMDevice) -> [ShownCursor] {
  let descriptor = device.interface.descriptor
  // Without this capability the kernel hides such planes.
  drmSetClientCap(descriptor, UInt64(DRM_CLIENT_CAP_UNIVERSAL_PLANES), 1)
  drmSetClientCap(descriptor, UInt64(DRM_CLIENT_CAP_ATOMIC), 1)
  var shown: [ShownCursor] = []
  for id in (try? device.interface.planes()) ?? [] {
    guard let properties = try? device.interface.properties(of: id, type: .plane),
      properties["type"]?.value == UInt64(DRM_PLANE_TYPE_CURSOR), properties["FB_ID"]?.value != 0
    else { continue }
    func place(_ name: String) -> Int { Int(truncatingIfNeeded: properties[name]?.value ?? 0) }
    shown.append(ShownCursor(plane: id, x: place("CRTC_X"), y: place("CRTC_Y")))
  }
  return shown
}
