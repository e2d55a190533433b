public import Framepace

/// A scene of the `framepace` command: layers, and how they look at a time.
@MainActor
public protocol SampleScene: AnyObject {
  /// The layer that fills the display.
  var root: Layer { get }
  /// Whether it changes with time; one that does not is drawn once and costs nothing afterwards.
  var isMoving: Bool { get }
  init(settings: SceneSettings) throws
  /// Shows the scene as it is `time` seconds after its start. The same time always gives the same picture.
  func update(at time: Double)
}

/// What a scene is told at its start.
public struct SceneSettings: Sendable {
  /// The display's size in points.
  public var size: Size
  /// The time of day at the scene's start, in seconds after midnight.
  public var timeOfDay: Double
  /// For `stress`: how long each frame is kept busy.
  public var work: Nanoseconds
  /// For `stress`: in which phase of the frame.
  public var workPhase: WorkPhase
  public var fonts: SceneFonts

  /// Where `stress` spends its time.
  public enum WorkPhase: String, Sendable, CaseIterable {
    case callbacks
    case layout
    case display
  }

  public init(
    size: Size, timeOfDay: Double = 10 * 3600 + 8 * 60 + 36, work: Nanoseconds = .milliseconds(12),
    workPhase: WorkPhase = .callbacks, fonts: SceneFonts
  ) {
    self.size = size
    self.timeOfDay = timeOfDay
    self.work = work
    self.workPhase = workPhase
    self.fonts = fonts
  }

  /// The length of 1/1080 of the display's height, or of 1/1920 of its width where that is less: scenes measure in it, so
  /// that they look alike on every display.
  var unit: Double { min(size.width / 1920, size.height / 1080) }
}

/// The sample scenes, by the names that they have on the command line.
public enum SceneName: String, CaseIterable, Sendable {
  case orbit
  case clock
  case dashboard
  case still
  case stress

  /// One line about the scene.
  public var summary: String {
    switch self {
    case .orbit: "moving, rotating, translucent layers"
    case .clock: "an analogue clock with text"
    case .dashboard: "cards, gauges, 60 changing values, a chart drawn on worker threads"
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
    case .still: try StillScene(settings: settings)
    case .stress: try StressScene(settings: settings)
    }
  }
}
