public import Geometry
public import Layers
public import LinuxSystem
import Raster
public import RenderTree

/// A tree of layers with its animations, states and events, read from a text that a person can write.
///
/// ```swift
/// let scene = try Scene(path: "card.scene")
/// scene.start(at: now)
/// root.addSublayer(scene.root)
/// ```
///
/// The times in the text count from the scene's beginning. `SceneStage` shows a scene, plays its events, and reads it again when its
/// file changes. <doc:Grammar> describes the text.
@MainActor
public final class Scene {
  /// A change of a layer's state at a time.
  public struct Event: Hashable, Sendable {
    /// Counts from the scene's beginning.
    public var time: Nanoseconds
    /// The name of a layer; no other layer of the text has it.
    public var layer: String
    /// Nil for the layer's own values.
    public var state: String?

    public init(time: Nanoseconds, layer: String, state: String?) {
      (self.time, self.layer, self.state) = (time, layer, state)
    }
  }

  /// The layer that fills the picture.
  public let root: Layer
  /// The size for which the scene is made, in points.
  public let size: Size
  /// The light in which its colours mix, for the engine that shows it.
  public let blending: Blending
  /// In the order of their times.
  public let events: [Event]
  /// The display's time of the scene's beginning; nil before `start(at:)`.
  public private(set) var start: MonotonicTime?

  /// The files that it was read from; not those of fonts.
  let files: [SceneFile]
  /// The layers that the text can address.
  let names: LayerNames
  /// The layer of each event.
  private let targets: [Layer]
  private let animations: [PendingAnimation]
  private var played = 0

  /// Reads a scene's file. The images and fonts that it names are relative to its folder.
  public convenience init(path: String) throws(SceneError) {
    try self.init(path: path, SceneResources(file: path))
  }

  convenience init(path: String, _ resources: SceneResources) throws(SceneError) {
    resources.files.append(SceneFile(path))
    let bytes: [UInt8]
    do throws(SystemError) {
      bytes = try OwnedDescriptor.contents(of: path, limit: SceneLimit.bytes)
    } catch {
      let limit = "a text file of at most \(SceneLimit.bytes >> 20) MiB"
      throw SceneError(file: path, reason: .unreadable("the scene", error, limit))
    }
    try self.init(bytes, resources)
  }

  /// Reads a scene's text.
  ///
  /// - Parameter folder: the folder that images and fonts are relative to.
  public convenience init(text: String, folder: String = ".") throws(SceneError) {
    try self.init(Array(text.utf8), SceneResources(file: nil, folder: folder))
  }

  init(_ bytes: [UInt8], _ resources: SceneResources) throws(SceneError) {
    try SceneReader(bytes, resources: resources).defineImages()
    let reader = SceneReader(bytes, resources: resources)
    let content = try reader.scene()
    root = content.root
    size = content.size ?? content.root.bounds.size
    blending = content.blending
    let all = content.events.sorted { $0.event.time < $1.event.time }
    (events, targets, names) = (all.map(\.event), all.map(\.layer), reader.names)
    animations = reader.animations
    files = resources.files
    if content.size != nil, root.bounds == .zero { root.frame = Rect(origin: .zero, size: size) }
  }

  /// Begins the scene at a time of the display's clock. Called once, with `root` in a tree that is shown: animations of a layer that
  /// comes into none end with the turn.
  public func start(at time: MonotonicTime) {
    precondition(start == nil, "Scene: start(at:) was called before")
    start = time
    root.beginTime += time - .zero
    for animation in animations {
      animation.add(start: animation.layer.convertTime(time, from: nil))
    }
  }

  /// Plays the events up to a time of the display's clock: each as it would have been at its own time.
  public func advance(to time: MonotonicTime) {
    guard let start else { return }
    while played < events.count, start + events[played].time <= time {
      let (event, layer) = (events[played], targets[played])
      played += 1
      layer.setState(event.state, at: start + event.time)
    }
  }

  /// The display's time of the next event; nil after the last one.
  public var nextEventTime: MonotonicTime? {
    guard let start, played < events.count else { return nil }
    return start + events[played].time
  }
}

/// The statements of a scene.
struct SceneContent {
  var root: Layer
  var size: Size?
  var blending: Blending
  var events: [(event: Scene.Event, layer: Layer)]
}

extension SceneReader {
  private static let statements = "a layer, size, blending, image or at"
  private static let kinds = "size, blending, image or at, or a layer: \(SceneKind.list)"

