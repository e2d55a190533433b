import FrameTiming
import Geometry
import LinuxSystem
import Simulation

/// The globals that clients find in the registry, and the objects that they make of it.
extension ScriptedCompositor {
  func addGlobals() {
    let bindings: [(String, @MainActor (ServerObject) -> Void)] = [
      ("wl_compositor", { [unowned self] in offerSurfaces($0) }), ("xdg_wm_base", { [unowned self] in offerShell($0) }),
      ("wl_subcompositor", { [unowned self] in offerSubsurfaces($0) }),
      ("wp_presentation", { [unowned self] in offerPresentation($0) }),
      ("wp_viewporter", { [unowned self] in offerViewports($0) }),
      ("wp_fractional_scale_manager_v1", { [unowned self] in offerFractionalScale($0) }),
      ("wp_fifo_manager_v1", { [unowned self] in offerFIFO($0) }),
      ("wp_commit_timing_manager_v1", { [unowned self] in offerCommitTiming($0) }),
      ("zxdg_decoration_manager_v1", { [unowned self] in offerDecorations($0) }),
      ("zwp_idle_inhibit_manager_v1", { [unowned self] in offerIdleInhibition($0) }),
      ("zwp_text_input_manager_v3", { [unowned self] in inputMethod.offer($0) }),
      ("zwp_tablet_manager_v2", { [unowned self] in tablet.offer($0) }),
      ("zwp_pointer_gestures_v1", { [unowned self] in seat.offerGestures($0) }),
      ("wl_data_device_manager", { [unowned self] in clipboard.offer($0) }),
      ("wl_seat", { [unowned self] in seat.bind($0) }),
      ("wp_cursor_shape_manager_v1", { [unowned self] in seat.offerCursorShapes($0) }),
    ]
    for (interface, bind) in bindings {
      if let version = globals.versions[interface] { addGlobal(interface, version: version, bind: bind) }
    }
    for index in outputs.indices {
      addGlobal("wl_output", version: globals.versions["wl_output"] ?? 4) { [unowned self] in bindOutput($0, index) }
    }
  }

  // MARK: Surfaces

  private func offerSurfaces(_ compositor: ServerObject) {
    compositor.onRequest = { [unowned self] request in
      let object = request.newObject(0)
      if request.name == "create_surface" { addSurface(object) }
    }
  }

  private func addSurface(_ object: ServerObject) {
    let surface = CompositorSurface(object, of: self)
    surfaces.append(surface)
    object.onEnd = { [weak self] in
      surface.end()
      guard let self else { return }
      surfaces.removeAll { $0 === surface }
      if surface.window != nil, !object.client.hasEnded, !object.client.isEnding {
        note(.wrongOrder, "a surface ended before its role")
      }
    }
    object.onRequest = { [unowned self] request in handle(request, of: surface) }
  }

  private func handle(_ request: Request, of surface: CompositorSurface) {
    switch request.name {
    case "attach":
      guard let resource = request.resource(0) else { return surface.pending.attachment = .removed }
      if let buffer = buffer(resource) { surface.pending.attachment = .buffer(buffer) }
    case "damage", "damage_buffer":
      let (x, y, width, height) = (request.int(0), request.int(1), request.int(2), request.int(3))
      let rect = IntRect(
        minX: Int32(clamping: x), minY: Int32(clamping: y), maxX: Int32(clamping: x + width),
        maxY: Int32(clamping: y + height))
      surface.pending.damageCount += 1
      if request.name == "damage" { surface.pending.surfaceDamage.append(rect) } else { surface.pending.damage.append(rect) }
    case "frame": surface.pending.callbacks.append(request.newObject(0))
    case "set_buffer_scale":
      let scale = request.int(0)
      if scale < 1 { note(.wrongScale, "a buffer's scale of \(scale)") }
      surface.pendingLayout.scale = max(scale, 1)
    case "set_buffer_transform": surface.pendingLayout.transform = request.int(0)
    case "commit": surface.commit()
    default: break
    }
  }

  /// Notes that a surface has an object of a kind of which there may be one.
  ///
  /// - Returns: nil for an object that is no surface.
  func extend(_ request: Request, _ argument: Int, with object: ServerObject) -> CompositorSurface? {
    guard let surface = surfaces.first(where: { $0.object === request.object(argument) }) else { return nil }
    if !surface.extensions.insert(object.name).inserted { note(.wrongOrder, "\(object.name) was made twice for a surface") }
    return surface
  }

  // MARK: Outputs

  private func bindOutput(_ object: ServerObject, _ index: Int) {
    object.client.outputs[index].append(object)
    object.onEnd = { object.client.outputs[index].removeAll { $0 === object } }
    let output = outputs[index]
    object.send(
      "geometry", .int(index * output.width), .int(0), .int(300), .int(200), .int(0), .string("framepace"),
      .string("simulated"),
      .int(0))
    object.send("name", .string(output.name))
    sendMode(object, output)
    for surface in surfaces where surface.object.client === object.client && surface.entered.contains(index) {
      surface.object.send("enter", .object(object))
    }
  }

  private func sendMode(_ object: ServerObject, _ output: CompositorOutput) {
    let millihertz = Int(((output.toldRate ?? output.rate).hertz * 1000).rounded())
    let flags: UInt32 = output.isModeCurrent ? 1 : 0
    object.send("mode", .uint(flags), .int(output.width), .int(output.height), .int(millihertz))
    object.send("scale", .int(output.wholeScale))
    object.send("done")
  }

  func sendModes() {
    for client in clients.values {
      for (index, objects) in client.outputs.enumerated() {
        for object in objects { sendMode(object, outputs[index]) }
      }
    }
  }

  /// Gives an output another scale, in 120ths.
  public func setScale(_ scale: Int, ofOutput index: Int = 0) {
    guard outputs.indices.contains(index) else { return }
    outputs[index].scale = max(scale, 1)
    sendModes()
    for surface in surfaces where surface.output == index { tellScale(surface) }
  }

  // MARK: Surfaces on outputs

  /// Tells a surface the output that it is on, the first time.
  func enter(_ surface: CompositorSurface) {
    let index = surface.output
    guard surface.isMapped, surface.entered.insert(index).inserted else { return }
    for object in surface.object.client.outputs[index] { surface.object.send("enter", .object(object)) }
    if surface.fractionalScale == nil { tellScale(surface) }
  }

  func leave(_ surface: CompositorSurface, _ index: Int) {
    guard surface.entered.remove(index) != nil else { return }
    for object in surface.object.client.outputs[index] { surface.object.send("leave", .object(object)) }
  }

  /// Tells a surface its scale. Until the client answers a ping that follows it may not know.
  func tellScale(_ surface: CompositorSurface) {
    let index = surface.output
    let output = outputs[index]
    // One that was not told of an output knows no scale of it.
    guard surface.fractionalScale != nil || surface.entered.contains(index) else { return }
    surface.fractionalScale?.send("preferred_scale", .uint(UInt32(output.scale)))
    surface.scales.append(output.scale)
    let serial = nextSerial()
    surface.scaleSerial = serial
    for shell in surface.object.client.shells { shell.send("ping", .uint(serial)) }
  }
}
