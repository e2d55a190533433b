import CWaylandClient
import CWaylandProtocols
import Geometry
import Glibc
import LinuxSystem
import RenderTree

/// Hears what becomes of a window. There is one: its display.
@MainActor
protocol WindowOwner: AnyObject {
  /// The name by which input devices say that they lie on the window.
  var inputName: String { get }
  /// The compositor has proposed a size or a state.
  func windowChanged(_ changes: WindowConfiguration.Changes)
  /// The window is on other outputs, or one of them has changed.
  func windowOutputsChanged()
  /// A frame callback has come.
  func windowMayDraw()
  /// Presentation feedback has come: the stamp by the compositor's clock, or nil for a frame that was never seen.
  func windowHasFeedback(ofFrame serial: UInt64, stamp: MonotonicTime?)
  func windowIsToClose()
  func windowWasLost(_ error: WaylandError)
}

/// The objects of a window at the compositor: its surface, its roles, and the questions that are open. It decides nothing.
@MainActor
package final class WaylandWindow {
  let connection: WaylandConnection
  weak var owner: (any WindowOwner)?
  private(set) var configuration: WindowConfiguration
  private(set) var options: WindowOptions
  /// The window's surface; nil before the connection is ready, and after the end.
  package var surface: OpaquePointer? { objects?.surface }
  /// The outputs that show a part of it.
  private(set) var entered: [WaylandOutput] = []

  /// The surface, its roles, and what the compositor has for it besides. They come and go together.
  struct Objects {
    let surface: OpaquePointer
    let shellSurface: OpaquePointer
    let toplevel: OpaquePointer
    var decoration: OpaquePointer?
    var viewport: OpaquePointer?
    var fractionalScale: OpaquePointer?
    var fifo: OpaquePointer?
    var commitTimer: OpaquePointer?
  }

  private(set) var objects: Objects?
  /// The window's own frame; nil where the desktop draws one.
  var frame: WindowFrame?
  private var idleInhibitor: OpaquePointer?
  private var callback: OpaquePointer?
  private var questions: [FeedbackQuestion] = []
  /// Buffers that the compositor holds, and in which no frame is painted any more.
  private var retired: [WindowBuffer] = []
  /// The scale and the size that the surface was told last.
  private var told: (scale: Int, extent: WindowConfiguration.Extent)?

  init(connection: WaylandConnection, options: WindowOptions, configuration: WindowConfiguration) {
    (self.connection, self.options, self.configuration) = (connection, options, configuration)
    connection.add(self)
    if connection.state == .ready { connectionIsReady() }
  }

  // MARK: - Life

  func connectionIsReady() {
    let globals = connection.globals
    guard objects == nil, let compositor = globals.compositor, let shell = globals.shell,
      let surface = wl_compositor_create_surface(compositor),
      let shellSurface = xdg_wm_base_get_xdg_surface(shell, surface),
      let toplevel = xdg_surface_get_toplevel(shellSurface)
    else { return }
    var made = Objects(surface: surface, shellSurface: shellSurface, toplevel: toplevel)
    wl_surface_add_listener(surface, Self.surfaceListener, listenerData(self))
    xdg_surface_add_listener(shellSurface, Self.shellSurfaceListener, listenerData(self))
    xdg_toplevel_add_listener(toplevel, Self.toplevelListener, listenerData(self))
    xdg_toplevel_set_title(toplevel, options.title)
    if !options.applicationID.isEmpty { xdg_toplevel_set_app_id(toplevel, options.applicationID) }
    if options.isFullScreen { xdg_toplevel_set_fullscreen(toplevel, nil) }
    if let manager = globals.decorations {
      made.decoration = zxdg_decoration_manager_v1_get_toplevel_decoration(manager, toplevel)
      zxdg_toplevel_decoration_v1_add_listener(made.decoration, Self.decorationListener, listenerData(self))
      zxdg_toplevel_decoration_v1_set_mode(made.decoration, ZXDG_TOPLEVEL_DECORATION_V1_MODE_SERVER_SIDE.rawValue)
    }
    if let viewporter = globals.viewporter { made.viewport = wp_viewporter_get_viewport(viewporter, surface) }
    if made.viewport != nil, let manager = globals.fractionalScale {
      made.fractionalScale = wp_fractional_scale_manager_v1_get_fractional_scale(manager, surface)
      wp_fractional_scale_v1_add_listener(made.fractionalScale, Self.fractionalScaleListener, listenerData(self))
    }
    if let manager = globals.fifo { made.fifo = wp_fifo_manager_v1_get_fifo(manager, surface) }
    if globals.presentation != nil, let manager = globals.commitTiming {
      made.commitTimer = wp_commit_timing_manager_v1_get_timer(manager, surface)
    }
    objects = made
    if made.decoration == nil { setOwnFrame(true) }
    inhibitIdle(options.inhibitsIdle)
    // Without a buffer: the compositor answers with a proposal.
    wl_surface_commit(surface)
    connection.flush()
  }

  func connectionWasLost(_ error: WaylandError) { owner?.windowWasLost(error) }

  /// Takes the window away.
  func destroy() {
    guard let objects else { return connection.remove(self) }
    for question in questions { question.destroy() }
    if let callback { wl_callback_destroy(callback) }
    if let idleInhibitor { zwp_idle_inhibitor_v1_destroy(idleInhibitor) }
    if let fifo = objects.fifo { wp_fifo_v1_destroy(fifo) }
    if let commitTimer = objects.commitTimer { wp_commit_timer_v1_destroy(commitTimer) }
    if let fractionalScale = objects.fractionalScale { wp_fractional_scale_v1_destroy(fractionalScale) }
    if let viewport = objects.viewport { wp_viewport_destroy(viewport) }
    if let decoration = objects.decoration { zxdg_toplevel_decoration_v1_destroy(decoration) }
    frame?.destroy()
    frame = nil
    xdg_toplevel_destroy(objects.toplevel)
    xdg_surface_destroy(objects.shellSurface)
    wl_surface_destroy(objects.surface)
    // Only now: the compositor was to show them until then.
    for buffer in retired { buffer.destroy() }
    (retired, questions, entered) = ([], [], [])
    (callback, idleInhibitor, told, self.objects) = (nil, nil, nil, nil)
    configuration.disconnect()
    connection.remove(self)
    connection.flush()
  }

  // MARK: - Frames

  func makeBuffer(width: Int, height: Int, isOpaque: Bool = true) throws(SystemError) -> WindowBuffer {
    guard let memory = connection.globals.sharedMemory, connection.pointer != nil else {
      throw SystemError(call: "wl_shm_create_pool", errno: ENOTCONN)
    }
    return try WindowBuffer(width: width, height: height, isOpaque: isOpaque, sharedMemory: memory)
  }

  /// No frame is painted in a buffer any more. It goes when the compositor has let go of it.
  func retire(_ buffer: WindowBuffer) {
    guard buffer.isHeld, surface != nil else { return buffer.destroy() }
    retired.append(buffer)
    buffer.onRelease = { [weak self, weak buffer] in
      guard let self, let buffer else { return }
      retired.removeAll { $0 === buffer }
      buffer.destroy()
    }
  }

  /// Shows a buffer of the size that the configuration has, and answers the proposal that it has it from.
  ///
  /// - Parameters:
  ///   - serial: with which feedback answers; nil for none.
  ///   - target: not before this time, by the compositor's clock; nil for as soon as can be.
  func commit(_ buffer: WindowBuffer, damage: DamageRegion, serial: UInt64?, target: MonotonicTime?) {
    guard let objects else { return }
    let surface = objects.surface
    answerProposal()
    tellScale()
    frame?.prepare()
    for rect in damage.rects {
      wl_surface_damage_buffer(
        surface, Int32(rect.minX), Int32(rect.minY), Int32(rect.width), Int32(rect.height))
    }
    buffer.attach(to: surface)
    // A frame of a new size does not wait for those of the old one, behind which it would be late by as many vblanks.
    let isUrgent = callback != nil
    if let callback { wl_callback_destroy(callback) }
    callback = wl_surface_frame(surface)
    wl_callback_add_listener(callback, Self.callbackListener, listenerData(self))
    if let serial, let presentation = connection.globals.presentation { ask(presentation, surface, serial) }
    if let fifo = objects.fifo {
      wp_fifo_v1_set_barrier(fifo)
      if !isUrgent { wp_fifo_v1_wait_barrier(fifo) }
    }
    if let commitTimer = objects.commitTimer, let target, !isUrgent {
      let (seconds, rest) = UInt64(max(target.nanoseconds, 0)).quotientAndRemainder(dividingBy: 1_000_000_000)
      wp_commit_timer_v1_set_timestamp(
        commitTimer, UInt32(truncatingIfNeeded: seconds >> 32), UInt32(truncatingIfNeeded: seconds), UInt32(rest))
    }
    wl_surface_commit(surface)
    connection.flush()
  }

  private func ask(_ presentation: OpaquePointer, _ surface: OpaquePointer, _ serial: UInt64) {
    let question: FeedbackQuestion
    if let idle = questions.first(where: { !$0.isOpen }) {
      question = idle
    } else {
      question = FeedbackQuestion(window: self)
      questions.append(question)
    }
    question.ask(presentation, surface, serial)
  }

  private func answerProposal() {
    if let objects, let answer = configuration.takeAnswer() { xdg_surface_ack_configure(objects.shellSurface, answer) }
  }

  private func tellScale() {
    guard let objects else { return }
    let (scale, extent) = (configuration.scale, configuration.extent)
    guard told?.scale != scale || told?.extent != extent else { return }
    told = (scale, extent)
    if let viewport = objects.viewport, objects.fractionalScale != nil {
      wp_viewport_set_destination(viewport, Int32(extent.width), Int32(extent.height))
    } else {
      wl_surface_set_buffer_scale(objects.surface, Int32(scale / 120))
    }
  }

  var inputName: String { owner?.inputName ?? "" }

  // MARK: - Wishes

  func setTitle(_ title: String) {
    options.title = title
    if let objects { xdg_toplevel_set_title(objects.toplevel, title) }
    refreshFrame()
  }

  func setFullScreen(_ isFullScreen: Bool) {
    options.isFullScreen = isFullScreen
    guard let toplevel = objects?.toplevel else { return }
    if isFullScreen { xdg_toplevel_set_fullscreen(toplevel, nil) } else { xdg_toplevel_unset_fullscreen(toplevel) }
  }

  func inhibitIdle(_ isInhibited: Bool) {
    options.inhibitsIdle = isInhibited
    if isInhibited, idleInhibitor == nil, let manager = connection.globals.idleInhibition, let surface {
      idleInhibitor = zwp_idle_inhibit_manager_v1_create_inhibitor(manager, surface)
    } else if !isInhibited, let inhibitor = idleInhibitor {
      zwp_idle_inhibitor_v1_destroy(inhibitor)
      idleInhibitor = nil
    }
  }

  // MARK: - Events

  func outputChanged(_ output: WaylandOutput) {
    // Before the window is on any, the first one stands for those to come.
    guard entered.isEmpty || entered.contains(where: { $0 === output }) else { return }
    outputsChanged()
  }

  func outputIsGone(_ output: WaylandOutput) {
    guard entered.contains(where: { $0 === output }) else { return }
    entered.removeAll { $0 === output }
    outputsChanged()
  }

  fileprivate func outputMet(_ pointer: UInt, isEntered: Bool) {
    guard let output = connection.globals.outputs.first(where: { UInt(bitPattern: $0.pointer) == pointer }) else { return }
    entered.removeAll { $0 === output }
    if isEntered { entered.append(output) }
    outputsChanged()
  }

  private func outputsChanged() {
    if objects?.fractionalScale == nil, let scale = wholeScale { rescale(scale * 120) }
    owner?.windowOutputsChanged()
  }

  /// The scale for the outputs. Before the first frame, which tells the compositor of the window, it is on none: then it is that of all, or
  /// the least of them.
  private var wholeScale: Int? {
    if entered.isEmpty { return told == nil ? connection.globals.outputs.map(\.scale).min() : nil }
    return entered.map(\.scale).max()
  }

  fileprivate func rescale(_ scale: Int) {
    let changes = configuration.rescale(scale)
    if !changes.isEmpty { owner?.windowChanged(changes) }
  }

  fileprivate func proposed(width: Int, height: Int, states: WindowConfiguration.States) {
    configuration.propose(width: width, height: height, states: states)
  }

  fileprivate func proposalIsComplete(_ serial: UInt32) {
    let changes = configuration.take(serial: serial)
    owner?.windowChanged(changes)
    // A frame answers a new size; nothing else needs one.
    if changes.isDisjoint(with: [.first, .resized]), !hasUnansweredSize, let surface {
      answerProposal()
      frame?.prepare()
      wl_surface_commit(surface)
    }
  }

  /// True while the last frame has not the size that was proposed, or not the scale.
  private var hasUnansweredSize: Bool {
    owner.map { _ in told?.extent != configuration.extent || told?.scale != configuration.scale } ?? true
  }

  fileprivate func callbackCame(_ pointer: UInt) {
    guard let callback, UInt(bitPattern: callback) == pointer else { return }
    wl_callback_destroy(callback)
    self.callback = nil
    owner?.windowMayDraw()
  }

  func feedbackCame(_ serial: UInt64, stamp: MonotonicTime?) { owner?.windowHasFeedback(ofFrame: serial, stamp: stamp) }
  func updateConfiguration(_ change: (inout WindowConfiguration) -> Void) { change(&configuration) }

  /// True when a frame of the size that was proposed last is shown.
  var hasAnsweredSize: Bool { told != nil && !hasUnansweredSize }

  func isToClose() { owner?.windowIsToClose() }

  // MARK: - Listeners

  private static let surfaceListener = listenerTable(
    wl_surface_listener(
      enter: { data, _, output in
        let pointer = UInt(bitPattern: output)
        onMain(data) { (window: WaylandWindow) in window.outputMet(pointer, isEntered: true) }
      },
      leave: { data, _, output in
        let pointer = UInt(bitPattern: output)
        onMain(data) { (window: WaylandWindow) in window.outputMet(pointer, isEntered: false) }
      }))

  private static let shellSurfaceListener = listenerTable(
    xdg_surface_listener(
      configure: { data, _, serial in onMain(data) { (window: WaylandWindow) in window.proposalIsComplete(serial) } }))

  private static let toplevelListener = listenerTable(
    xdg_toplevel_listener(
      configure: { data, _, width, height, states in
        let states = WindowConfiguration.States(states)
        onMain(data) { (window: WaylandWindow) in
          window.proposed(width: Int(width), height: Int(height), states: states)
        }
      },
      close: { data, _ in onMain(data) { (window: WaylandWindow) in window.isToClose() } },
      configure_bounds: { _, _, _, _ in },
      wm_capabilities: { data, _, array in
        let numbers = array.map { numbersOf($0) } ?? []
        onMain(data) { (window: WaylandWindow) in
          window.frame?.setCapabilities(
            maximize: numbers.contains(XDG_TOPLEVEL_WM_CAPABILITIES_MAXIMIZE.rawValue),
            minimize: numbers.contains(XDG_TOPLEVEL_WM_CAPABILITIES_MINIMIZE.rawValue))
        }
      }))

  private static let fractionalScaleListener = listenerTable(
    wp_fractional_scale_v1_listener(
      preferred_scale: { data, _, scale in
        onMain(data) { (window: WaylandWindow) in window.rescale(Int(scale)) }
      }))

  private static let callbackListener = listenerTable(
    wl_callback_listener(
      done: { data, callback, _ in
        let pointer = UInt(bitPattern: callback)
        onMain(data) { (window: WaylandWindow) in window.callbackCame(pointer) }
      }))
}

