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
  private(set) var values = AnimatableValues()
  var contents = ContentsSource()
  /// The effects of the values as they were committed, and those that were shown last.
  var effects: RenderEffects?
  private var lastEffects: RenderEffects?
  /// The mixture of pictures that was shown last: the same object while it is the same.
  private var lastMixture: ImageMixture?
  var flags: RenderRecord.Flags = []
  var clocks: ClockChain
  var timed: [TimedAnimation] = []
  var space = Space.still(nil)
  /// The values at the commit, of a layer that places its sublayers.
  var committedValues: AnimatableValues?
  /// How often they are to be shown.
  var frameRateRange = FrameRateRange.default
  /// The picture that the layer drew of other values than its own, and those of them that it was drawn from.
  private var drawn: (values: [AnimatableProperty: any Animatable], image: Image)?
  /// True if they may show other values later than at the commit.
  var isMoving = false

  /// The space in which the layer lies.
  enum Space {
    /// Nil for the superlayer's plane.
    case still(SublayerSpace?)
    /// The superlayer's animations move it. See `Layer.isPlacedFlipped`.
    case moving(by: CommittedAnimations, isFlipped: Bool)
  }

  init(_ layer: Layer) {
    self.layer = layer
    kind = type(of: layer)
    clocks = ClockChain(layer)
  }

  /// Writes the layer as it is shown at a time of the display's clock.
  func write(_ record: inout RenderRecord, _ sides: inout SideValues, at time: MonotonicTime) {
    var values = shown(at: clocks.time(at: time))
    record.flags = flags
    values.settleTransition(&record.flags)
    let space =
      switch space {
      case .still(let space): space
      case .moving(let outer, let isFlipped):
        SublayerSpace(outer.shown(at: outer.clocks.time(at: time)), isFlipped: isFlipped)
      }
    if !values.named.isEmpty, let image = drawnImage(for: values) { values.contents = image }
    let content = content(for: values)
    if sides.content !== content { sides.content = content }
    let homography = values.homography(in: space)
    let contents = contents.or(values.contents)
    let isCommitted =
      values.rareBox === self.values.rareBox && homography == effects?.parts.homography
      && contents.pixels == self.contents.pixels
    let effects = isCommitted ? effects : contents.effects(for: values, homography, last: lastEffects)
    lastEffects = effects
    if sides.effects !== effects { sides.effects = effects }
    record.update(from: values, sides, in: space)
  }

  private func content(for values: AnimatableValues) -> (any RenderContent)? {
    let content = kind.content(for: values, image: values.contents)
    guard let mixture = values.mixture, content === mixture else { return content }
    if mixture != lastMixture { lastMixture = mixture }
    return lastMixture
  }

  /// The values that are shown at a time of the layer's clock.
  @inline(__always)
  func shown(at time: MonotonicTime) -> AnimatableValues {
    var values = values
    for animation in timed { animation.apply(to: &values, at: time) }
    return values
  }

  private var outer: CommittedAnimations? { if case .moving(let outer, _) = space { outer } else { nil } }

  /// True without animations that may change the layer.
  var isEmpty: Bool { timed.isEmpty && outer == nil }

  /// Takes over the layer's values. What was drawn of older contents is forgotten.
  func take(_ values: AnimatableValues) {
    if values.contents !== self.values.contents { drawn = nil }
    self.values = values
  }

  /// The picture for values from which the layer draws itself; nil where its contents are one of them. It is drawn when these values
  /// are others than the last time.
  private func drawnImage(for shown: AnimatableValues) -> Image? {
    guard let layer, layer.drawnSize != nil else { return nil }
    let wanted = shown.named.filter { kind.needsDisplay(forKey: $0.key) }
    if wanted.allSatisfy({ values.named[$0]?.isEqual(to: $1) ?? false }) { return nil }
    if let drawn, wanted.allSatisfy({ drawn.values[$0]?.isEqual(to: $1) ?? false }) { return drawn.image }
    guard let image = layer.drawnImage(for: shown, bounds: values.bounds) else { return drawn?.image }
    drawn = (wanted, image)
    return image
  }

  /// True if an animation is under way at a time of the display's clock.
  func areRunning(at time: MonotonicTime) -> Bool {
    outer?.areRunning(at: time) ?? false || change(from: time) { !$0.isOver(at: $1) }
  }

  /// True if they may show other values later than at a time of the display's clock.
  func change(from time: MonotonicTime) -> Bool { outer != nil || change(from: time) { _, _ in true } }

  /// - Parameter counts: says of an animation, on a clock that runs forwards, whether it counts at that clock's time.
  private func change(from time: MonotonicTime, if counts: (TimedAnimation, MonotonicTime) -> Bool) -> Bool {
    let local = clocks.time(at: time)
    return switch clocks.course(from: time) {
    case .still: false
    case .waiting: !timed.isEmpty
    case .forwards: timed.contains { $0.changes(from: local, backwards: false) && counts($0, local) }
    case .backwards: timed.contains { $0.changes(from: local, backwards: true) }
    }
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
    let tree = snapshot(at: time)
    lastEvaluation = time
    isAnimating = hasRunningAnimations(at: shownTime)
    if time >= min(earliestStart, earliestEnd) { mark() }
    return tree
  }

  /// The committed tree at a time, of which nobody takes note.
  func snapshot(at time: MonotonicTime) -> TreeSnapshot {
    snapshots.tree(evaluation: moving.isEmpty ? nil : time.nanoseconds, animated: moving) { animations, record, sides in
      animations.write(&record, &sides, at: time)
    }
  }

  // MARK: Commit

  /// - Returns: true if the tree is another one, or moves in another way.
  func commitTree(at now: MonotonicTime) -> Bool {
    var hasChanged = isStructureMarked
    if isStructureMarked {
      rebuild(at: now)
    } else {
      for layer in recordMarks where layer.context === self && layer.isRecordMarked {
        if commitRecord(of: layer, at: now) { hasChanged = true }
      }
    }
    recordMarks.removeAll(keepingCapacity: true)
    if hasChanged {
      animated.removeAll { animations in
        animations.isListed = !animations.isEmpty
        return animations.isEmpty
      }
      moving.removeAll(keepingCapacity: true)
      var range: FrameRateRange?
      for animations in animated where animations.isMoving {
        moving.append(animations)
        if !animations.timed.isEmpty { range = range?.union(animations.frameRateRange) ?? animations.frameRateRange }
      }
      frameRateRange = range ?? .default
      findEarliestEvents(from: now)
      isAnimating = hasRunningAnimations(at: now)
    }
    return hasChanged
  }

  /// - Returns: true if the layer, or a sublayer that it places, is another one or moves in another way.
  private func commitRecord(of layer: Layer, at now: MonotonicTime) -> Bool {
    // A layer that places its sublayers comes before them.
    if let superlayer = layer.superlayer, superlayer.isRecordMarked, superlayer.placesSublayers || superlayer.placedSublayers
    {
      return commitRecord(of: superlayer, at: now)
    }
    var sides = layer.sideValues
    let animationsChanged = commitAnimations(of: layer, sides.effects, at: now)
    let record = committedRecord(of: layer, &sides, at: now)
    var hasChanged = snapshots.replace(record, sides, at: layer.recordIndex) || animationsChanged
    if animationsChanged { snapshots.markStale(layer.recordIndex) }
    layer.isRecordMarked = false
    if layer.placesSublayers || layer.placedSublayers {
      layer.placedSublayers = layer.placesSublayers
      if let mask = layer.storedMask, commitRecord(of: mask, at: now) { hasChanged = true }
      for sublayer in layer.sublayers where commitRecord(of: sublayer, at: now) { hasChanged = true }
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
    layer.isPlacedFlipped = layer.superlayer.map { $0.isPlacedFlipped != $0.isFlipped } ?? false
    layer.placedSublayers = layer.placesSublayers
    if !layer.isCommitted { layer.hintAtMissingMark() }
    layer.isCommitted = true
    var sides = layer.sideValues
    _ = commitAnimations(of: layer, sides.effects, at: now)
    snapshots.append(committedRecord(of: layer, &sides, at: now), sides)
    if let mask = layer.storedMask { append(mask, at: now) }
    for sublayer in layer.sublayersInPaintOrder { append(sublayer, at: now) }
    snapshots.setSubtreeEnd(snapshots.records.count, at: index)
  }

  /// The record of a layer without the animations that move it.
  private func committedRecord(of layer: Layer, _ sides: inout SideValues, at now: MonotonicTime) -> RenderRecord {
    var record = layer.record(sides)
    if let animations = layer.committedAnimations, !animations.isEmpty, !animations.isMoving {
      animations.write(&record, &sides, at: now)
    }
    return record
  }

  // MARK: Animations

  /// Begins new animations of a layer and takes over its animations into the committed tree.
  ///
  /// - Returns: true if animations came or went.
  private func commitAnimations(of layer: Layer, _ effects: RenderEffects?, at now: MonotonicTime) -> Bool {
    let haveChanged = layer.areAnimationsChanged
    layer.areAnimationsChanged = false
    let outer = layer.outerAnimations
    if layer.animations.isEmpty && layer.committedAnimations == nil && outer == nil { return haveChanged }
    let committed = layer.committedAnimations ?? CommittedAnimations(layer)
    layer.committedAnimations = committed
    committed.recordIndex = layer.recordIndex
    committed.take(layer.values)
    committed.effects = effects
    committed.contents = layer.contentsSource
    committed.flags = layer.flags
    committed.clocks = ClockChain(layer)
    committed.space = outer.map { .moving(by: $0, isFlipped: layer.isPlacedFlipped) } ?? .still(layer.space)
    committed.timed.removeAll(keepingCapacity: true)
    let time = committed.clocks.time(at: now)
    for index in layer.animations.indices {
      layer.animations[index].commit(at: time)
      let range = layer.animations[index].animation.preferredFrameRateRange
      committed.frameRateRange = index == 0 ? range : committed.frameRateRange.union(range)
      committed.timed.append(layer.animations[index].timed)
    }
    committed.committedValues = layer.placesSublayers ? committed.shown(at: time) : nil
    let wasMoving = committed.isMoving
    committed.isMoving = committed.change(from: now)
    // It holds the pictures that were shown last.
    if committed.isEmpty { layer.committedAnimations = nil }
    if !committed.isEmpty, !committed.isListed {
      committed.isListed = true
      animated.append(committed)
    }
    return haveChanged || wasMoving != committed.isMoving
  }

  private func hasRunningAnimations(at time: MonotonicTime) -> Bool {
    moving.contains { $0.areRunning(at: time) }
  }

  private func findEarliestEvents(from now: MonotonicTime) {
    earliestStart = .distantFuture
    earliestEnd = .distantFuture
    for animations in animated {
      guard let layer = animations.layer else { continue }
      for animation in layer.animations {
        guard let begin = animation.timed.timing.beginTime else { continue }
        if animation.report == .nothing {
          earliestStart = min(earliestStart, animations.clocks.outerTime(ofReaching: begin, from: now))
        }
        if animation.report != .end {
          let end = animation.timed.active.end
          earliestEnd = min(earliestEnd, animations.clocks.outerTime(ofReaching: end, from: now))
        }
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
      let local = animations.clocks.time(at: time)
      for index in layer.animations.indices {
        let animation = layer.animations[index]
        guard animation.report == .nothing, let begin = animation.timed.timing.beginTime, begin <= local else { continue }
        started.append(animation)
        layer.animations[index].setReported(.start)
      }
    }
    findEarliestEvents(from: lastCommit)
    started.sort { $0.order < $1.order }
    for animation in started { animation.reportStart() }
  }

  /// True if somebody waits to hear of animations that were removed during the commit, after it had told the ends.
  var owesEnds: Bool {
    removedAnimations.contains(where: \.isAwaited)
      || leftWithAnimations.contains { $0.context == nil && $0.animations.contains(where: \.isAwaited) }
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
      let first = ended.count
      for animations in animated {
        guard let layer = animations.layer, layer.context === self else { continue }
        takeEnded(of: layer, at: animations.clocks.time(at: time), into: &ended)
      }
      ended[first...].sort { $0.animation.order < $1.animation.order }
      findEarliestEvents(from: lastCommit)
    }
    // Last: they may begin, change and remove animations.
    RunningAnimation.reportEnds(ended)
  }

  private func takeEnded(
    of layer: Layer, at time: MonotonicTime, into ended: inout [(animation: RunningAnimation, finished: Bool)]
  ) {
    var index = 0
    while index < layer.animations.count {
      let animation = layer.animations[index]
      guard animation.isCommitted, animation.report != .end, animation.timed.isOver(at: time) else {
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
