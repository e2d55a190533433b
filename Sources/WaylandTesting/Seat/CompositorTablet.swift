/// A tablet of a scripted compositor, with one pen.
///
/// ```swift
/// compositor.tablet.bring(.eraser, over: window, x: 20, y: 10)
/// compositor.tablet.change(isDown: true, pressure: 0.5)
/// compositor.tablet.takeAway()
/// ```
@MainActor
public final class CompositorTablet {
  /// The kinds of tools, by the protocol's numbers.
  public enum Tool: UInt32, Hashable, Sendable, CaseIterable {
    case pen = 0x140
    case eraser, brush, pencil, airbrush, finger, mouse, lens
  }

  /// The window that the pen is over.
  public private(set) var focus: CompositorWindow?
  /// The shape of the pen's cursor that the client asked for, by the number of cursor-shape-v1; nil for none.
  public internal(set) var cursor: UInt32?

  private unowned let compositor: ScriptedCompositor
  /// The serials with which the pen came.
  private var arrivals: Set<UInt32> = []
  private var isDown = false

  /// A client's objects.
  private struct Client {
    let tabletSeat: ServerObject
    let tablet: ServerObject
    var tool: ServerObject?
  }

  private var clients: [Client] = []

  init(of compositor: ScriptedCompositor) { self.compositor = compositor }

  private var tool: ServerObject? {
    clients.first { $0.tabletSeat.client === focus?.surface.object.client }?.tool
  }

  // MARK: The person

  /// Brings a tool into the tablet's reach, over a place of a window in points of its content.
  ///
  /// - Parameter tells: true for one that tells pressure and tilt.
  public func bring(_ kind: Tool, over window: CompositorWindow, x: Double, y: Double, tells: Bool = true) {
    takeAway()
    let (surface, x, y) = window.surface.target(x: x, y: y)
    guard let index = clients.firstIndex(where: { $0.tabletSeat.client === surface.object.client }) else { return }
    clients[index].tool?.send("removed")
    let tool = clients[index].tabletSeat.make("tool_added")
    clients[index].tool = tool
    tool.onRequest = { [unowned self] request in
      if request.name == "set_cursor", arrivals.contains(request.uint(0)) { cursor = nil }
    }
    tool.send("type", .uint(kind.rawValue))
    if tells {
      tool.send("capability", .uint(1))
      tool.send("capability", .uint(2))
    }
    tool.send("done")
    focus = window
    let serial = compositor.nextSerial()
    arrivals.insert(serial)
    tool.send("proximity_in", .uint(serial), .object(clients[index].tablet), .object(surface.object))
    tool.send("motion", .fixed(x), .fixed(y))
    frame(tool)
  }

  /// Changes what is not nil, in one frame.
  public func change(
    isDown: Bool? = nil, x: Double? = nil, y: Double? = nil, pressure: Double? = nil, tilt: (x: Double, y: Double)? = nil,
    button: (code: UInt32, isDown: Bool)? = nil
  ) {
    guard let tool, let focus else { return }
    if let x, let y {
      let (_, x, y) = focus.surface.target(x: x, y: y)
      tool.send("motion", .fixed(x), .fixed(y))
    }
    if let isDown, isDown != self.isDown {
      self.isDown = isDown
      if isDown { tool.send("down", .uint(compositor.seat.nextUse())) } else { tool.send("up") }
    }
    if let pressure { tool.send("pressure", .uint(UInt32((pressure * 65535).rounded()))) }
    if let tilt { tool.send("tilt", .fixed(tilt.x), .fixed(tilt.y)) }
    if let button {
      tool.send("button", .uint(compositor.seat.nextUse()), .uint(button.code), .uint(button.isDown ? 1 : 0))
    }
    frame(tool)
  }

  /// Takes the tool out of the tablet's reach.
  public func takeAway() {
    guard let tool else { return }
    if isDown { tool.send("up") }
    isDown = false
    tool.send("proximity_out")
    frame(tool)
    focus = nil
  }

  private func frame(_ tool: ServerObject) { tool.send("frame", .uint(compositor.milliseconds)) }

  // MARK: Clients

  func offer(_ manager: ServerObject) {
    manager.onRequest = { [unowned self] request in
      guard request.name == "get_tablet_seat" else { return }
      let seat = request.newObject(0)
      let tablet = seat.make("tablet_added")
      tablet.send("name", .string("Tablet"))
      tablet.send("done")
      clients.append(Client(tabletSeat: seat, tablet: tablet))
      seat.onEnd = { [weak self] in self?.clients.removeAll { $0.tabletSeat === seat } }
    }
  }

  /// True for a tool's arrival.
  func hasArrived(_ serial: UInt32) -> Bool { arrivals.contains(serial) }

  func forget(_ window: CompositorWindow) {
    if focus === window { (focus, isDown) = (nil, false) }
  }
}
