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
  /// The states that were told last.
  public private(set) var states: Set<WindowState> = [.activated]
  /// The output that it lies on, by its place.
  public private(set) var output = 0

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

  /// A copy of what the compositor shows of it; nil while that is nothing.
  public func copyShownImage() throws(BitmapError) -> Image? {
    guard let picture = surface.picture else { return nil }
    let copy = try Bitmap(width: picture.width, height: picture.height)
    for y in 0..<copy.height { copy.row(y).copyMemory(from: picture.row(y), byteCount: 4 * copy.width) }
    return copy.freeze()
  }

  // MARK: Events

  /// Asks for another size or other states.
  ///
  /// - Parameters:
  ///   - width: in points, as `height` is; 0 lets the client choose.
  ///   - states: nil for those of before.
  public func configure(width: Int, height: Int, states: Set<WindowState>? = nil) {
    self.states = states ?? self.states
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
