import CWaylandServer
import CWaylandTesting

/// A connection of the compositor's, with the objects of its client that events go to.
@MainActor
final class CompositorClient {
  let pointer: OpaquePointer
  unowned let compositor: ScriptedCompositor
  /// The requests so far, without those that libwayland answers by itself.
  private(set) var requestCount = 0
  /// True from the request at which the connection is to end.
  private(set) var isEnding = false
  private(set) var hasEnded = false
  var shells: [ServerObject] = []
  /// The objects of each output, by the output's place.
  var outputs: [[ServerObject]]
  var seats: [ServerObject] = []
  var keyboards: [ServerObject] = []
  var pointers: [ServerObject] = []
  var touches: [ServerObject] = []
  var dataDevices: [ServerObject] = []
  var textInputs: [ServerObject] = []
  var gestures: [ServerObject] = []

  init(_ pointer: OpaquePointer, of compositor: ScriptedCompositor) {
    (self.pointer, self.compositor) = (pointer, compositor)
    outputs = compositor.outputs.map { _ in [] }
    wayland_testing_on_client_end(
      pointer,
      { data in
        guard let data else { return }
        let client = Unmanaged<CompositorClient>.fromOpaque(data)
        MainActor.assumeIsolated { client.takeRetainedValue().ended() }
      }, Unmanaged.passRetained(self).toOpaque())
  }

  /// Counts a request.
  ///
  /// - Returns: false if it comes too late.
  func takes(_ request: Request) -> Bool {
    guard !isEnding else { return false }
    requestCount += 1
    if let last = compositor.lastRequest, requestCount >= last {
      isEnding = true
      compositor.isEndingClient = true
      return false
    }
    return true
  }

  /// Ends the connection. Not to be called while a request of it is handled.
  func end() {
    isEnding = true
    if !hasEnded { wl_client_destroy(pointer) }
  }

  private func ended() {
    hasEnded = true
    compositor.remove(self)
  }
}
