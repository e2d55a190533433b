import CWaylandClient
import CWaylandProtocols
import Geometry

/// A window's own frame.
extension WaylandWindow {
  /// The desktop draws no frame, or draws one from now on.
  func setOwnFrame(_ isWanted: Bool) {
    if isWanted, frame == nil, let surface { frame = WindowFrame(of: self, in: surface) }
    let hasFrame = isWanted && frame != nil
    guard hasFrame != configuration.wantsFrame, let toplevel = objects?.toplevel else { return }
    updateConfiguration { $0.wantsFrame = hasFrame }
    // There is no room for a title bar without content.
    xdg_toplevel_set_min_size(toplevel, hasFrame ? 1 : 0, hasFrame ? Int32(FrameLayout.titleHeight + 1) : 0)
  }

  /// Shows the frame as it is to look now, if no proposal waits for a frame of its size, which brings this too.
  func refreshFrame() {
    guard let surface, let frame, hasAnsweredSize else { return }
    frame.prepare()
    wl_surface_commit(surface)
    connection.flush()
  }

  func setGeometry(_ place: FrameLayout.Place) {
    guard let shellSurface = objects?.shellSurface else { return }
    xdg_surface_set_window_geometry(
      shellSurface, Int32(place.x), Int32(place.y), Int32(place.width), Int32(place.height))
  }

  func perform(_ action: FramePress.Action, seat: OpaquePointer) {
    guard let toplevel = objects?.toplevel else { return }
    switch action {
    case .move(let serial): xdg_toplevel_move(toplevel, seat, serial)
    case .resize(let edges, let serial): xdg_toplevel_resize(toplevel, seat, serial, edges.rawValue)
    case .showMenu(let point, let serial):
      xdg_toplevel_show_window_menu(toplevel, seat, serial, Int32(point.x), Int32(point.y))
    case .close: isToClose()
    case .maximize:
      let isMaximized = configuration.states.contains(.maximized)
      if isMaximized { xdg_toplevel_unset_maximized(toplevel) } else { xdg_toplevel_set_maximized(toplevel) }
    case .minimize: xdg_toplevel_set_minimized(toplevel)
    }
    connection.flush()
  }

  static let decorationListener = listenerTable(
    zxdg_toplevel_decoration_v1_listener(
      configure: { data, _, mode in
        onMain(data) { (window: WaylandWindow) in
          window.setOwnFrame(mode == ZXDG_TOPLEVEL_DECORATION_V1_MODE_CLIENT_SIDE.rawValue)
        }
      }))
}
