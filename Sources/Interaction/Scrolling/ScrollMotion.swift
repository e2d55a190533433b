public import LinuxSystem

/// The position of scrolled content in one direction: a pure function of time between the things that people do.
///
/// ```swift
/// var motion = ScrollMotion(ScrollExtent(content: 10_000, viewport: 480))
/// motion.beginDrag(at: touch.time)
/// motion.drag(translation: -80)
/// motion.release(velocity: -1200, at: end.time)
/// let origin = motion.position(at: link.targetTimestamp)
/// ```
///
/// Positions are in points, velocities in points per second; both grow as the content goes up or to the left. A finger's translation and
/// velocity are its own: content follows it, so that they have the other sign. Once a finger is lifted, everything that will happen is
/// settled, up to the rest: asking once a second or a thousand times gives the same positions, and asking changes nothing. A time before
/// the beginning of a movement counts as its beginning.
public struct ScrollMotion: Hashable, Sendable {
  /// The time from which a movement goes on.
  public struct Start: Hashable, BitwiseCopyable, Sendable {
    /// When something was done that made it move.
    public let time: MonotonicTime
    /// The seconds from then on in which it moved another way.
    public let delay: Double

    init(_ time: MonotonicTime, delay: Double = 0) { (self.time, self.delay) = (time, delay) }

    func elapsed(at time: MonotonicTime) -> Double { max(0, (time - self.time).seconds - delay) }

    /// The first nanosecond at which so many seconds have surely passed.
    func time(after seconds: Double) -> MonotonicTime {
      time + Nanoseconds.seconds(delay + seconds) + Nanoseconds(1)
    }
  }

  /// A finger that drags content.
  public struct Drag: Hashable, BitwiseCopyable, Sendable {
    /// The position, without any rubber band, for a finger that is where it was at first.
    public var grip: Double
    /// The way of the finger, in points.
    public var translation: Double
  }

  public enum State: Hashable, Sendable {
    /// It stands still; since when, if it has moved.
    case resting(at: Double, since: MonotonicTime?)
    /// A touch has stopped it, and does not drag.
    case held(at: Double)
    case dragging(Drag)
    /// It slows down, up to the edge at most.
    case decelerating(ScrollDecay, Start)
    /// It comes back from beyond an edge.
    case bouncing(ScrollSpring, Start)
    /// It goes to a page.
    case paging(ScrollSpring, Start)
    /// It goes where it was told to.
    case animating(ScrollEase, Start)
  }

  public internal(set) var extent: ScrollExtent
  public internal(set) var physics: ScrollPhysics
  /// The state after what was last done. See `state(at:)`.
  var state: State

  /// Content that rests at a position, or at the nearest one that there is.
  public init(_ extent: ScrollExtent, physics: ScrollPhysics = ScrollPhysics(), position: Double = 0) {
    (self.extent, self.physics) = (extent, physics)
    state = .resting(at: extent.clamp(position), since: nil)
  }

  // MARK: Evaluation

  /// The state at a time if nothing is done before it.
  public func state(at time: MonotonicTime) -> State {
    var state = state
    // At most: back from beyond an edge, on to the other one, back from it, rest.
    while let (start, seconds, next) = successor(of: state), start.elapsed(at: time) >= seconds { state = next }
    return state
  }

  /// The position in points at a time, such as that at which a frame will be seen.
  public func position(at time: MonotonicTime) -> Double { position(of: state(at: time), at: time) }

  /// The velocity in points per second; 0 while a finger drags, whose velocity is not known here.
  public func velocity(at time: MonotonicTime) -> Double { velocity(of: state(at: time), at: time) }

  /// True if it stands still, without a finger, and does so until something is done.
  public func isAtRest(at time: MonotonicTime) -> Bool {
    if case .resting = state(at: time) { true } else { false }
  }

  /// True if the position changes by itself: false also while a finger holds it.
  public func isMoving(at time: MonotonicTime) -> Bool { nextChange(after: time) != nil }

  /// When the state next changes by itself; nil if nothing moves, and nobody need wake.
  public func nextChange(after time: MonotonicTime) -> MonotonicTime? {
    successor(of: state(at: time)).map { $0.start.time(after: $0.seconds) }
  }

  /// When everything that moves by itself has come to rest; nil if nothing moves. It is known from the beginning of a movement.
  public func restTime(after time: MonotonicTime) -> MonotonicTime? {
    var (state, rest) = (state(at: time), MonotonicTime?.none)
    while let next = successor(of: state) { (state, rest) = (next.state, next.start.time(after: next.seconds)) }
    return rest
  }

  /// The position at which it will rest if nothing is done, such as that around which rows are made ready.
  public func restPosition(after time: MonotonicTime) -> Double {
    var state = state(at: time)
    while let next = successor(of: state) { state = next.state }
    return position(of: state, at: time)
  }

  func position(of state: State, at time: MonotonicTime) -> Double {
    switch state {
    case .resting(let position, _), .held(let position): position
    case .dragging(let drag): banded(drag.grip - drag.translation)
    case .decelerating(let decay, let start): decay.position(at: start.elapsed(at: time))
    case .bouncing(let spring, let start), .paging(let spring, let start): spring.position(at: start.elapsed(at: time))
    case .animating(let ease, let start): ease.position(at: start.elapsed(at: time))
    }
  }

  func velocity(of state: State, at time: MonotonicTime) -> Double {
    switch state {
    case .resting, .held, .dragging: 0
    case .decelerating(let decay, let start): decay.velocity(at: start.elapsed(at: time))
    case .bouncing(let spring, let start), .paging(let spring, let start): spring.velocity(at: start.elapsed(at: time))
    case .animating(let ease, let start): ease.velocity(at: start.elapsed(at: time))
    }
  }

  // MARK: From state to state

  /// The state that follows by itself, and the seconds from the state's start after which it does; nil for one that stays.
  private func successor(of state: State) -> (start: Start, seconds: Double, state: State)? {
    switch state {
    case .resting, .held, .dragging: return nil
    case .decelerating(let decay, let start):
      let duration = decay.duration
      let edge = decay.initialVelocity > 0 ? extent.maximum : extent.minimum
      guard let (seconds, velocity) = decay.arrival(at: edge), seconds < duration else {
        return (start, duration, rest(at: extent.clamp(decay.position(at: duration)), start, duration))
      }
      if !bounces { return (start, seconds, rest(at: edge, start, seconds)) }
      let spring = ScrollSpring(
        target: edge, position: edge, velocity: velocity, limit: .awayFromTarget(room(from: edge, velocity)))
      return (start, seconds, .bouncing(spring, Start(start.time, delay: start.delay + seconds)))
    case .bouncing(let spring, let start):
      let duration = spring.duration
      // A finger that flung it inwards from beyond the edge: it goes on from there.
      if let (seconds, velocity) = spring.passage, seconds < duration {
        let decay = ScrollDecay(origin: spring.target, velocity: velocity, rate: physics.decelerationRate)
        return (start, seconds, .decelerating(decay, Start(start.time, delay: start.delay + seconds)))
      }
      return (start, duration, rest(at: spring.target, start, duration))
    case .paging(let spring, let start):
      let duration = spring.duration
      return (start, duration, rest(at: spring.target, start, duration))
    case .animating(let ease, let start): return (start, ease.duration, rest(at: ease.target, start, ease.duration))
    }
  }

  private func rest(at position: Double, _ start: Start, _ seconds: Double) -> State {
    .resting(at: position, since: start.time(after: seconds))
  }
}
