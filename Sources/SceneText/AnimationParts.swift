import Layers
import LinuxSystem
import Raster

/// An animation in a scene's text, as it is read and as it is written.
@MainActor
struct AnimationParts {
  var settings = AnimationSettings()
  var key: String?
  /// The time at which a commit began it, on its layer's clock; nil for the scene's beginning.
  var begun: MonotonicTime?
  var content = Content.group([])
  /// The place takes their meaning from some properties.
  let place: Place

  init(in place: Place = .layer) { self.place = place }

  enum Place {
    case layer
    case group
    case stateTransition
  }

  enum Content {
    case basic(BasicParts)
    case spring(SpringParts)
    case keyframes(KeyframeParts)
    case group([AnimationParts])
    case transition(Transition)
  }

  /// The words of the kinds.
  enum Kind: String, CaseIterable {
    case basic
    case spring
    case keyframes
    case group
    case transition
  }

  /// The animation with nothing in it but what was read.
  var animation: any Animation {
    var animation: any Animation =
      switch content {
      case .basic(let parts): parts.track.basic(parts)
      case .spring(let parts): parts.track.spring(parts)
      case .keyframes(let parts): parts.track.keyframes(parts)
      case .group(let members): AnimationGroup(members.map(\.animation))
      case .transition(let transition): transition
      }
    animation.settings = settings
    return animation
  }
}

/// The parts of an animation of one property, its settings aside.
@MainActor
protocol TrackParts {
  static var properties: [TextProperty<Self>] { get }
  var track: any SceneTrack { get }
  /// Those of an animation of which nothing is said.
  init(_ track: any SceneTrack)
}

struct BasicParts: TrackParts {
  let track: any SceneTrack
  var ends = AnimationEnds()
  var isAdditive = false
  var isCumulative = false

  init(_ track: any SceneTrack) { self.track = track }
}

struct SpringParts: TrackParts {
  let track: any SceneTrack
  var ends = AnimationEnds()
  var velocity: (any Animatable)?
  var keepsVelocity = false
  var isAdditive = false
  var initialVelocity = 0.0
  /// Nil while nothing is said of it.
  private var form: Form?

  /// Two ways to say what a spring is.
  private enum Form {
    case physical(Spring)
    case felt(Feel)
  }

  struct Feel {
    var perceptualDuration: Nanoseconds?
    var bounce: Double?
  }

  init(_ track: any SceneTrack) { self.track = track }

  /// Nil for a spring that is given by how it feels.
  var physical: Spring? {
    get { if case .felt = form { nil } else if case .physical(let spring) = form { spring } else { Spring() } }
    set { form = newValue.map(Form.physical) }
  }

  /// How the spring feels; nil for one that is given by its forces.
  var feel: Feel? {
    get { if case .physical = form { nil } else if case .felt(let feel) = form { feel } else { Feel() } }
    set { form = newValue.map(Form.felt) }
  }

  var spring: Spring {
    var spring =
      feel.flatMap { feel in feel.perceptualDuration.map { Spring(perceptualDuration: $0, bounce: feel.bounce ?? 0) } }
      ?? physical ?? Spring()
    spring.initialVelocity = initialVelocity
    return spring
  }
}

struct KeyframeParts: TrackParts {
  let track: any SceneTrack
  var timing = KeyframeTiming()
  var isAdditive = false
  var isCumulative = false
  /// Nil while nothing is said of it.
  private var way: Way?

  private enum Way {
    case values(Values)
    case path(Course)
  }

  struct Values {
    var values: [any Animatable] = []
    var curveShape = CurveShape()
  }

  struct Course {
    var path: Path?
    var rotationMode: KeyframeAnimation.RotationMode?
  }

  init(_ track: any SceneTrack) { self.track = track }

  /// Those of a movement, in the form in which they are read; nil if it has none, or its property no text.
  init?(_ movement: AnimationTrack) {
    guard let track = SceneKind.property(movement.property.rawValue)?.track else { return nil }
    self.init(track)
    switch movement.values {
    case .ends: return nil
    case .keyframes(let values, let timing, let curveShape):
      (self.values, self.timing) = (Values(values: values, curveShape: curveShape), timing)
    case .path(let path, let timing, let rotationMode):
      (course, self.timing) = (Course(path: path, rotationMode: rotationMode), timing)
    }
    (isAdditive, isCumulative) = (movement.isAdditive, movement.isCumulative)
    fitKeyTimes()
  }

  /// Nil for key frames along a path.
  var values: Values? {
    get { if case .path = way { nil } else if case .values(let values) = way { values } else { Values() } }
    set { way = newValue.map(Way.values) }
  }

  /// The way along a path; nil for key frames with values.
  var course: Course? {
    get { if case .values = way { nil } else if case .path(let course) = way { course } else { Course() } }
    set { way = newValue.map(Way.path) }
  }

  /// True with a path, or with values to go from and to.
  var hasEffect: Bool { course?.path != nil || values?.values.count ?? 0 > 1 }

  /// The number of key times for the values; nil where any number will do.
  var neededKeyTimes: (count: Int, reason: String)? {
    guard let count = values?.values.count, !timing.calculationMode.isPaced else { return nil }
    return timing.calculationMode == .discrete
      ? (count + 1, "one for each value and one for the end of the last") : (count, "one for each value")
  }

  /// Brings key times in the form in which they are read, without values and times that have no effect.
  mutating func fitKeyTimes() {
    timing.keyTimes = timing.calculationMode.isPaced ? nil : timing.ascendingKeyTimes
    guard var times = timing.keyTimes, let all = values?.values, let needed = neededKeyTimes else { return }
    let extra = needed.count - all.count
    let count = max(min(all.count, times.count - extra), 0)
    var used = Array(all.prefix(count))
    times = Array(times.prefix(count + extra))
    // Discrete key frames with one used value need a second one: fewer than two values do nothing.
    if count == 1, extra == 1, all.count > 1 { (used, times) = (used + used, times + [times[1]]) }
    values?.values = used
    timing.keyTimes = used.count < 2 ? nil : times
  }
}

extension AnimationParts {
  /// Its settings, as they are written.
  ///
  /// - Parameters:
  ///   - place: where it stands.
  ///   - shift: what is to be taken away from its times.
  ///   - start: the time of its layer's clock at the scene's beginning.
  init(_ description: AnimationDescription, in place: Place, shift: Nanoseconds, start: MonotonicTime) {
    self.init(in: place)
    (key, settings.timing) = (description.key, description.timing)
    settings.timing.beginTime = nil
    settings.timingFunction = description.timingFunction
    if place != .group {
      settings.isRemovedOnCompletion = description.isRemovedOnCompletion
      settings.preferredFrameRateRange = description.preferredFrameRateRange
    }
    guard let begin = description.timing.beginTime.map({ $0 - shift }) else { return }
    if !description.beginsByItself {
      settings.timing.beginTime = begin
    } else if place != .group, begin != start {
      begun = begin
    }
  }
}
