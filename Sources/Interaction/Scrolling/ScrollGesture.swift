public import Geometry
public import LinuxSystem

/// A finger that drags scrolled content: a pan, or the touch itself where the content moves, which it stops.
public struct ScrollGesture: GestureMachine {
  /// True while the content moves by itself: a touch then holds it at once, and is no tap.
  public var catchesAtOnce = false
  private var pan: PanMachine
  private var isCaught = false

  public init() { pan = PanMachine() }

  public var state: GestureState {
    guard isCaught else { return pan.state }
    return switch pan.state {
    case .possible: .began
    case .began, .changed: .changed
    case .ended, .failed: .ended
    case .cancelled: .cancelled
    }
  }

  /// How far the fingers have dragged, in points. Kept after the end.
  public var translation: Point { pan.translation }
  /// How far they have moved since they touched.
  var way: Point { pan.way }
  /// In points per second; zero for fingers that only held the content.
  public var velocity: Point { pan.state == .failed ? .zero : pan.velocity }
  /// True if the fingers have moved the content, or would.
  public var isDragging: Bool { pan.state == .began || pan.state == .changed }

  public var deadline: MonotonicTime? { nil }

  public mutating func handle(_ contact: Contact) {
    let wasPossible = pan.state == .possible && !isCaught
    pan.handle(contact)
    if wasPossible, catchesAtOnce, contact.phase == .began, pan.state == .possible { isCaught = true }
  }

  public mutating func pass(_ time: MonotonicTime) {}

  public mutating func reset() {
    pan.reset()
    isCaught = false
  }
}
