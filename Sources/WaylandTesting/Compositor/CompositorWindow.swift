public import Geometry
public import Raster

/// A state of a window that the compositor tells its client.
public enum WindowState: UInt32, Hashable, Sendable, CaseIterable {
  case maximized = 1
  case fullscreen = 2
  case resizing = 3
  case activated = 4
  /// Nothing of it is seen.
  case suspended = 9
}

/// A request of a client for its window that the compositor grants when it likes.
public enum WindowWish: Hashable, Sendable {
  /// To be moved with the pointer or the finger.
  case move
  /// To be resized with it, at edges by the numbers of xdg-shell.
  case resize(edges: UInt32)
  case menu(x: Int, y: Int)
  case minimize
}

/// A window of a client, as the compositor has it.
@MainActor
public final class CompositorWindow {
  public internal(set) var title = ""
  public internal(set) var appID = ""
  /// True while the compositor takes no picture of it, as while other windows cover it: nothing that it commits is answered. The client
  /// is not told; `WindowState.suspended` is for that.
  public var isHidden = false {
    didSet { if oldValue, !isHidden { surface.compositor.changed() } }
  }
  /// The frames that were seen so far.
  public private(set) var shownCount = 0
  /// The frame that is seen; nil before the first.
  public private(set) var shownFrame: ShownFrame?
  /// True while its client asks that the screen stay on.
  public internal(set) var inhibitsIdle = false
  /// The decoration that the client was told; nil for one that has not asked.
  public internal(set) var decoration: CompositorPolicy.Decoration?
  /// The requests of the client so far that the compositor leaves to the test.
  public internal(set) var wishes: [WindowWish] = []
  /// The parts of the window's own frame that are seen, in points around its content.
  public var frameParts: [IntRect] { surface.shownParts }
  /// The size of the content that is seen, in points; nil while that is nothing.
  public var contentSize: (width: Int, height: Int)? { surface.shownSize.map { (width: $0.width, height: $0.height) } }
  /// The window without its edges, in points around its content; nil where the client has not said.
  public var geometry: IntRect? { surface.shownLayout.geometry }
  /// The states that were told last.
  public private(set) var states: Set<WindowState> = [.activated]
  /// The output that it lies on, by its place.
  public private(set) var output = 0

  /// The least size that the client wants, in points.
  var minimumSize = SurfaceLayout.IntSize(width: 0, height: 0)
  let surface: CompositorSurface
  let shellSurface: ServerObject
  let toplevel: ServerObject
  /// The object through which the decoration is told; nil without one.
  var decorationObject: ServerObject?
  /// The configurations that the client has not acknowledged, oldest first.
  private var sent: [SurfaceLayout.Configuration] = []
  private(set) var acknowledged: SurfaceLayout.Configuration?
  private var isConfigured = false
  /// The size outside of full screen.
  private var floatingSize = SurfaceLayout.IntSize(width: 0, height: 0)

  init(_ surface: CompositorSurface, shellSurface: ServerObject, toplevel: ServerObject) {
    (self.surface, self.shellSurface, self.toplevel) = (surface, shellSurface, toplevel)
  }

  /// The commits of its surface so far.
  public var commitCount: Int { surface.commitCount }

  /// True while a picture of it is seen.
  public var isMapped: Bool { surface.isMapped }

  /// A copy of what the compositor shows of it, without a frame of its own; nil while that is nothing.
  public func copyShownImage() throws(BitmapError) -> Image? { try Self.copy(surface.picture) }

  /// Copies of the parts of the window's own frame.
  public func copyFrame() throws(BitmapError) -> [Image] {
    var images: [Image] = []
    for part in surface.parts { if let image = try Self.copy(part.picture) { images.append(image) } }
    return images
  }

  private static func copy(_ picture: Bitmap?) throws(BitmapError) -> Image? {
    guard let picture else { return nil }
    let copy = try Bitmap(width: picture.width, height: picture.height)
    for y in 0..<copy.height { copy.row(y).copyMemory(from: picture.row(y), byteCount: 4 * copy.width) }
    return copy.freeze()
  }

  // MARK: Events

  /// Asks for another size or other states.
  ///
  /// - Parameters:
  ///   - width: in points, as `height` is; 0 lets the client choose. A window that does not fill the screen gets no less than it asks for.
  ///   - states: nil for those of before.
  public func configure(width: Int, height: Int, states: Set<WindowState>? = nil) {
    self.states = states ?? self.states
    var (width, height) = (width, height)
    if !self.states.contains(.fullscreen) {
      if width != 0 { width = max(width, minimumSize.width) }
      if height != 0 { height = max(height, minimumSize.height) }
    }
    if !self.states.contains(.fullscreen), !self.states.contains(.maximized) {
      floatingSize = SurfaceLayout.IntSize(width: width, height: height)
    }
    if !isConfigured {
      let bounds = size(of: output)
      toplevel.send("configure_bounds", .int(bounds.width), .int(bounds.height))
      toplevel.send("wm_capabilities", .array([1, 2, 3, 4]))
    }
    isConfigured = true
    let serial = surface.compositor.nextSerial()
    sent.append(SurfaceLayout.Configuration(serial: serial, width: width, height: height))
    let told = self.states.sorted { $0.rawValue < $1.rawValue }.filter { $0 != .suspended || toplevel.version >= 6 }
    toplevel.send("configure", .int(width), .int(height), .array(told.map(\.rawValue)))
    shellSurface.send("configure", .uint(serial))
  }

  /// Tells the client that its user wants the window gone.
  public func close() { toplevel.send("close") }

  /// Moves it to another output, which may have another scale.
  public func move(toOutput index: Int) {
    guard surface.compositor.outputs.indices.contains(index), index != output else { return }
    surface.compositor.leave(surface, output)
    output = index
    surface.compositor.enter(surface)
    if surface.fractionalScale != nil { surface.compositor.tellScale(surface) }
    surface.compositor.changed()
  }

  // MARK: The client's requests

  func acknowledge(_ serial: UInt32) {
    guard let index = sent.firstIndex(where: { $0.serial == serial }) else {
      return surface.compositor.note(.unknownSerial, "\(serial)")
    }
    acknowledged = sent[index]
    sent.removeSubrange(...index)
    surface.heard(serial)
  }

  func committed(_ commit: SurfaceCommit) {
    switch commit.attachment {
    case .removed: (isConfigured, acknowledged, sent) = (false, nil, [])
    case .none where !isConfigured:
      let size = surface.compositor.initialSize
      configure(width: size.width, height: size.height)
    default: break
    }
  }

  func setState(_ state: WindowState, _ isOn: Bool) {
    var states = states
    if isOn { states.insert(state) } else { states.remove(state) }
    let fills = states.contains(.fullscreen) || states.contains(.maximized)
    // Before the first commit it is only noted.
    guard isConfigured else {
      self.states = states
      return
    }
    let size = fills ? size(of: output) : floatingSize
    configure(width: size.width, height: size.height, states: states)
  }

  /// The size of an output in points.
  private func size(of output: Int) -> SurfaceLayout.IntSize {
    let output = surface.compositor.outputs[output]
    return SurfaceLayout.IntSize(width: output.width * 120 / output.scale, height: output.height * 120 / output.scale)
  }

  func show(_ frame: ShownFrame) {
    shownCount += 1
    shownFrame = frame
    surface.compositor.onShown?(self, frame)
  }
}
