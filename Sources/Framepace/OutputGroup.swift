import Geometry
import Interaction
import Layers
import LinuxSystem
import Presentation
import RenderTree
import RunLoops

/// One tree of layers and the displays that show it: one for which it is laid out, the others mirror it.
@MainActor
struct OutputGroup {
  /// An output, and its look at the tree.
  struct Member {
    let output: Output
    let viewer: TreeViewer
    /// The place of the tree on a mirror; nil for the display that it is laid out for.
    let gravity: ContentsGravity?
  }

  let context: LayerContext
  private(set) var members: [Member] = []
  /// True if the application has chosen the scale, which then stays when the display's changes.
  private let hasOwnScale: Bool
  private let loop: FrameLoop
  /// Ends the rest in which nothing changes until an animation begins.
  private let alarm: FrameLoop.Alarm
  private var isAlarmSet = false
  private let renderThreads: WorkerPool?
  private let makeRenderer: @MainActor () -> any Renderer

  /// - Parameter scale: pixels a point; nil for the display's.
  init(
    for display: any Display, root: Layer, scale: Double?, loop: FrameLoop, workers: WorkerPool,
    renderThreads: WorkerPool?, makeRenderer: @escaping @MainActor () -> any Renderer
  ) {
    (self.loop, hasOwnScale) = (loop, scale != nil)
    self.renderThreads = renderThreads
    self.makeRenderer = makeRenderer
    let context = LayerContext(
      root: root, workers: workers, scale: scale ?? display.geometry.scale, clock: loop.clock, wake: { loop.wakeUp() })
    alarm = FrameLoop.Alarm(.onMain { [weak context] in context?.awaitBeginning() })
    loop.add(alarm, to: .common)
    self.context = context
  }

  /// Has the loop woken for the next animation's beginning, if there is nothing to show before it.
  mutating func awaitAnimations() {
    let time = context.nextBeginning.map { $0 - LayerContext.animationLead }
    // The alarm's own time is behind a lock.
    if time == nil, !isAlarmSet { return }
    isAlarmSet = time != nil
    if alarm.fireTime != time { alarm.fireTime = time }
  }

  /// The display that the tree is laid out for: the root layer fills it, and follows its size.
  mutating func addFirst(_ display: any Display) -> Output {
    let viewer = context.makeViewer()
    let output = add(display, viewer, nil) { viewer.renderTree(at: $0) }
    let context = context
    Self.fit(context, to: output.geometry)
    output.onGeometryChange = { [hasOwnScale] geometry in
      if !hasOwnScale { context.scale = geometry.scale }
      Self.fit(context, to: geometry)
    }
    return output
  }

  /// A display that shows the tree as it is laid out, placed by `gravity`.
  mutating func addMirror(on display: any Display, gravity: ContentsGravity) -> Output {
    let (context, viewer) = (context, context.makeViewer())
    return add(display, viewer, gravity) { time in
      var tree = viewer.renderTree(at: time)
      let size = tree.records.first?.bounds.size ?? .zero
      tree.viewport = Self.viewport(of: size, context.scale, on: display.geometry, gravity)
      return tree
    }
  }

  private static func viewport(
    of size: Size, _ scale: Double, on geometry: DisplayGeometry, _ gravity: ContentsGravity
  ) -> Viewport? {
    let place = geometry.pictureSize
    return Viewport(
      of: Size(size.width * scale, size.height * scale), onWidth: place.width, height: place.height, gravity: gravity)
  }

  /// The displays as input sees them, beside each other from `x` on.
  func inputScreens(from x: Double) -> [InputRouter.Screen] {
    var x = x
    return members.map { member in
      let (geometry, scale) = (member.output.geometry, context.scale)
      let pixels = geometry.pictureSize
      let frame = Rect(x: x, y: 0, width: Double(pixels.width) / scale, height: Double(pixels.height) / scale)
      x += frame.width
      let panel = member.output.display.panel
      var screen = InputScreen(
        name: member.output.display.inputName, frame: frame, quarterTurns: geometry.rotation.rawValue / 90,
        panelSize: panel?.size)
      if let gravity = member.gravity,
        let back = Self.viewport(of: context.root.bounds.size, scale, on: geometry, gravity)?.transform.inverted
      {
        screen.pictureToRoot = Affine.scale(scale).concatenating(back).concatenating(.scale(1 / scale))
      }
      return InputRouter.Screen(screen, root: context.root)
    }
  }

  private mutating func add(
    _ display: any Display, _ viewer: TreeViewer, _ gravity: ContentsGravity?,
    tree: @escaping @MainActor (MonotonicTime) -> TreeSnapshot
  ) -> Output {
    let context = context
    let content = Output.Content(
      tree: tree, isAnimating: { context.isAnimating }, frameRateRange: { context.frameRateRange })
    let output = Output(
      display: display, content: content, renderer: makeRenderer(), clock: loop.clock,
      renderThreads: renderThreads)
    output.setNeedsFrame()
    display.add(to: loop, mode: .common)
    output.add(to: loop, mode: .common)
    members.append(Member(output: output, viewer: viewer, gravity: gravity))
    return output
  }

  func shows(_ output: Output) -> Bool { members.contains { $0.output === output } }

  /// Ends an output and lets go of its display; the others go on.
  mutating func remove(_ output: Output) {
    guard let index = members.firstIndex(where: { $0.output === output }) else { return }
    members.remove(at: index).viewer.invalidate()
    output.invalidate()
    output.display.invalidate()
  }

  /// Ends all outputs, and lets go of the layers.
  mutating func invalidate() {
    alarm.invalidate()
    context.invalidate()
    for member in members { remove(member.output) }
  }

  private static func fit(_ context: LayerContext, to geometry: DisplayGeometry) {
    let (root, scale, size) = (context.root, context.scale, geometry.pictureSize)
    Transaction.withoutActions {
      root.bounds = Rect(x: 0, y: 0, width: Double(size.width) / scale, height: Double(size.height) / scale)
      root.anchorPoint = .zero
      root.position = .zero
    }
  }
}

extension Viewport {
  /// The viewport of a picture that was laid out for another display. Its edges lie between pixels, so that no bar shines
  /// through.
  ///
  /// - Parameters:
  ///   - picture: its size, in pixels of the display that it was laid out for.
  ///   - width: of the output, in pixels.
  ///   - height: as `width`.
  ///   - gravity: where it lies on the output.
  init?(of picture: Size, onWidth width: Int, height: Int, gravity: ContentsGravity) {
    guard !picture.isEmpty else { return nil }
    let place = gravity.rect(of: picture, in: Rect(x: 0, y: 0, width: Double(width), height: Double(height)))
    // Halves are always rounded up: a picture that keeps its size is moved by whole pixels.
    func edge(_ value: Double) -> Double { (value + 0.5).rounded(.down) }
    let (left, top) = (edge(place.minX), edge(place.minY))
    let (right, bottom) = (max(edge(place.maxX), left + 1), max(edge(place.maxY), top + 1))
    var transform = Affine.scale(x: (right - left) / picture.width, y: (bottom - top) / picture.height)
    (transform.tx, transform.ty) = (left, top)
    self.init(
      transform: transform,
      clip: IntRect(covering: Rect(x: left, y: top, width: right - left, height: bottom - top)))
  }
}
