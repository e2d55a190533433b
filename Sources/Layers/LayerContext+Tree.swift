import Geometry
public import LinuxSystem
import Raster
public import RenderTree

/// The animations of one layer as they were committed, with all that evaluating them needs: changes made since are not seen
/// before their commit.
@MainActor
final class CommittedAnimations {
  weak var layer: Layer?
  var recordIndex = 0
  var isListed = false
  /// The layer's kind, which makes its content of the values.
  var kind: Layer.Type
  var values = AnimatableValues()
  var image: Image?
  var effects: RenderEffects?
  var flags: RenderRecord.Flags = []
  var timed: [TimedAnimation] = []

  init(_ layer: Layer) {
    self.layer = layer
    kind = type(of: layer)
  }
}

extension LayerContext {
  /// The committed tree as it is shown at a time. Unless something was changed or is animated since, it is the same value
  /// as the last one. A caller that lets go of a tree before it asks for the next gets its memory back.
  ///
  /// The root's superlayer is the output: its coordinates are pixels, `scale` of them a point. Empty before the first
  /// commit.
  public func renderTree(at time: MonotonicTime) -> TreeSnapshot {
    ownViewTime = time
    return evaluate(at: time)
  }

  func evaluate(at time: MonotonicTime) -> TreeSnapshot {
    let scale = scale
    let tree = snapshots.tree(evaluation: animated.isEmpty ? nil : time.nanoseconds, animated: animated) {
      animations, record, sides in
      var values = animations.values
      for animation in animations.timed { animation.apply(to: &values, at: time) }
      let content = animations.kind.content(for: values, image: animations.image)
      if sides.content !== content { sides.content = content }
      if sides.effects !== animations.effects { sides.effects = animations.effects }
      record.flags = animations.flags
      record.update(from: values, sides)
      if animations.recordIndex == 0 { record.transform = record.transform.concatenating(.scale(scale)) }
    }
    lastEvaluation = time
    isAnimating = hasRunningAnimations(at: shownTime)
    if time >= min(earliestStart, earliestEnd) { mark() }
    return tree
  }

  // MARK: Commit

  /// - Returns: true if the tree is another one, or moves in another way.
  func commitTree(at now: MonotonicTime) -> Bool {
    var hasChanged = isStructureMarked
    if isStructureMarked {
      rebuild(at: now)
    } else {
      for layer in recordMarks where layer.context === self && layer.isRecordMarked {
        let sides = layer.sideValues
        let animationsChanged = commitAnimations(of: layer, sides.effects, at: now)
        let recordChanged = snapshots.replace(committedRecord(of: layer, sides), sides, at: layer.recordIndex)
        if animationsChanged { snapshots.markStale(layer.recordIndex) }
        hasChanged = hasChanged || animationsChanged || recordChanged
        layer.isRecordMarked = false
      }
      if hasEmptyAnimations { removeEmptyAnimations() }
    }
    hasEmptyAnimations = false
    recordMarks.removeAll(keepingCapacity: true)
    if hasChanged {
      findEarliestEvents()
      isAnimating = hasRunningAnimations(at: now)
    }
    return hasChanged
  }

  private func rebuild(at now: MonotonicTime) {
    isStructureMarked = false
    for layer in recordMarks where layer.context === self { layer.isRecordMarked = false }
    for animations in animated { animations.isListed = false }
    animated.removeAll(keepingCapacity: true)
    snapshots.removeAll()
    append(root, at: now)
  }

  private func append(_ layer: Layer, at now: MonotonicTime) {
    let index = snapshots.records.count
    layer.recordIndex = index
    if !layer.isCommitted { layer.hintAtMissingMark() }
    layer.isCommitted = true
    let sides = layer.sideValues
    snapshots.append(committedRecord(of: layer, sides), sides)
    _ = commitAnimations(of: layer, sides.effects, at: now)
    for sublayer in layer.sublayersInPaintOrder { append(sublayer, at: now) }
    snapshots.setSubtreeEnd(snapshots.records.count, at: index)
  }

  private func committedRecord(of layer: Layer, _ sides: SideValues) -> RenderRecord {
    var record = layer.record(sides)
    if layer === root { record.transform = record.transform.concatenating(.scale(scale)) }
    return record
  }