extension WindowConfiguration.States {
  /// - Parameter array: the numbers of `xdg_toplevel.state`.
  init(_ array: UnsafeMutablePointer<wl_array>?) {
    self = []
    for number in array.map({ numbersOf($0) }) ?? [] {
      switch xdg_toplevel_state(number) {
      case XDG_TOPLEVEL_STATE_FULLSCREEN: insert(.fullScreen)
      case XDG_TOPLEVEL_STATE_ACTIVATED: insert(.activated)
      case XDG_TOPLEVEL_STATE_SUSPENDED: insert(.suspended)
      case XDG_TOPLEVEL_STATE_MAXIMIZED: insert(.maximized)
      case XDG_TOPLEVEL_STATE_TILED_LEFT, XDG_TOPLEVEL_STATE_TILED_RIGHT, XDG_TOPLEVEL_STATE_TILED_TOP,
        XDG_TOPLEVEL_STATE_TILED_BOTTOM:
        insert(.tiled)
      default: break
      }
    }
  }
}

private func numbersOf(_ array: UnsafeMutablePointer<wl_array>) -> [UInt32] {
  guard let data = array.pointee.data else { return [] }
  return Array(UnsafeRawBufferPointer(start: data, count: array.pointee.size).bindMemory(to: UInt32.self))
}
