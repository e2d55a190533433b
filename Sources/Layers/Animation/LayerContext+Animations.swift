package import LinuxSystem

/// The need that animations have of those who show them.
enum AnimationNeed: Equatable {
  case nothing
  /// All wait for their beginnings, the first of which is at this time of the display's clock.
  case wakeUp(MonotonicTime)
  case frames
}

extension LayerContext {
  /// How long before an animation begins frames are wanted for it: some intervals of a slow display.
  package static let animationLead = Nanoseconds.milliseconds(100)

  /// Sees if an animation is under way, and otherwise when the next one begins.
  ///
  /// - Parameters:
  ///   - time: that of the viewer that is furthest behind.
  ///   - last: that of the one that is furthest ahead.
  func lookForAnimations(from time: MonotonicTime, to last: MonotonicTime) {
    var next = MonotonicTime.distantFuture
    let isAnimating = moving.contains { animations in
      next = min(next, animations.runningTime(from: time))
      return next <= last + Self.animationLead
    }
    need = isAnimating ? .frames : next == .distantFuture ? .nothing : .wakeUp(next)
  }

  /// Ends the rest before the next beginning. The tree that is shown then tells what has begun, or ended if this comes late.
  package func awaitBeginning() { need = .frames }

  func findEarliestEvents(from now: MonotonicTime) {
    markedEvaluation = nil
    earliestStart = .distantFuture
    earliestEnd = .distantFuture
    for (layer, animations) in animated {
      for animation in layer.animations {
        guard let begin = animation.timed.timing.beginTime else { continue }
        if animation.report == .nothing {
          earliestStart = min(earliestStart, animations.clocks.outerTime(ofReaching: begin, from: now))
        }
        if animation.report != .end {
          let clocks = animations.endClocks
          // A time that goes back leads away from the end, until it jumps.
          let next =
            clocks.runsBackwards(at: now)
            ? clocks.jump(from: now) : clocks.outerTime(ofReaching: animation.timed.active.end, from: now)
          earliestEnd = min(earliestEnd, next)
        }
      }
    }
  }

  /// Reports the animations that have begun by `time`.
  func reportStarts(at time: MonotonicTime) {
    guard time >= earliestStart else { return }
    // They may change the animations: what to call is collected first.
    var started: [RunningAnimation] = []
    for (layer, animations) in animated where layer.context === self {
      let local = animations.clocks.time(at: time)
      for index in layer.animations.indices {
        let animation = layer.animations[index]
        guard animation.report == .nothing, let begin = animation.timed.timing.beginTime, begin <= local else { continue }
        started.append(animation)
        layer.animations.setReported(.start, at: index)
      }
    }
    findEarliestEvents(from: times.lastCommit)
    started.sort { $0.order < $1.order }
    for animation in started { animation.reportStart() }
  }

  /// True if somebody waits to hear of animations that were removed during the commit, after it had told the ends.
  var owesEnds: Bool {
    removedAnimations.contains(where: \.isAwaited)
      || leftWithAnimations.contains { $0.context == nil && $0.animations.contains(where: \.isAwaited) }
  }

  /// Forgets the animations that are over at the time that is shown, and reports the end of these and of those that were removed.
  func endAnimations(at shown: MonotonicTime) {
    let time = min(shown, lastFrameTime)
    var ended = removedAnimations.map { (animation: $0, finished: false) }
    removedAnimations.removeAll(keepingCapacity: true)
    for layer in leftWithAnimations where layer.context == nil {
      ended += layer.animations.map { ($0, false) }
      layer.animations.removeAll()
    }
    leftWithAnimations.removeAll(keepingCapacity: true)
    if time >= earliestEnd {
      let first = ended.count
      // An animation past its end is still to be shown where time goes back.
      for (layer, animations) in animated
      where layer.context === self && !animations.endClocks.runsBackwards(at: time) {
        takeEnded(
          of: layer, at: animations.endClocks.time(at: time), isLastFrame: time == lastFrameTime, into: &ended)
      }
      ended[first...].sort { $0.animation.order < $1.animation.order }
      findEarliestEvents(from: times.lastCommit)
    }
    // Last: they may begin, change and remove animations.
    RunningAnimation.reportEnds(ended)
  }

  private func takeEnded(
    of layer: Layer, at time: MonotonicTime, isLastFrame: Bool,
    into ended: inout [(animation: RunningAnimation, finished: Bool)]
  ) {
    var index = 0
    while index < layer.animations.count {
      let animation = layer.animations[index]
      guard animation.isCommitted, animation.report != .end, animation.timed.isOver(at: time),
        !isLastFrame || animation.timed.active.moment(at: time) == nil
      else {
        index += 1
        continue
      }
      ended.append((animation, true))
      if animation.animation.isRemovedOnCompletion {
        _ = layer.animations.remove(at: index)
      } else {
        layer.animations.setReported(.end, at: index)
        index += 1
      }
      layer.markAnimations()
    }
  }
}
