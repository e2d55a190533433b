public import Geometry
public import Input
public import Layers
public import LinuxSystem

/// Says what a gesture recognizer may do. All methods have the answers of UIKit without a delegate.
@MainActor
public protocol GestureRecognizerDelegate: AnyObject {
  /// False to let the recognizer ignore a touch. True by default.
  func gestureRecognizer(_ recognizer: AnyGestureRecognizer, shouldReceive touch: Touch) -> Bool
  /// False to let the gesture fail that is about to begin. True by default.
  func gestureRecognizerShouldBegin(_ recognizer: AnyGestureRecognizer) -> Bool
  /// True to let both gestures go on with the same touches. False by default: the first one that begins lets the others fail. One of two
  /// delegates is enough.
  func gestureRecognizer(
    _ recognizer: AnyGestureRecognizer, shouldRecognizeSimultaneouslyWith other: AnyGestureRecognizer
  ) -> Bool
}

extension GestureRecognizerDelegate {
  public func gestureRecognizer(_ recognizer: AnyGestureRecognizer, shouldReceive touch: Touch) -> Bool { true }
  public func gestureRecognizerShouldBegin(_ recognizer: AnyGestureRecognizer) -> Bool { true }
  public func gestureRecognizer(
    _ recognizer: AnyGestureRecognizer, shouldRecognizeSimultaneouslyWith other: AnyGestureRecognizer
  ) -> Bool { false }
}

/// A gesture recognizer of any gesture: its place among others. `GestureRecognizer` is one of a certain gesture.
@MainActor
public class AnyGestureRecognizer {
  /// The layer at whose touches it looks, those of the layers in it included.
  public internal(set) weak var layer: Layer?
  /// The gesture's state, in which its actions are called. A gesture that fails, or waits for others to fail, calls none.
  public internal(set) var state = GestureState.possible
  public weak var delegate: (any GestureRecognizerDelegate)?
  /// True to cancel the touches of a gesture, when it is recognized, for their responders. True at first.
  public var cancelsTouches = true
  /// The button of a pointer that touches for this recognizer; others are ignored.
  public var button = InputCode.leftButton
  /// False to ignore touches from now on; a gesture under way is cancelled.
  public var isEnabled = true {
    didSet { if !isEnabled { cancel() } }
  }

  var stage = Stage.possible
  /// The contacts since the beginning of the gesture, those that ended included.
  var contacts: [Contact.ID] = []
  /// The contacts that have not ended, with their last places.
  var openContacts: [Contact] = []
  /// True if the gesture changed and its actions were not called for that.
  var hasChanged = false
  weak var arbiter: GestureArbiter?
  private var required: [WeakRecognizer] = []

  enum Stage: Equatable {
    /// Nothing is decided.
    case possible
    /// The machine has recognized its gesture, with this state first, and others must fail before it begins.
    case waiting(first: GestureState)
    /// The gesture is under way.
    case recognized
    /// In a final state, until all contacts have ended.
    case finished
  }

  private struct WeakRecognizer {
    weak let recognizer: AnyGestureRecognizer?
  }

  init() {}

  /// Lets the gesture begin only after another one has failed: a tap waits until it is clear that no second tap follows. It fails where the other
  /// one is recognized.
  public func requireFailure(of other: AnyGestureRecognizer) {
    required.removeAll { $0.recognizer == nil }
    required.append(WeakRecognizer(recognizer: other))
  }

  /// The number of contacts that have not ended.
  public var touchCount: Int { openContacts.count }

  /// The middle of the contacts in points of the output; where it was last if all have ended, and the origin before the first.
  public internal(set) var location = Point.zero

  /// The time of the last contact; nil before the first of the gesture.
  public internal(set) var lastContactTime: MonotonicTime?

  /// The middle of the contacts in the coordinates of a layer; nil where the layer is not seen there.
  public func location(in layer: Layer) -> Point? { layer.point(ofOutput: location) }

  /// Ends the gesture: one under way is cancelled, another one fails.
  public func cancel() { arbiter?.cancel(self) }

  var requirements: [AnyGestureRecognizer] { required.compactMap(\.recognizer) }

  // MARK: The machine, see GestureRecognizer

  var machineState: GestureState { .possible }
  var deadline: MonotonicTime? { nil }
  func feed(_ contact: Contact) {}
  func pass(_ time: MonotonicTime) {}
  func resetMachine() {}
  func callActions() {}
}

/// Recognizes a gesture in the touches of a layer, by a machine.
///
/// ```swift
/// card.addGestureRecognizer(
///   PanGestureRecognizer(PanMachine()) { pan in card.position = start + pan.machine.translation })
/// ```
///
/// Touches only mark the recognizer; once a turn, before the commit, all that were marked take their touches in the order of their times, and the
/// actions are called. A change within a turn calls them once. All of it is on the main thread.
///
/// A new gesture is a `GestureMachine`: a pure value, which need not know other gestures.
public final class GestureRecognizer<Machine: GestureMachine>: AnyGestureRecognizer {
  public typealias Action = @MainActor (GestureRecognizer) -> Void

  /// The gesture's decisions and figures. Its settings may be changed between gestures.
  public var machine: Machine
  private var actions: [Action] = []

  /// - Parameter action: called at each state but `possible` and `failed`.
  public init(_ machine: Machine, _ action: Action? = nil) {
    self.machine = machine
    if let action { actions = [action] }
    super.init()
  }

  /// Calls one more action, after those before it.
  public func addAction(_ action: @escaping Action) { actions.append(action) }

  override var machineState: GestureState { machine.state }
  override var deadline: MonotonicTime? { machine.deadline }
  override func feed(_ contact: Contact) { machine.handle(contact) }
  override func pass(_ time: MonotonicTime) { machine.pass(time) }
  override func resetMachine() { machine.reset() }
  override func callActions() { for action in actions { action(self) } }
}

public typealias TapGestureRecognizer = GestureRecognizer<TapMachine>
public typealias LongPressGestureRecognizer = GestureRecognizer<LongPressMachine>
public typealias PanGestureRecognizer = GestureRecognizer<PanMachine>
public typealias PinchGestureRecognizer = GestureRecognizer<PinchMachine>
public typealias RotationGestureRecognizer = GestureRecognizer<RotationMachine>
public typealias SwipeGestureRecognizer = GestureRecognizer<SwipeMachine>