  // MARK: Animations

  /// Begins new animations of a layer and takes over its animations into the committed tree.
  ///
  /// - Returns: true if animations came or went.
  private func commitAnimations(of layer: Layer, _ effects: RenderEffects?, at now: MonotonicTime) -> Bool {
    let haveChanged = layer.areAnimationsChanged
    layer.areAnimationsChanged = false
    if layer.animations.isEmpty && layer.committedAnimations == nil { return haveChanged }
    let committed = layer.committedAnimations ?? CommittedAnimations(layer)
    layer.committedAnimations = committed
    committed.recordIndex = layer.recordIndex
    committed.values = layer.values
    committed.image = layer.contents
    committed.effects = effects
    committed.flags = layer.flags
    committed.timed.removeAll(keepingCapacity: true)
    for index in layer.animations.indices {
      layer.animations[index].begin(at: now)
      committed.timed.append(layer.animations[index].timed)
    }
    if committed.timed.isEmpty {
      hasEmptyAnimations = hasEmptyAnimations || committed.isListed
    } else if !committed.isListed {
      committed.isListed = true
      animated.append(committed)
    }
    return haveChanged
  }

  private func removeEmptyAnimations() {
    animated.removeAll { animations in
      guard animations.timed.isEmpty else { return false }
      animations.isListed = false
      return true
    }
  }

  private func hasRunningAnimations(at time: MonotonicTime) -> Bool {
    for animations in animated {
      for animation in animations.timed where !animation.isOver(at: time) { return true }
    }
    return false
  }

  private func findEarliestEvents() {
    earliestStart = .distantFuture
    earliestEnd = .distantFuture
    for animations in animated {
      guard let layer = animations.layer else { continue }
      for animation in layer.animations {
        let timing = animation.timed.timing
        if animation.report == .nothing { earliestStart = min(earliestStart, timing.beginTime ?? .distantFuture) }
        if animation.report != .end { earliestEnd = min(earliestEnd, timing.endTime) }
      }
    }
  }

  /// Reports the animations that have begun by `time`.
  func reportStarts(at time: MonotonicTime) {
    guard time >= earliestStart else { return }
    // They may change the animations: what to call is collected first.
    var started: [RunningAnimation] = []
    for animations in animated {
      guard let layer = animations.layer, layer.context === self else { continue }
      for index in layer.animations.indices {
        let animation = layer.animations[index]
        guard animation.report == .nothing, let begin = animation.timed.timing.beginTime, begin <= time else { continue }
        started.append(animation)
        layer.animations[index].setReported(.start)
      }
    }
    findEarliestEvents()
    for index in started.indices { started[index].reportStart() }
  }

  /// Forgets the animations that are over at `time`, and reports the end of these and of those that were removed.
  func endAnimations(at time: MonotonicTime) {
    var ended = removedAnimations.map { (animation: $0, finished: false) }
    removedAnimations.removeAll(keepingCapacity: true)
    for layer in leftWithAnimations where layer.context == nil {
      ended += layer.animations.map { ($0, false) }
      layer.animations.removeAll()
    }
    leftWithAnimations.removeAll(keepingCapacity: true)
    if time >= earliestEnd {
      for animations in animated {
        guard let layer = animations.layer, layer.context === self else { continue }
        takeEnded(of: layer, at: time, into: &ended)
      }
      // Until the commit has looked again.
      earliestEnd = .distantFuture
    }
    // Last: they may begin, change and remove animations.
    for index in ended.indices { ended[index].animation.reportEnd(finished: ended[index].finished) }
  }

  private func takeEnded(
    of layer: Layer, at time: MonotonicTime, into ended: inout [(animation: RunningAnimation, finished: Bool)]
  ) {
    var index = 0
    while index < layer.animations.count {
      let animation = layer.animations[index]
      guard animation.report != .end, animation.timed.isOver(at: time) else {
        index += 1
        continue
      }
      ended.append((animation, true))
      if animation.animation.isRemovedOnCompletion {
        layer.animations.remove(at: index)
      } else {
        layer.animations[index].setReported(.end)
        index += 1
      }
      layer.markAnimations()
    }
  }
}
