import Geometry
public import ImageFiles
public import Layers
public import LinuxSystem
public import RunLoops

/// Shows a scene on a display of any size, plays its events, and reads it again when its file changes.
///
/// ```swift
/// let stage = SceneStage(try Scene(path: "card.scene"))
/// let engine = Engine(display: display, root: stage.root)
/// stage.play(on: engine.loop, from: engine.loop.clock.now)
/// try stage.watch("card.scene") { error in print(error) }
/// ```
///
/// A scene that was made for another size is scaled as a whole and put in the middle, again whenever the display gets another mode.
@MainActor
public final class SceneStage {
  /// The layer that fills the display.
  public var root: Layer { fit }
  public private(set) var scene: Scene
  private let fit = FittingLayer()
  private var start = MonotonicTime.zero
  private var loop: FrameLoop?
  private var timer: FrameLoop.Timer?
  private var files: FileWatch?
  /// States that were set from outside, of each layer the last, in their order; a scene that is read again gets them too.
  private var chosen: [Choice] = []

  private struct Choice {
    /// Counts from the scene's beginning.
    var time: Nanoseconds
    /// Nil for the only layer that has the state.
    var layer: String?
    var state: String?
  }

  /// Called with each picture whose file cannot be shown, as `ImageLayer.onFailure` is, also of a scene that is read again.
  public var onPictureFailure: (@MainActor (ImageLayer, ImageFileError) -> Void)? {
    didSet { follow(below: scene.root) }
  }
  /// Called when a text is displayed with characters for which there is no glyph, once for each of a font; for those of a scene that is
  /// read again, anew.
  public var onMissingCharacters: (@MainActor (Layer, MissingCharacters) -> Void)? {
    didSet { follow(below: scene.root) }
  }
  private var missing: Set<Missing> = []

  /// A character that was told of.
  private struct Missing: Hashable {
    var character: Character
    var fontPath: String?
  }

  public init(_ scene: Scene) {
    self.scene = scene
    fit.show(scene)
  }

  private func follow(below layer: Layer) {
    (layer as? ImageLayer)?.onFailure = onPictureFailure
    var tell: (@MainActor (Layer, MissingCharacters) -> Void)?
    if onMissingCharacters != nil { tell = { [weak self] in self?.tell(of: $1, in: $0) } }
    (layer as? TextLayer)?.onMissingCharacters = tell
    (layer as? ParagraphLayer)?.onMissingCharacters = tell
    if let mask = layer.mask { follow(below: mask) }
    for sublayer in layer.sublayers { follow(below: sublayer) }
  }

  private func tell(of found: MissingCharacters, in layer: Layer) {
    var found = found
    found.characters = found.characters.filter {
      missing.insert(Missing(character: $0, fontPath: found.fontPath)).inserted
    }
    if !found.characters.isEmpty { onMissingCharacters?(layer, found) }
  }

  /// Starts the scene at a time of the loop's clock. The loop must be the main thread's.
  public func play(on loop: FrameLoop, from start: MonotonicTime) {
    self.loop = loop
    self.start = start
    files?.add(to: loop)
    begin()
  }

  /// Plays the events up to a time at once, for a picture of that time.
  public func advance(to time: MonotonicTime) {
    scene.advance(to: time)
    setTimer()
  }

  /// Sets the state of the layer that has this name in the scene's text; the name may be left out where only one layer has such a
  /// state. Where it throws, nothing has changed.
  ///
  /// - Parameter state: nil for the layer's own values.
  public func setState(_ state: String?, of layer: String? = nil) throws(SceneStateError) {
    let found = try scene.names.layer(layer, withState: state)
    // Events that are due were before it.
    if let loop { advance(to: loop.clock.now) }
    let time = loop.map { max($0.clock.now - start, .zero) } ?? .zero
    let name = found.name.flatMap { scene.names.layers[$0]?.count == 1 ? $0 : nil }
    chosen.removeAll { $0.layer == name && (name != nil || $0.state == state) }
    chosen.append(Choice(time: time, layer: name, state: state))
    found.state = state
  }

