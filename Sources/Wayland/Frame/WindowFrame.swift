import CWaylandClient
import CWaylandProtocols
import Geometry
import LinuxSystem
import Raster

/// The frame that a window has of its own, where the desktop draws none: four surfaces around that of the content.
///
/// They are part of it to the compositor: whatever they show is seen from the commit of the content on, with its size.
@MainActor
final class WindowFrame {
  private unowned let window: WaylandWindow
  private var parts: [Part] = []
  /// The look at the last commit; nil while there is no frame.
  private var shown: FrameLook?
  private var press = FramePress()
  /// The area below the pointer.
  private var hovered: FrameArea?
  private var pointer = Point.zero
  /// The buttons that the desktop has a use for.
  private var capabilities: (maximize: Bool, minimize: Bool) = (true, true)

  @MainActor
  private final class Part {
    let kind: FrameLayout.Part
    let surface: OpaquePointer
    let subsurface: OpaquePointer
    var buffer: WindowBuffer?

    init?(_ kind: FrameLayout.Part, _ compositor: OpaquePointer, _ subcompositor: OpaquePointer, in parent: OpaquePointer) {
      guard let surface = wl_compositor_create_surface(compositor),
        let subsurface = wl_subcompositor_get_subsurface(subcompositor, surface, parent)
      else { return nil }
      (self.kind, self.surface, self.subsurface) = (kind, surface, subsurface)
    }
  }

  /// - Returns: nil where the compositor has no subsurfaces.
  init?(of window: WaylandWindow, in parent: OpaquePointer) {
    let globals = window.connection.globals
    guard let compositor = globals.compositor, let subcompositor = globals.subcompositor else { return nil }
    self.window = window
    parts = FrameLayout.Part.allCases.compactMap { Part($0, compositor, subcompositor, in: parent) }
  }

  func destroy() {
    for part in parts {
      wl_subsurface_destroy(part.subsurface)
      wl_surface_destroy(part.surface)
      part.buffer?.destroy()
    }
    parts = []
  }

  func part(of surface: UInt) -> FrameLayout.Part? { parts.first { UInt(bitPattern: $0.surface) == surface }?.kind }

  func setCapabilities(maximize: Bool, minimize: Bool) { capabilities = (maximize, minimize) }

  // MARK: Look

  private func layout(_ configuration: WindowConfiguration) -> FrameLayout {
    FrameLayout(
      extent: configuration.extent, isFitted: configuration.states.isFitted, hasMaximize: capabilities.maximize,
      hasMinimize: capabilities.minimize)
  }

  /// Brings the frame to what the next commit of the content shows.
  func prepare() {
    let configuration = window.configuration
    var look: FrameLook?
    if configuration.isFramed {
      var highlighted: FrameArea?
      switch hovered {
      case .close, .maximize, .minimize: if press.held == nil || press.held == hovered { highlighted = hovered }
      default: break
      }
      look = FrameLook(
        layout: layout(configuration), scale: (configuration.scale + 119) / 120, title: window.options.title,
        isActivated: configuration.states.contains(.activated), isMaximized: configuration.states.contains(.maximized),
        highlighted: highlighted,
        isHeld: press.held != nil && press.held == highlighted)
    }
    let extent = configuration.extent
    guard look != shown || look == nil && toldGeometry != nil else { return }
    let old = shown
    shown = look
    for part in parts { update(part, from: old, to: look) }
    let geometry = look?.layout.geometry ?? .init(x: 0, y: 0, width: extent.width, height: extent.height)
    guard geometry != toldGeometry else { return }
    toldGeometry = geometry
    window.setGeometry(geometry)
  }

  private var toldGeometry: FrameLayout.Place?

  private func update(_ part: Part, from old: FrameLook?, to look: FrameLook?) {
    let (before, place) = (old?.layout.place(of: part.kind), look?.layout.place(of: part.kind))
    guard let look, let place else {
      if before != nil { show(nil, on: part, scale: 1) }
      return
    }
    wl_subsurface_set_position(part.subsurface, Int32(place.x), Int32(place.y))
    if part.kind != .top, let old, let before, (before.width, before.height) == (place.width, place.height),
      old.scale == look.scale
    {
      return
    }
    let buffer = try? window.makeBuffer(width: place.width * look.scale, height: place.height * look.scale, isOpaque: false)
    if let buffer { FramePainter(look: look).draw(part.kind, in: buffer.bitmap) }
    show(buffer, on: part, scale: look.scale)
  }

  private func show(_ buffer: WindowBuffer?, on part: Part, scale: Int) {
    let old = part.buffer
    part.buffer = buffer
    if let buffer {
      wl_surface_set_buffer_scale(part.surface, Int32(scale))
      wl_surface_damage_buffer(part.surface, 0, 0, Int32(buffer.bitmap.width), Int32(buffer.bitmap.height))
      buffer.attach(to: part.surface)
    } else {
      wl_surface_attach(part.surface, nil, 0, 0)
    }
    wl_surface_commit(part.surface)
    if let old { window.retire(old) }
  }

  // MARK: Pointer

  /// - Returns: the pointer's look.
  func pointerMoved(_ part: FrameLayout.Part, to point: Point, seat: OpaquePointer) -> CursorShape {
    guard let layout = shown?.layout, let place = layout.place(of: part) else { return .standard }
    let area = layout.area(part, at: point)
    (hovered, pointer) = (area, Point(point.x + Double(place.x), point.y + Double(place.y)))
    perform(press.moved(to: pointer), seat)
    window.refreshFrame()
    return area.cursor
  }

  func pointerLeft() {
    hovered = nil
    press.cancel()
    window.refreshFrame()
  }

  /// - Parameter button: by the kernel's number.
  func pointerPressed(_ button: UInt32, isDown: Bool, serial: UInt32, time: MonotonicTime, seat: OpaquePointer) {
    guard let area = hovered else { return }
    switch (button, isDown) {
    case (0x110, true): perform(press.pressed(area, at: pointer, serial: serial, time: time), seat)
    case (0x110, false): perform(press.released(area, time: time), seat)
    case (0x111, true) where area == .title:
      perform(.showMenu(Point(pointer.x, pointer.y + Double(FrameLayout.titleHeight)), serial: serial), seat)
    default: break
    }
    window.refreshFrame()
  }

  /// A finger went down: by the title it moves the window at once, by an edge it resizes it.
  ///
  /// - Returns: the button that it may press.
  func touched(_ part: FrameLayout.Part, at point: Point, serial: UInt32, seat: OpaquePointer) -> FrameArea? {
    guard let area = shown?.layout.area(part, at: point) else { return nil }
    switch area {
    case .title: perform(.move(serial: serial), seat)
    case .edge(let edges): perform(.resize(edges, serial: serial), seat)
    case .close, .maximize, .minimize: return area
    }
    return nil
  }

  /// A finger was lifted from the button on which it went down.
  func tapped(_ button: FrameArea, seat: OpaquePointer) {
    switch button {
    case .close: perform(.close, seat)
    case .maximize: perform(.maximize, seat)
    case .minimize: perform(.minimize, seat)
    case .title, .edge: break
    }
  }

  private func perform(_ action: FramePress.Action?, _ seat: OpaquePointer) {
    if let action { window.perform(action, seat: seat) }
  }
}
