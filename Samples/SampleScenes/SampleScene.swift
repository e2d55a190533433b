public import Framepace

/// A scene of the `framepace` command: layers whose state is a function of time.
///
/// `ScenePlayer` plays one on an engine.
@MainActor
public protocol SampleScene: AnyObject {
  /// The layer that fills the display.
  var root: Layer { get }
  /// True while the scene changes by itself. One that does not at its beginning is drawn once, and costs nothing until somebody touches it.
  var isMoving: Bool { get }
  init(settings: SceneSettings) throws
  /// Shows the state of the scene `time` seconds after its start. The same time always gives the same picture.
  func update(at time: Double)
}

/// The settings for making a scene.
public struct SceneSettings: Sendable {
  /// The display's size in points.
  public var size: Size
  /// Pixels of the display a point.
  public var scale: Double
  /// The time of day at the scene's start, in seconds after midnight.
  public var timeOfDay: Double
  /// The times for which the scene `stress` keeps each frame busy: each for two seconds, in turn.
  public var work: [Nanoseconds]
  /// The phase of the frame that the scene `stress` keeps busy.
  public var workPhase: WorkPhase
  public var fonts: SceneFonts

  /// A phase of the frame for the work of the scene `stress`.
  public enum WorkPhase: String, Sendable, CaseIterable {
    case callbacks
    case layout
    case display
  }

  public init(
    size: Size, scale: Double = 1, timeOfDay: Double = 10 * 3600 + 8 * 60 + 36, work: [Nanoseconds] = [.milliseconds(12)],
    workPhase: WorkPhase = .callbacks, fonts: SceneFonts
  ) {
    self.size = size
    self.scale = scale
    self.timeOfDay = timeOfDay
    self.work = work
    self.workPhase = workPhase
    self.fonts = fonts
  }

  /// The unit of sizes in wide scenes: 1/1080 of the display's height, or 1/1920 of its width if that is less. With it,
  /// scenes look alike on every display.
  var unit: Double { min(size.width / 1920, size.height / 1080) }
  /// The unit of sizes in round scenes, which fill the width of an upright display.
  var roundUnit: Double { size.width < size.height ? size.width / 1080 : unit }

  /// The edge between pixels that is nearest to a place: lines that end there are sharp.
  func edge(near place: Double) -> Double { (place * scale).rounded() / scale }
  /// The width of a line in whole pixels, at least one.
  func lineWidth(_ width: Double) -> Double { max(edge(near: width), 1 / scale) }
}

/// The sample scenes by their names on the command line.
public enum SceneName: String, CaseIterable, Sendable {
  case orbit
  case clock
  case dashboard
  case springs
  case cards
  case onboarding
  case swarm
  case departures
  case gallery
  case story
  case confetti
  case feed
  case still
  case stress

  /// A line that describes the scene.
  public var summary: String {
    switch self {
    case .orbit: "moving, rotating, translucent layers"
    case .clock: "an analogue clock with text"
    case .dashboard: "a plant's values with limits, gauges, a chart from worker threads"
    case .springs: "springs that are interrupted before they come to rest"
    case .cards: "cards that turn over in perspective, with masks, borders and shadows"
    case .onboarding: "pages with transitions: a path, groups, staggered text"
    case .swarm: "2,000 layers that all move and turn"
    case .departures: "a board in three scripts, whose rows turn over"
    case .gallery: "pictures that come nearer and fade into one another"
    case .story: "an article that scrolls: mixed weights, a picture, a quotation"
    case .confetti: "particles of emitters that fall and fly over all"
    case .feed: "a list of 10,000 articles, to be scrolled by a finger, a mouse or its wheel (--input)"
    case .still: "nothing changes: one frame, then no wake-up at all"
    case .stress: "chosen work per frame (--work, --work-phase), to see missed frames"
    }
  }

  /// Makes the scene's layers.
  @MainActor
  public func makeScene(settings: SceneSettings) throws -> any SampleScene {
    switch self {
    case .orbit: try OrbitScene(settings: settings)
    case .clock: try ClockScene(settings: settings)
    case .dashboard: try DashboardScene(settings: settings)
    case .springs: try SpringsScene(settings: settings)
    case .cards: try CardsScene(settings: settings)
    case .onboarding: try OnboardingScene(settings: settings)
    case .swarm: try SwarmScene(settings: settings)
    case .departures: try DeparturesScene(settings: settings)
    case .gallery: try GalleryScene(settings: settings)
    case .story: try StoryScene(settings: settings)
    case .confetti: try ConfettiScene(settings: settings)
    case .feed: try FeedScene(settings: settings)
    case .still: try StillScene(settings: settings)
    case .stress: try StressScene(settings: settings)
    }
  }
}

/// The fonts of the scenes: Roboto, opened by path, so that a scene looks the same on every machine. Its figures have one width.
public struct SceneFonts: Sendable {
  private let lightFace: FontFace
  private let regularFace: FontFace
  private let mediumFace: FontFace
  private let boldFace: FontFace

  /// Opens the fonts. The error for a missing font names the Debian package.
  public init() throws(FontError) {
    lightFace = try SystemFonts.face(.light)
    regularFace = try SystemFonts.face(.regular)
    mediumFace = try SystemFonts.face(.medium)
    boldFace = try SystemFonts.face(.bold)
  }

  /// The fonts of paragraphs, which find them by family and weight: DejaVu too, for the scripts that Roboto lacks. Other scenes do
  /// without it.
  public func library() throws(FontError) -> FontLibrary {
    let names: [SystemFonts.Name] = [.light, .regular, .medium, .bold, .sans]
    var paths: [String] = []
    for name in names { paths.append(try SystemFonts.path(of: name.rawValue)) }
    return try FontLibrary(files: paths)
  }

  public func light(size: Double) -> Font { Font(lightFace, size: size) }
  public func regular(size: Double) -> Font { Font(regularFace, size: size) }
  public func medium(size: Double) -> Font { Font(mediumFace, size: size) }
  public func bold(size: Double) -> Font { Font(boldFace, size: size) }
}

/// The colours of the scenes. A panel has 1.3 times the luminance of the background by the formula of WCAG's contrast ratio,
/// and dim text at least 4.5 times that of a panel.
enum Palette {
  static let night = Color(hex: 0x0B1016)
  static let panel = Color(hex: 0x202B39)
  static let line = Color(hex: 0x3A4859)
  static let dim = Color(hex: 0x98A6B8)
  static let text = Color(hex: 0xEEF3F9)
  static let sky = Color(hex: 0x4CC2FF)
  static let teal = Color(hex: 0x3DD6B0)
  static let amber = Color(hex: 0xFFB84D)
  static let rose = Color(hex: 0xFF6B81)
  static let violet = Color(hex: 0xA58BFF)

  static let accents = [sky, teal, amber, rose, violet]
}

extension TextLayer {
  /// A line of text in a layer of just its size.
  convenience init(_ string: String, font: Font, color: Color) {
    self.init()
    self.font = font
    self.color = color
    self.string = string
    bounds = Rect(origin: .zero, size: preferredSize)
  }
}
