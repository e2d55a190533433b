import CWaylandClient
import Glibc

/// Shows pictures of a theme as the cursor, for compositors that know no shapes.
@MainActor
final class CursorTheme {
  private let theme: OpaquePointer
  private let surface: OpaquePointer
  /// The picture that the surface has.
  private var shown: (shape: CursorShape, x: Int32, y: Int32)?

  /// - Returns: nil where there is no theme, not even libwayland's own, or no memory.
  init?(_ connection: WaylandConnection, scale: Int) {
    guard let memory = connection.globals.sharedMemory, let compositor = connection.globals.compositor else { return nil }
    let size = getenv("XCURSOR_SIZE").flatMap { Int32(String(cString: $0)) } ?? 24
    let pixels = min(max(size, 8), 256) * Int32(clamping: scale)
    guard let theme = wl_cursor_theme_load(getenv("XCURSOR_THEME"), pixels, memory) else { return nil }
    guard let surface = wl_compositor_create_surface(compositor) else {
      wl_cursor_theme_destroy(theme)
      return nil
    }
    (self.theme, self.surface) = (theme, surface)
    wl_surface_set_buffer_scale(surface, Int32(clamping: scale))
    self.scale = Int32(clamping: max(scale, 1))
  }

  private let scale: Int32

  /// - Parameter serial: the number of the pointer's arrival.
  func show(_ shape: CursorShape, _ pointer: OpaquePointer, serial: UInt32) {
    if shown?.shape != shape { attach(shape) }
    guard let shown else { return }
    wl_pointer_set_cursor(pointer, serial, surface, shown.x, shown.y)
  }

  /// A shape that the theme does not have leaves the one before.
  private func attach(_ shape: CursorShape) {
    let names = shape.names + CursorShape.standard.names
    guard let cursor = names.lazy.compactMap({ wl_cursor_theme_get_cursor(self.theme, $0) }).first,
      cursor.pointee.image_count > 0, let image = cursor.pointee.images[0], let buffer = wl_cursor_image_get_buffer(image)
    else { return }
    wl_surface_attach(surface, buffer, 0, 0)
    wl_surface_damage_buffer(surface, 0, 0, Int32.max, Int32.max)
    wl_surface_commit(surface)
    shown = (shape, Int32(image.pointee.hotspot_x) / scale, Int32(image.pointee.hotspot_y) / scale)
  }

  func destroy() {
    wl_surface_destroy(surface)
    wl_cursor_theme_destroy(theme)
  }
}
