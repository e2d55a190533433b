import LinuxSystem

/// The movement of content that nothing holds any more, and its place while a finger does.
extension ScrollMotion {
  /// True if it goes beyond its edges.
  var bounces: Bool {
    switch physics.edges {
    case .stop: false
    case .bounce: extent.isScrollable
    case .alwaysBounce: true
    }
  }

  private var band: RubberBand { RubberBand(length: extent.viewport) }

  /// The position for one that knows no edges.
  func banded(_ free: Double) -> Double {
    let excess = extent.excess(of: free)
    if excess == 0 { return free }
    return extent.clamp(free) + (bounces ? band.stretch(excess) : 0)
  }

  /// The position without edges for one that may lie beyond them, the inverse of `banded(_:)`.
  func free(_ position: Double) -> Double {
    let excess = extent.excess(of: position)
    return excess == 0 || !bounces ? position : extent.clamp(position) + band.way(ofStretch: excess)
  }

  /// The velocity of content that follows a finger of a velocity.
  func draggedVelocity(_ velocity: Double, at position: Double) -> Double {
    let excess = extent.excess(of: position)
    return -ScrollPhysics.limit(velocity) * (excess == 0 ? 1 : band.slope(atStretch: excess))
  }

  /// The state of content that is left to itself.
  func released(at position: Double, velocity: Double, _ time: MonotonicTime) -> State {
    let velocity = ScrollPhysics.limit(velocity)
    let position = bounces ? position : extent.clamp(position)
    let room = room(from: position, velocity)
    if let length = physics.pageLength, length >= 1, length.isFinite {
      let target = page(length, from: position, velocity: velocity)
      return .paging(
        ScrollSpring(target: target, position: position, velocity: velocity, limit: .sameSide(away: room)), Start(time))
    }
    let edge = extent.clamp(position)
    if edge != position {
      return .bouncing(
        ScrollSpring(target: edge, position: position, velocity: velocity, limit: .awayFromTarget(room)), Start(time))
    }
    return .decelerating(
      ScrollDecay(origin: position, velocity: velocity, rate: physics.decelerationRate), Start(time))
  }

  /// The points that content may go on in the direction of its velocity: up to its edge, and half of the rest of the viewport beyond it,
  /// but always a twentieth of the viewport: also content that was pulled very far comes back softly.
  func room(from position: Double, _ velocity: Double) -> Double {
    let toEdge = max(0, velocity > 0 ? extent.maximum - position : position - extent.minimum)
    let left = (extent.viewport - abs(extent.excess(of: position))) / 2
    return bounces ? toEdge + max(left, extent.viewport / 20, 1) : toEdge
  }

  /// The page at which content comes to rest: of the two around it, or around the one that it leaves, the one that is nearer to where
  /// it would decelerate to. The end counts as a page.
  private func page(_ length: Double, from position: Double, velocity: Double) -> Double {
    let page = (position - extent.minimum) / length
    let lower = velocity < 0 ? page.rounded(.up) - 1 : page.rounded(.down)
    let upper = velocity > 0 ? page.rounded(.down) + 1 : page.rounded(.up)
    let before = extent.clamp(extent.minimum + lower * length)
    let after = extent.clamp(extent.minimum + upper * length)
    let projected = position + velocity / physics.decelerationRate.perSecond
    return projected - before < after - projected ? before : after
  }
}
