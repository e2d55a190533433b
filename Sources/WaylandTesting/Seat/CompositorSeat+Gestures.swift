/// Gestures on a touchpad, over the window with the pointer.
extension CompositorSeat {
  /// The gestures of several fingers that a touchpad recognises.
  public enum Gesture: String, Hashable, Sendable, CaseIterable {
    case swipe, pinch, hold
  }

  /// Fingers begin a gesture.
  public func beginGesture(_ gesture: Gesture, fingers: Int) {
    guard let window = pointerFocus else { return }
    send(
      gesture, "begin", .uint(compositor.nextSerial()), .uint(compositor.milliseconds), .object(window.surface.object),
      .uint(UInt32(fingers)))
  }

  /// Fingers move; in a swipe without scale and rotation.
  public func changeGesture(_ gesture: Gesture, x: Double, y: Double, scale: Double = 1, rotation: Double = 0) {
    switch gesture {
    case .swipe: send(gesture, "update", .uint(compositor.milliseconds), .fixed(x), .fixed(y))
    case .pinch:
      send(
        gesture, "update", .uint(compositor.milliseconds), .fixed(x), .fixed(y), .fixed(scale), .fixed(rotation))
    case .hold: break
    }
  }

  public func endGesture(_ gesture: Gesture, isCancelled: Bool = false) {
    send(gesture, "end", .uint(compositor.nextSerial()), .uint(compositor.milliseconds), .int(isCancelled ? 1 : 0))
  }

  private func send(_ gesture: Gesture, _ event: String, _ arguments: EventArgument...) {
    for object in pointerFocus?.surface.object.client.gestures ?? [] where object.name.contains("_\(gesture.rawValue)_") {
      object.post(event, arguments)
    }
  }

  func offerGestures(_ manager: ServerObject) {
    manager.onRequest = { request in
      guard request.name.hasPrefix("get_") else { return }
      let (object, client) = (request.newObject(0), request.object.client)
      client.gestures.append(object)
      object.onEnd = { client.gestures.removeAll { $0 === object } }
    }
  }
}
