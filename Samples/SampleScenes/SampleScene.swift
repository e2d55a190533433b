public import Framepace

/// A scene of the `framepace` command: layers whose state is a function of time.
///
/// `ScenePlayer` plays one on an engine.
@MainActor
public protocol SampleScene: AnyObject {
  /// The layer that fills the display.
  var root: Layer { get }
  /// True if the scene changes with time. Other scenes are drawn once and cost nothing afterwards.
  var isMoving: Bool { get }
  init(settings: SceneSettings) throws
  /// Shows the state of the scene `time` seconds after its start. The same time always gives the same picture.
  func update(at time: Double)
}

/// The settings for making a scene.
public struct SceneSettings: Sendable {
  /// The display's size in points.
  public var size: Size
  /// The time of day at the scene's start, in seconds after midnight.
  public var timeOfDay: Double
  /// The time for which the scene `stress` keeps each frame busy.
  public var work: Nanoseconds
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
    size: Size, timeOfDay: Double = 10 * 3600 + 8 * 60 + 36, work: Nanoseconds = .milliseconds(12),
    workPhase: WorkPhase = .callbacks, fonts: SceneFonts
  ) {
    self.size = size
    self.timeOfDay = timeOfDay
    self.work = work
    self.workPhase = workPhase
    self.fonts = fonts
  }

  /// The unit of the scenes' sizes: 1/1080 of the display's height, or 1/1920 of its width if that is less. With it, scenes
  /// look alike on every display.
  var unit: Double { min(size.width / 1920, size.height / 1080) }
}

/// The sample scenes by their names on the command line.
public enum SceneName: String, CaseIterable, Sendable {
  case orbit
  case clock
  case dashboard
  case still
  case stress

  /// A line that describes the scene.
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