  /// Reads a whole scene.
  func scene() throws(SceneError) -> SceneContent {
    var root: Layer?
    var size: Size?
    var blending = Blending.sRGB
    var events: [PlacedEvent] = []
    while token.kind != .end {
      if let kind = sublayerKind {
        guard root == nil else { throw expected("no second layer: a scene has one, which holds all others") }
        root = try layer(kind)
      } else if word == "size" {
        try takeOnce("size")
        advance()
        let syntax = ValueSyntax<Size>.size.only("a size above 0") { !$0.isEmpty && ($0.width + $0.height).isFinite }
        size = try syntax.read(self)
      } else if word == "blending" {
        try takeOnce("blending")
        advance()
        blending = try ValueSyntax<Blending>.word().read(self)
      } else if take("image") {
        try skipImage()
      } else if take("at") {
        try count(.events)
        events.append(try event())
      } else {
        throw beginsBlock ? unknownKind(Self.kinds) : expected(Self.statements)
      }
    }
    guard let root else { throw expected("a layer") }
    var states: [String: Set<String>] = [:]
    var placed: [(event: Scene.Event, layer: Layer)] = []
    for (event, layer, state) in events {
      guard let all = names.layers[event.layer] else {
        throw unknown(event.layer, in: names.layers.keys, "the name of a layer", at: layer)
      }
      guard all.count == 1 else { throw ambiguous(event.layer, all, at: layer) }
      let own = states[event.layer] ?? Set(all[0].layer.states.map(\.name))
      states[event.layer] = own
      if let name = event.state, !own.contains(name) {
        throw unknown(
          name, in: own, "a state of the layer \(SceneToken(kind: .word(event.layer), offset: 0).name)", at: state)
      }
      placed.append((event, all[0].layer))
    }
    return SceneContent(root: root, size: size, blending: blending, events: placed)
  }

  /// An event with the places of its names.
  private typealias PlacedEvent = (event: Scene.Event, layer: SceneToken, state: SceneToken)

  /// `1s card.state open`
  private func event() throws(SceneError) -> PlacedEvent {
    let future = "a time from 0 on, such as 0.5s or 300ms"
    let time = try ValueSyntax<Nanoseconds>.time.only(future) { $0 >= .zero }.read(self)
    let (layer, isWord) = (token, word != nil)
    var name = try takeName("the name of a layer with .state, such as card.state")
    if isWord, name.hasSuffix(".state") {
      name.removeLast(6)
    } else if !take("state"), !take(".state") {
      throw expected("state behind the name of a layer, such as card.state")
    }
    let token = token
    let state = take("none") ? nil : try takeName("the name of a state, or none")
    return (Scene.Event(time: time, layer: name, state: state), layer, token)
  }

  // MARK: Images

  /// Reads the images that the text defines, wherever they stand, so that layers can name them before.
  func defineImages() throws(SceneError) {
    var level = 0
    while token.kind != .end {
      if token.kind == .open { level += 1 }
      if token.kind == .close { level -= 1 }
      guard level == 0, word == "image" else {
        if level > 0 { advance() } else { skipStatement() }
        continue
      }
      if beginsBlock { throw unknownKind(Self.kinds) }
      advance()
      let token = token
      let name = try takeWord("a name for the image")
      guard !resources.isDefined(name), !["none", "drawn", "mixture", "text"].contains(name) else {
        throw error(
          .expected("a name that no other image has, and not none, drawn, mixture or text", found: token.name), at: token)
      }
      resources.define(name, try takeImage())
    }
  }

  /// Goes past the names in a statement, of which one may be `image`. Mistakes are named when the statement is read.
  private func skipStatement() {
    if take("at") {
      _ = try? event()
    } else {
      let isLayer = sublayerKind != nil
      advance()
      if isLayer { _ = takeName() }
    }
  }

  private func takeImage() throws(SceneError) -> Image {
    guard take("middle") else { return try takeWholeImage() }
    let (token, numbers) = (token, try takeMiddle())
    let image = try takeWholeImage()
    guard let middle = image.middle(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3]) else {
      throw error(
        .expected("a middle inside of the image's \(image.width)x\(image.height) pixels", found: token.name), at: token)
    }
    return middle
  }

  private func takeMiddle() throws(SceneError) -> [Int] {
    let pixels = ValueSyntax<Double>.number.only("pixels from 0 to \(Bitmap.maximumSide)") {
      $0 >= 0 && $0 <= Double(Bitmap.maximumSide) && $0 == $0.rounded()
    }
    var numbers: [Int] = []
    for _ in 0..<4 { numbers.append(Int(try pixels.read(self))) }
    return numbers
  }

  private func takeWholeImage() throws(SceneError) -> Image {
    let isData = take("data")
    let token = token
    let text = try string(
      isData ? "a PNG in base64, in quotation marks" : "the path of a PNG file in quotation marks, or data")
    do throws(PNGError) {
      if !isData { return try resources.image(path: text) }
      guard let bytes = Base64.decode(text) else {
        throw .damaged(name: "", reason: "a character is none of base64")
      }
      return try resources.image(png: bytes)
    } catch {
      throw self.error(.image(error), at: token)
    }
  }

  private func skipImage() throws(SceneError) {
    _ = try takeWord("a name for the image")
    if take("middle") { _ = try takeMiddle() }
    _ = take("data")
    _ = try string("the path of a PNG file in quotation marks, or data")
  }
}
