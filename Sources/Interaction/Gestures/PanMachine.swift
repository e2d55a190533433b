public import Geometry
public import LinuxSystem

/// Fingers that move together: the gesture begins when their middle has moved by more than a slop, and ends when all are lifted, as
/// UIPanGestureRecognizer's.
///
/// The middle moves by each finger's movements alone, so that a finger that comes or goes moves nothing.
public struct PanMachine: GestureMachine, ContactFollower {
  /// A side of a rectangle.
  public enum Edge: String, Hashable, Sendable, CaseIterable { case left, top, right, bottom }

  /// The ways of the fingers that are a pan. One in another direction makes it fail when the slop is left.
  public enum Course: Hashable, Sendable {
    case free
    /// More to the side than up or down, or the other way round; both if it is exactly between them.
    case horizontal, vertical
    /// From an edge of a rectangle inwards, where all fingers begin within so many points of the edge, or outside of it: 20 as Flutter's
    /// `drawerEdgeDragWidth` (<https://api.flutter.dev/flutter/material/Scaffold/drawerEdgeDragWidth.html>) and Android's DrawerLayout.
    case inward(from: Edge, of: Rect, within: Double = 20)
  }

  /// The number of fingers, as many as one likes unless said otherwise, as UIPanGestureRecognizer's. One more makes a pan fail that has not begun,
  /// and is ignored afterwards. While there are fewer, their movements are ignored.
  public let fingers: ClosedRange<Int>
  public let course: Course
  /// How far, in points, the fingers move before it begins. The gesture's translation begins behind that. UIKit tells no figure; a long press of
  /// `LongPressMachine` ends where a pan begins.
  public let slop: Double

  private struct Drag: BitwiseCopyable {
    /// The way from the first touch.
    var path: Point
    /// The part of it before the gesture began.
    let slop: Point
  }

  private var phase = ContinuousPhase<Point, Drag>.possible(.zero)
  private var motion = VelocityEstimator()
  private var latest = MonotonicTime.zero
  var contacts = ContactList()

  public init(fingers: ClosedRange<Int> = 1...Int.max, course: Course = .free, slop: Double = 10) {
    self.fingers = max(1, fingers.lowerBound)...max(1, fingers.upperBound)
    (self.course, self.slop) = (course, max(0, slop))
  }

  public var state: GestureState { phase.state }

  /// The middle of the fingers.
  public var location: Point { contacts.center }

  /// How far the middle of the fingers has moved since the gesture began, in points. Kept after the end.
  public var translation: Point { phase.during.map { $0.path - $0.slop } ?? .zero }

  /// The same from the first touch on, with the slop: the direction of a gesture that begins.
  var way: Point { phase.during?.path ?? .zero }

  /// The velocity of the middle of the fingers in points per second, as of the last contact; that at the lift after the end.
  public var velocity: Point { motion.velocity(at: latest) }

  public var deadline: MonotonicTime? { nil }

  public mutating func handle(_ contact: Contact) { follow(contact) }

  public mutating func pass(_ time: MonotonicTime) {}

  public mutating func reset() {
    phase = .possible(.zero)
    motion.reset()
    contacts.removeAll()
  }

  var takesMore: Bool { state == .possible || contacts.count < fingers.upperBound }

  mutating func began(at time: MonotonicTime) {
    latest = time
    guard case .possible(let path) = phase else { return }
    motion.add(path, at: time)
    if contacts.count > fingers.upperBound || !isAtEdge(contacts[contacts.count - 1].start) { phase.fail() }
  }

  mutating func moved(_ entry: ContactList.Entry, by way: Point, at time: MonotonicTime) {
    latest = time
    guard contacts.count >= fingers.lowerBound else { return }
    let way = way / Double(contacts.count)
    if case .possible(let before) = phase {
      let path = before + way
      motion.add(path, at: time)
      phase = .possible(path)
      let length = path.squaredLength.squareRoot()
      guard length > slop else { return }
      if isOnCourse(path) { phase.begin(Drag(path: path, slop: path * (slop / length))) } else { phase.fail() }
    } else if var drag = phase.during {
      drag.path += way
      motion.add(drag.path, at: time)
      phase.change(drag)
    }
  }

  mutating func lifted(at time: MonotonicTime) {
    latest = time
    if contacts.isEmpty { phase.end() }
  }

  mutating func cancelled() { phase.cancel() }

  private func isOnCourse(_ path: Point) -> Bool {
    switch course {
    case .free: true
    case .horizontal: abs(path.x) >= abs(path.y)
    case .vertical: abs(path.y) >= abs(path.x)
    case .inward(.left, _, _): path.x >= abs(path.y)
    case .inward(.top, _, _): path.y >= abs(path.x)
    case .inward(.right, _, _): -path.x >= abs(path.y)
    case .inward(.bottom, _, _): -path.y >= abs(path.x)
    }
  }

  private func isAtEdge(_ point: Point) -> Bool {
    switch course {
    case .free, .horizontal, .vertical: true
    case .inward(.left, let rect, let width): point.x <= rect.minX + width
    case .inward(.top, let rect, let width): point.y <= rect.minY + width
    case .inward(.right, let rect, let width): point.x >= rect.maxX - width
    case .inward(.bottom, let rect, let width): point.y >= rect.maxY - width
    }
  }
}
