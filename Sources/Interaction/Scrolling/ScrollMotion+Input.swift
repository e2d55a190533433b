public import LinuxSystem

/// The things that people and programs do. Each takes up the position at its time, without a jump.
extension ScrollMotion {
  /// A touch stops the content where it is, also beyond its edge.
  public mutating func hold(at time: MonotonicTime) { state = .held(at: position(at: time)) }

  /// A finger begins to drag, from where the content is: also while it bounces.
  public mutating func beginDrag(at time: MonotonicTime) {
    state = .dragging(Drag(grip: free(position(at: time)), translation: 0))
  }

  /// The finger has gone so far since it began to drag, in points; ignored unless it drags, and if it is not finite.
  public mutating func drag(translation: Double) {
    guard case .dragging(var drag) = state, translation.isFinite else { return }
    drag.translation = min(max(translation, -ScrollExtent.longest), ScrollExtent.longest)
    state = .dragging(drag)
  }

  /// The finger is lifted; ignored unless it holds or drags.
  ///
  /// - Parameter velocity: the finger's in points per second; 0 for one that was taken away. Without a drag it counts as 0.
  public mutating func release(velocity: Double = 0, at time: MonotonicTime) {
    switch state {
    case .held(let position): state = released(at: position, velocity: 0, time)
    case .dragging:
      let position = position(at: time)
      state = released(at: position, velocity: draggedVelocity(velocity, at: position), time)
    default: break
    }
  }

  /// Scrolls to a position, or the nearest that there is, in the way of the velocity that it has; a finger has no hold of it any more.
  ///
  /// - Parameter duration: nothing, or a negative one, for a jump.
  public mutating func scroll(to position: Double, duration: Nanoseconds = .zero, at time: MonotonicTime) {
    guard !position.isNaN else { return }
    let state = state(at: time)
    let (origin, target) = (self.position(of: state, at: time), extent.clamp(position))
    guard duration > .zero, origin != target else {
      self.state = .resting(at: target, since: time)
      return
    }
    let ease = ScrollEase(
      from: origin, to: target, velocity: velocity(of: state, at: time), duration: duration.seconds)
    self.state = .animating(ease, Start(time))
  }

  /// Scrolls by a way from where it is, or from where `scroll(to:)` leads it; a wheel's clicks add up so.
  public mutating func scroll(by way: Double, duration: Nanoseconds = .zero, at time: MonotonicTime) {
    let state = state(at: time)
    let origin =
      if case .animating(let ease, _) = state { ease.target } else { position(of: state, at: time) }
    scroll(to: origin + way, duration: duration, at: time)
  }

  /// Changes how it moves. Content that decelerates does so by the new ones from this time on; other movements that have begun end as they
  /// would have.
  public mutating func setPhysics(_ physics: ScrollPhysics, at time: MonotonicTime) {
    let now = state(at: time)
    let (position, velocity) = (position(of: now, at: time), velocity(of: now, at: time))
    self.physics = physics
    switch now {
    case .dragging(let drag): state = .dragging(Drag(grip: free(position) + drag.translation, translation: drag.translation))
    case .decelerating: state = released(at: position, velocity: velocity, time)
    default: state = now
    }
  }

  /// Gives the content another length, or the viewport, while it may move.
  ///
  /// The content that is seen stays where it is: the position after it is the one before it and `shift`. That may be beyond an edge, from
  /// which content that nothing holds comes back then. Content that decelerates keeps its velocity.
  ///
  /// - Parameter shift: how much further down or to the right the seen part now lies in the content: rows that were inserted above it.
  public mutating func setExtent(_ extent: ScrollExtent, shiftedBy shift: Double = 0, at time: MonotonicTime) {
    let shift = shift.isFinite ? min(max(shift, -ScrollExtent.longest), ScrollExtent.longest) : 0
    let now = state(at: time)
    let (position, velocity) = (position(of: now, at: time) + shift, velocity(of: now, at: time))
    self.extent = extent
    switch now {
    case .resting(_, let since):
      state =
        extent.excess(of: position) == 0 ? .resting(at: position, since: since) : released(at: position, velocity: 0, time)
    case .held: state = .held(at: position)
    case .dragging(let drag): state = .dragging(Drag(grip: free(position) + drag.translation, translation: drag.translation))
    case .decelerating: state = released(at: position, velocity: velocity, time)
    case .bouncing(let spring, _):
      let edge = extent.clamp(position)
      // As strong as it was: with position and velocity the same movement goes on.
      state =
        edge == position
        ? released(at: position, velocity: velocity, time)
        : .bouncing(
          ScrollSpring(
            target: edge, position: position, velocity: velocity, limit: .awayFromTarget(room(from: position, velocity)),
            frequency: spring.frequency), Start(time))
    case .paging(let spring, _):
      state = .paging(
        ScrollSpring(
          target: extent.clamp(spring.target + shift), position: position, velocity: velocity,
          limit: .sameSide(away: room(from: position, velocity)), frequency: spring.frequency), Start(time))
    case .animating(let ease, let start):
      state = .animating(ScrollEase(ease, from: ease.origin + shift, to: ease.target + shift), start)
      _ = redirect(to: ease.target + shift, at: time)
    }
  }

  /// Leads an animation of `scroll(to:duration:at:)` elsewhere, in the time that is left of it.
  ///
  /// - Returns: false if there is none.
  mutating func redirect(to position: Double, at time: MonotonicTime) -> Bool {
    let now = state(at: time)
    guard case .animating(let ease, let start) = now else { return false }
    let target = extent.clamp(position)
    guard abs(target - ease.target) >= 1e-6 else { return true }
    let left = max(ease.duration - start.elapsed(at: time), 1e-9)
    state = .animating(
      ScrollEase(
        from: self.position(of: now, at: time), to: target, velocity: velocity(of: now, at: time), duration: left),
      Start(time))
    return true
  }
}
