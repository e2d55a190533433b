public import FrameTiming
public import LinuxSystem

/// The ways in which a scripted compositor may behave. Change them at any moment; they hold for what happens from then on.
///
///     compositor.policy.feedback = .withheld
///     compositor.policy.callbacks = .sent(after: .milliseconds(3))
public struct CompositorPolicy: Hashable, Sendable {
  /// The fate of frame callbacks.
  public enum Callbacks: Hashable, Sendable {
    /// Each is sent so long after the compositor has taken its commit into a picture.
    case sent(after: Nanoseconds)
    /// None is sent before this changes.
    case withheld
  }

  /// The fate of presentation feedback.
  public enum Feedback: Hashable, Sendable {
    /// Each frame that is seen is told so long after its vblank.
    case told(after: Nanoseconds)
    /// Each frame is told together with the next one, after that.
    case swapped
    /// Each frame is said not to have been shown, though it was.
    case discarded
    /// There is no answer at all, not even later.
    case withheld
  }

  /// The time at which a buffer is given back.
  public enum Release: Hashable, Sendable {
    /// As soon as it is copied into the compositor's picture, as by those that draw with a graphics card.
    case copied
    /// So many vblanks after another one took its place; 0 for the vblank at which it did.
    case replaced(vblanksLater: Int)
    /// No buffer is given back before this changes.
    case withheld
  }

  /// The answer to a window that wants its decoration drawn by the compositor.
  public enum Decoration: UInt32, Hashable, Sendable {
    case byClient = 1
    case byCompositor = 2
  }

  public var callbacks = Callbacks.sent(after: .zero)
  public var feedback = Feedback.told(after: .zero)
  /// The part of the feedback that is not sent, from 0 to 1.
  public var lostFeedback = 0.0
  public var release = Release.replaced(vblanksLater: 0)
  /// The refresh interval that feedback tells; zero for none, nil for the true one.
  public var toldRefresh: Nanoseconds?
  /// How long before a vblank the compositor takes what it shows then. What is committed later is seen one interval later.
  public var compositionTime = Nanoseconds.milliseconds(2)
  /// How late the compositor is with a picture, on average. It then counts its next interval from there, as weston does without a screen:
  /// one late picture makes all later ones late, and there is no even grid.
  public var lateness = Nanoseconds.zero
  /// True for vblanks that follow commits, as those of weston without a screen: where nothing was committed by the time at which a picture
  /// would have been taken, the next one is taken so long after the next commit, and all later ones count from there.
  public var restsWhenIdle = false
  public var decoration = Decoration.byCompositor

  public init() {}
}

/// The globals of a scripted compositor with their versions, by the names of their interfaces.
public struct CompositorGlobals: Hashable, Sendable {
  public var versions: [String: Int]

  /// All that the scripted compositor knows.
  public static let all = CompositorGlobals(versions: [
    "wl_compositor": 5, "xdg_wm_base": 6, "wp_presentation": 2, "wp_viewporter": 1, "wp_fractional_scale_manager_v1": 1,
    "wp_fifo_manager_v1": 1, "wp_commit_timing_manager_v1": 1, "zxdg_decoration_manager_v1": 1, "wl_seat": 8,
    "wp_cursor_shape_manager_v1": 1, "zwp_idle_inhibit_manager_v1": 1, "wl_data_device_manager": 3,
    "wl_subcompositor": 1, "zwp_text_input_manager_v3": 1,
    "zwp_tablet_manager_v2": 1, "zwp_pointer_gestures_v1": 3,
  ])

  /// Those of sway 1.7, the version in Debian 12, among the known ones.
  public static let sway = CompositorGlobals(versions: [
    "wl_compositor": 4, "xdg_wm_base": 2, "wp_presentation": 1, "wp_viewporter": 1, "zxdg_decoration_manager_v1": 1,
    "wl_seat": 7, "zwp_idle_inhibit_manager_v1": 1, "wl_data_device_manager": 3,
    "wl_subcompositor": 1, "zwp_text_input_manager_v3": 1,
    "zwp_tablet_manager_v2": 1, "zwp_pointer_gestures_v1": 1,
  ])

  /// Those of weston 10 without a screen, the version in Debian 12, among the known ones.
  public static let weston = CompositorGlobals(versions: [
    "wl_compositor": 4, "xdg_wm_base": 3, "wp_presentation": 1, "wp_viewporter": 1, "wl_subcompositor": 1,
  ])

  /// - Parameter interfaces: the names of those that are missing.
  public func without(_ interfaces: String...) -> CompositorGlobals {
    CompositorGlobals(versions: versions.filter { !interfaces.contains($0.key) })
  }

  /// The same with another version of one.
  public func with(_ interface: String, version: Int) -> CompositorGlobals {
    var result = self
    result.versions[interface] = version
    return result
  }
}

/// The clock by which a compositor stamps what was seen.
public enum CompositorClock: Hashable, Sendable {
  /// `CLOCK_MONOTONIC`, that of the loop.
  case monotonic
  /// `CLOCK_MONOTONIC_RAW`, which is ahead of the loop's by so much, and gains so many millionths on it.
  case raw(ahead: Nanoseconds, gain: Double)

  /// Its number in the kernel.
  public var number: UInt32 {
    switch self {
    case .monotonic: 1
    case .raw: 4
    }
  }

  /// Its time at a time of the loop's clock.
  public func time(at time: MonotonicTime) -> MonotonicTime {
    switch self {
    case .monotonic: time
    case .raw(let ahead, let gain): time + ahead + .seconds(time.seconds * gain / 1_000_000)
    }
  }
}

/// A screen of a scripted compositor.
public struct CompositorOutput: Hashable, Sendable {
  public var name: String
  /// The size of its mode in pixels.
  public var width: Int
  public var height: Int
  /// The size of a point, in 120ths of a pixel: 120 for a pixel, 180 for one and a half.
  public var scale: Int
  /// The rate at which it really runs.
  public var rate: RefreshRate
  /// The rate that clients are told; nil for the real one.
  public var toldRate: RefreshRate?
  /// False if clients are told that it has the mode, and not that it is the current one.
  public var isModeCurrent = true

  public init(
    _ name: String = "SIM-1", width: Int = 640, height: Int = 480, scale: Int = 120, rate: RefreshRate = .hertz60,
    toldRate: RefreshRate? = nil
  ) {
    (self.name, self.width, self.height, self.scale) = (name, width, height, scale)
    (self.rate, self.toldRate) = (rate, toldRate)
  }

  /// The whole number that clients are told who know no fractions.
  public var wholeScale: Int { (scale + 119) / 120 }
}