  /// Reads the scene again from this file whenever it or an image that it names changes, at once if one has changed since the scene
  /// was read from files; the new scene goes on at the time of the old one.
  ///
  /// The scene's own folder may be moved away and back, and another may take its place later. A folder of an image that is missing
  /// is not waited for if the one above it is missing too: a file in it is only found with the next change of another one.
  ///
  /// - Parameters:
  ///   - onReload: called after each time, also within this call.
  ///   - onError: called with the reason why a changed file is not taken, also within this call. The old scene goes on.
  public func watch(
    _ path: String, onReload: (@MainActor () -> Void)? = nil, onError: @escaping @MainActor (SceneError) -> Void
  ) throws(SystemError) {
    let reload: @MainActor () -> Void = { [weak self] in
      guard let self else { return }
      do throws(SceneError) {
        replace(try readAgain(path))
        onReload?()
      } catch {
        onError(error)
      }
    }
    let watch = try FileWatch(path: path, onChange: reload)
    files?.invalidate()
    files = watch
    for file in scene.files { watchIfPossible(file.path) }
    if let loop { watch.add(to: loop) }
    if scene.files.contains(where: \.hasChanged) { reload() }
  }

  /// Reads a scene and watches its files and no others, each before it is read: a later change is not lost. A link may lead elsewhere
  /// now, and an image that is missing may come.
  private func readAgain(_ path: String) throws(SceneError) -> Scene {
    let resources = SceneResources(file: path)
    resources.onImage = { [weak self] in self?.watchIfPossible($0) }
    let read = { [weak self] () throws(SceneError) -> Scene in
      self?.watchIfPossible(path)
      return try Scene(path: path, resources)
    }
    guard let files else { return try read() }
    return try files.renew(read)
  }

  /// Changes are not noticed in a folder that is missing, or where the kernel has no more watches.
  private func watchIfPossible(_ path: String) { try? files?.watch(path) }

  /// Shows another scene, at the time at which the old one would be now.
  public func replace(_ new: Scene) {
    Transaction.withoutActions {
      scene.root.removeFromSuperlayer()
      scene = new
      missing = []
      follow(below: new.root)
      fit.show(new)
    }
    if loop != nil { begin() }
  }

  /// Ends the events and the watch.
  public func invalidate() {
    timer?.invalidate()
    timer = nil
    files?.invalidate()
    files = nil
  }

  private func begin() {
    guard let loop else { return }
    scene.start(at: start)
    for choice in chosen {
      let time = start + choice.time
      scene.advance(to: time)
      // The new text may have no such layer or state.
      let layer = try? scene.names.layer(choice.layer, withState: choice.state)
      // At the beginning nothing was on screen that could have moved.
      if choice.time == .zero {
        Transaction.withoutActions { layer?.state = choice.state }
      } else {
        layer?.setState(choice.state, at: time)
      }
    }
    advance(to: loop.clock.now)
  }

  private func setTimer() {
    timer?.invalidate()
    timer = nil
    guard let loop, let next = scene.nextEventTime else { return }
    let timer = FrameLoop.Timer(
      fireTime: next,
      .onMain { [weak self] _ in
        guard let self, let loop = self.loop else { return }
        advance(to: loop.clock.now)
      })
    self.timer = timer
    loop.add(timer, to: .common)
  }
}

/// Shows a scene as large as fits into its bounds, in their middle.
private final class FittingLayer: Layer {
  /// As large as the scene says.
  private let frameLayer = Layer()

  override init() {
    super.init()
    addSublayer(frameLayer)
  }

  func show(_ scene: Scene) {
    frameLayer.bounds.size = scene.size
    frameLayer.masksToBounds = !scene.size.isEmpty
    frameLayer.addSublayer(scene.root)
    setNeedsLayout()
  }

  override func layoutSublayers() {
    let size = frameLayer.bounds.size
    Transaction.withoutActions {
      guard !size.isEmpty, !bounds.isEmpty else {
        frameLayer.transform = .identity
        frameLayer.position = size.isEmpty ? .zero : Point(size.width / 2, size.height / 2)
        return
      }
      frameLayer.transform = .scale(min(bounds.width / size.width, bounds.height / size.height))
      frameLayer.position = bounds.center
    }
  }
}
