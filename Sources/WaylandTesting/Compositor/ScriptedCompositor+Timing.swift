import Geometry
import LinuxSystem
import RunLoops

/// The extensions that a surface can have: feedback, viewport, fractional scale, fifo, commit timing.
extension ScriptedCompositor {
  func offerPresentation(_ presentation: ServerObject) {
    presentation.send("clock_id", .uint(presentationClock.number))
    presentation.onRequest = { [unowned self] request in
      guard request.name == "feedback" else { return }
      let object = request.newObject(1)
      surfaces.first { $0.object === request.object(0) }?.pending.feedback.append(object)
    }
  }

  func offerViewports(_ viewporter: ServerObject) {
    offer(viewporter, "get_viewport") { surface, _ in
      surface.pendingLayout.destination = nil
      surface.pendingLayout.source = nil
    } handle: { [unowned self] request, surface in
      switch request.name {
      case "set_destination":
        let size = SurfaceLayout.IntSize(width: request.int(0), height: request.int(1))
        surface.pendingLayout.destination = size.width == -1 && size.height == -1 ? nil : size
      case "set_source":
        let values = (0..<4).map { request.fixed($0) }
        surface.pendingLayout.source =
          values.allSatisfy { $0 == -1 } ? nil : Rect(x: values[0], y: values[1], width: values[2], height: values[3])
        if values[2] <= 0, values[0] != -1 { note(.wrongViewport, "a source of \(values)") }
      default: break
      }
    }
  }

  func offerFractionalScale(_ manager: ServerObject) {
    offer(manager, "get_fractional_scale") { surface, _ in
      surface.fractionalScale = nil
    } made: { [unowned self] surface, object in
      surface.fractionalScale = object
      tellScale(surface)
    } handle: { _, _ in
    }
  }

  func offerFIFO(_ manager: ServerObject) {
    offer(manager, "get_fifo") { _, _ in
    } handle: { request, surface in
      if request.name == "set_barrier" { surface.pending.setsBarrier = true }
      if request.name == "wait_barrier" { surface.pending.waitsForBarrier = true }
    }
  }

  func offerCommitTiming(_ manager: ServerObject) {
    offer(manager, "get_timer") { _, _ in
    } handle: { [unowned self] request, surface in
      guard request.name == "set_timestamp" else { return }
      let seconds = Int64(request.uint(0)) << 32 | Int64(request.uint(1))
      if surface.pending.target != nil { note(.wrongOrder, "two times for one commit") }
      // By the clock of feedback, which differs from the loop's by about the same at all times that matter here.
      let stamp = MonotonicTime(nanoseconds: seconds * 1_000_000_000 + Int64(request.uint(2)))
      let now = loop.clock.now
      surface.pending.target = now + (stamp - presentationClock.time(at: now))
    }
  }

  /// Makes objects that extend surfaces.
  ///
  /// - Parameters:
  ///   - name: the request that makes one, whose second argument is the surface.
  ///   - ended: called when the client has destroyed it.
  private func offer(
    _ manager: ServerObject, _ name: String, ended: @escaping @MainActor (CompositorSurface, ServerObject) -> Void,
    made: @escaping @MainActor (CompositorSurface, ServerObject) -> Void = { _, _ in },
    handle: @escaping @MainActor (Request, CompositorSurface) -> Void
  ) {
    manager.onRequest = { [unowned self] request in
      guard request.name == name else { return }
      let object = request.newObject(0)
      guard let surface = extend(request, 1, with: object) else { return }
      object.onRequest = { request in if request.name != "destroy" { handle(request, surface) } }
      object.onEnd = {
        surface.extensions.remove(object.name)
        ended(surface, object)
      }
      made(surface, object)
    }
  }
}
