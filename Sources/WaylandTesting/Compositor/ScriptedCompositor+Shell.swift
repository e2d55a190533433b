import Geometry

/// Windows: xdg-shell, decorations, idle inhibition.
extension ScriptedCompositor {
  func offerShell(_ shell: ServerObject) {
    shell.client.shells.append(shell)
    shell.onEnd = { shell.client.shells.removeAll { $0 === shell } }
    shell.onRequest = { [unowned self] request in
      switch request.name {
      case "get_xdg_surface":
        let object = request.newObject(0)
        if let surface = extend(request, 1, with: object) { addShellSurface(object, surface) }
      case "create_positioner": _ = request.newObject(0)
      case "pong":
        for surface in surfaces where surface.object.client === shell.client { surface.heard(request.uint(0)) }
      default: break
      }
    }
  }

  private func addShellSurface(_ object: ServerObject, _ surface: CompositorSurface) {
    if surface.committedBuffer != nil { note(.wrongOrder, "a surface had a buffer before its role") }
    object.onEnd = { [weak self] in
      surface.extensions.remove("xdg_surface")
      guard let self, surface.window != nil, !object.client.hasEnded, !object.client.isEnding else { return }
      note(.wrongOrder, "an xdg_surface ended before its role")
    }
    object.onRequest = { [unowned self] request in
      switch request.name {
      case "get_toplevel": addWindow(request.newObject(0), object, surface)
      case "get_popup": _ = request.newObject(0)
      case "ack_configure": surface.window?.acknowledge(request.uint(0))
      case "set_window_geometry":
        surface.pendingLayout.geometry = IntRect(
          x: request.int(0), y: request.int(1), width: request.int(2), height: request.int(3))
      default: break
      }
    }
  }

  private func addWindow(_ toplevel: ServerObject, _ shellSurface: ServerObject, _ surface: CompositorSurface) {
    let window = CompositorWindow(surface, shellSurface: shellSurface, toplevel: toplevel)
    windows.append(window)
    windowsOfSurfaces[ObjectIdentifier(surface)] = window
    toplevel.onEnd = { [weak self] in
      self?.windows.removeAll { $0 === window }
      self?.windowsOfSurfaces[ObjectIdentifier(surface)] = nil
      self?.seat.forget(window)
    }
    toplevel.onRequest = { [unowned self] request in
      /// Notes a request that answers something which a person did.
      @MainActor func answer(_ wish: WindowWish, serial: UInt32) {
        if !seat.isUsed(serial) { note(.unknownInput, "\(wish) for \(serial)") }
        window.wishes.append(wish)
      }
      switch request.name {
      case "move": answer(.move, serial: request.uint(1))
      case "resize": answer(.resize(edges: request.uint(2)), serial: request.uint(1))
      case "show_window_menu": answer(.menu(x: request.int(2), y: request.int(3)), serial: request.uint(1))
      case "set_min_size": window.minimumSize = SurfaceLayout.IntSize(width: request.int(0), height: request.int(1))
      case "set_minimized": window.wishes.append(.minimize)
      case "set_title": window.title = request.string(0)
      case "set_app_id": window.appID = request.string(0)
      case "set_fullscreen": window.setState(.fullscreen, true)
      case "unset_fullscreen": window.setState(.fullscreen, false)
      case "set_maximized": window.setState(.maximized, true)
      case "unset_maximized": window.setState(.maximized, false)
      default: break
      }
    }
  }

  /// Surfaces that are parts of others, always synchronized with them.
  func offerSubsurfaces(_ manager: ServerObject) {
    manager.onRequest = { [unowned self] request in
      guard request.name == "get_subsurface" else { return }
      let object = request.newObject(0)
      guard let surface = extend(request, 1, with: object),
        let parent = surfaces.first(where: { $0.object === request.object(2) })
      else { return }
      surface.place = SubsurfacePlace()
      surface.parent = parent
      parent.parts.append(surface)
      object.onRequest = { [unowned self] request in
        switch request.name {
        case "set_position": surface.place?.pending = SubsurfacePlace.Corner(x: request.int(0), y: request.int(1))
        case "set_desync": note(.wrongOrder, "a part that goes ahead of its window")
        default: break
        }
      }
      object.onEnd = { [weak parent] in
        surface.extensions.remove("wl_subsurface")
        (surface.place, surface.parent) = (nil, nil)
        parent?.parts.removeAll { $0 === surface }
      }
    }
  }

  func window(of toplevel: ServerObject?) -> CompositorWindow? { windows.first { $0.toplevel === toplevel } }

  func offerDecorations(_ manager: ServerObject) {
    manager.onRequest = { [unowned self] request in
      guard request.name == "get_toplevel_decoration" else { return }
      let object = request.newObject(0)
      guard let window = window(of: request.object(1)) else { return }
      if window.surface.committedBuffer != nil { note(.wrongOrder, "a decoration was asked for after the first buffer") }
      object.onRequest = { [unowned self] request in
        guard request.name == "set_mode" || request.name == "unset_mode" else { return }
        window.decoration = policy.decoration
        object.send("configure", .uint(policy.decoration.rawValue))
      }
      object.onEnd = { window.decoration = nil }
    }
  }

  func offerIdleInhibition(_ manager: ServerObject) {
    manager.onRequest = { [unowned self] request in
      guard request.name == "create_inhibitor" else { return }
      let object = request.newObject(0)
      guard let window = extend(request, 1, with: object)?.window else { return }
      window.inhibitsIdle = true
      object.onEnd = {
        window.inhibitsIdle = false
        window.surface.extensions.remove("zwp_idle_inhibitor_v1")
      }
    }
  }
}
