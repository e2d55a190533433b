public import LinuxSystem
public import RenderTree

extension LayerContext {
  /// The committed tree as it is shown at a time. Unless something was changed or is animated since, it is the same value
  /// as the last one. A caller that lets go of a tree before it asks for the next gets its memory back.
  ///
  /// The root's superlayer is the output: its coordinates are pixels, `scale` of them a point. Empty before the first
  /// commit.
  public func renderTree(at time: MonotonicTime) -> TreeSnapshot {
    evaluate(at: time, isOwn: true)
  }

  /// - Parameter isOwn: true if no viewer asks for it.
  func evaluate(at time: MonotonicTime, isOwn: Bool) -> TreeSnapshot {
    let tree = snapshot(at: time)
    times.request(time, isOwn: isOwn)
    lookForAnimations(from: times.shown, to: time)
    // An end may have to wait for another viewer: a commit for the same time again would find nothing new.
    let isDue = time >= min(earliestStart, earliestEnd) || !tiledLayers.isEmpty && !moving.isEmpty && needsTiles(in: tree)
    if isDue, time != markedEvaluation {
      markedEvaluation = time
      mark()
    }
    return tree
  }

  /// The committed tree at a time, of which nobody takes note.
  func snapshot(at time: MonotonicTime) -> TreeSnapshot {
    var tree = snapshots.tree(evaluation: moving.isEmpty ? nil : time.nanoseconds, animated: moving) {
      $0.write(&$1, &$2, at: time)
    }
    tree.backdrop = backdrop
    return tree
  }

  // MARK: Commit

  /// - Returns: true if the tree is another one, or moves in another way.
  func commitTree(at now: MonotonicTime, _ phases: inout CommitPhases) -> Bool {
    marks.takeRecords(&handled)
    // A layer with copies has more records than its own.
    if handled.contains(where: { $0.isReplicated && $0.context === self }) { marks.isStructureMarked = true }
    var hasChanged = marks.isStructureMarked
    if marks.isStructureMarked {
      rebuild(at: now)
      phases.recordCount = snapshots.records.count
    } else {
      phases.recordCount = handled.count
      for layer in handled where layer.context === self && layer.isRecordMarked {
        if commitRecord(of: layer, at: now) { hasChanged = true }
      }
      // A superlayer moved a layer that has copies.
      if marks.isStructureMarked {
        rebuild(at: now)
        phases.recordCount = snapshots.records.count
        hasChanged = true
      }
    }
    if hasChanged {
      animated.removeAll { _, animations in
        animations.isListed = !animations.isEmpty
        return animations.isEmpty
      }
      moving.removeAll(keepingCapacity: true)
      var range: FrameRateRange?
      for (_, animations) in animated where animations.isMoving {
        moving.append(animations)
        if let own = animations.frameRateRange { range = range?.union(own) ?? own }
      }
      for animations in copiedAnimations where animations.isMoving {
        moving.append(animations)
        if let own = animations.frameRateRange { range = range?.union(own) ?? own }
      }
      frameRateRange = range ?? .default
      findEarliestEvents(from: now)
      lookForAnimations(from: now, to: now)
    }
    return hasChanged
  }

  /// Chooses the tiles of the tree that was committed, and commits the records that they add and change.
  func commitTiles(at now: MonotonicTime, _ phases: inout CommitPhases) {
    updateTiles(at: max(now, times.current))
    guard marks.isTreeStale else { return }
    // These lists go with the commit, and are to be empty for another tree.
    let (layers, old, count) = (handled, lastAnimated, phases.recordCount)
    (handled, lastAnimated) = ([], [])
    if commitTree(at: now, &phases) { phases.treeChanged = true }
    phases.recordCount += count
    withExtendedLifetime((layers, old)) {}
  }

  /// - Returns: true if the layer, or a sublayer that it places, is another one or moves in another way.
  private func commitRecord(of layer: Layer, at now: MonotonicTime) -> Bool {
    // A layer that places its sublayers comes before them.
    if let superlayer = layer.superlayer, superlayer.isRecordMarked, superlayer.placesSublayers || superlayer.placedSublayers
    {
      return commitRecord(of: superlayer, at: now)
    }
    if layer.isReplicated { marks.isStructureMarked = true }
    var sides = layer.sideValues
    let animationsChanged = commitAnimations(of: layer, sides, at: now)
    let record = committedRecord(of: layer, &sides, at: now)
    var hasChanged = snapshots.replace(record, sides, at: layer.recordIndex) || animationsChanged
    if animationsChanged { snapshots.markStale(layer.recordIndex) }
    layer.isRecordMarked = false
    if layer.placesSublayers || layer.placedSublayers {
      layer.placedSublayers = layer.placesSublayers
      if let mask = layer.storedMask, commitRecord(of: mask, at: now) { hasChanged = true }
      for inner in layer.innerLayers where inner.isRecordMarked && commitRecord(of: inner, at: now) { hasChanged = true }
      for sublayer in layer.sublayers where commitRecord(of: sublayer, at: now) { hasChanged = true }
    }
    return hasChanged
  }

  private func rebuild(at now: MonotonicTime) {
    marks.isStructureMarked = false
    for layer in handled where layer.context === self { layer.isRecordMarked = false }
    for (_, animations) in animated { animations.isListed = false }
    swap(&animated, &lastAnimated)
    copiedAnimations.removeAll(keepingCapacity: true)
    snapshots.removeAll()
    append(root, at: now, isCopied: false)
  }

  private func append(_ layer: Layer, at now: MonotonicTime, isCopied: Bool) {
    let index = snapshots.records.count
    layer.recordIndex = index
    layer.isReplicated = isCopied || layer.hasCopies
    layer.isPlacedFlipped = layer.superlayer.map { $0.isPlacedFlipped != $0.isFlipped } ?? false
    layer.placedSublayers = layer.placesSublayers
    if !layer.isCommitted { layer.hintAtMissingMark() }
    layer.isCommitted = true
    var sides = layer.sideValues
    _ = commitAnimations(of: layer, sides, at: now)
    snapshots.append(committedRecord(of: layer, &sides, at: now), sides)
    if let mask = layer.storedMask { append(mask, at: now, isCopied: isCopied) }
    for inner in layer.innerLayers { append(inner, at: now, isCopied: isCopied) }
    let sublayers = layer.sublayersInPaintOrder
    for sublayer in sublayers { append(sublayer, at: now, isCopied: layer.isReplicated) }
    if layer.isReplicator, let replicator = layer as? ReplicatorLayer {
      appendCopies(of: sublayers, in: replicator, at: now)
    }
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
  private func commitAnimations(of layer: Layer, _ sides: SideValues, at now: MonotonicTime) -> Bool {
    let haveChanged = layer.areAnimationsChanged
    layer.areAnimationsChanged = false
    let outer = layer.outerAnimations
    let moves = !layer.animations.isEmpty || outer != nil || sides.content?.timed != nil
    if !moves && layer.committedAnimations == nil { return haveChanged }
    let committed = layer.committedAnimations ?? CommittedAnimations(layer)
    layer.committedAnimations = committed
    committed.recordIndex = layer.recordIndex
    committed.takeValues(of: layer)
    committed.sides = sides
    committed.areSidesTinted = layer.space?.tint != nil
    committed.contents = layer.contentsSource
    committed.flags = layer.flags
    committed.clocks = ClockChain(layer)
    committed.endClocks = layer.isReplicated ? .last(layer) : committed.clocks
    committed.space =
      outer.map { .moving(by: $0, isFlipped: layer.isPlacedFlipped, layer.superlayer?.instance(0, of: layer)) }
      ?? .still(layer.space)
    let time = committed.clocks.time(at: now)
    let shown = committed.endClocks.time(at: max(now, times.current))
    var mayGoBack: Bool {
      switch committed.clocks.course(from: now) {
      case .backwards, .waiting: true
      case .forwards, .still: false
      }
    }
    // Particles move at any rate.
    var rate: FrameRateRange? = sides.content?.timed == nil ? nil : .default
    layer.animations.commit(at: time, shown: shown)
    for running in layer.animations {
      // One that is over stays for the value that it fills, and needs no frames unless its clock goes or jumps back to it.
      if running.report != .end || mayGoBack {
        let range = running.animation.preferredFrameRateRange
        rate = rate?.union(range) ?? range
      }
    }
    committed.stack = layer.animations.stack()
    committed.frameRateRange = rate
    committed.committedValues = layer.placesSublayers || layer.isReplicator ? committed.shown(at: now) : nil
    let wasMoving = committed.isMoving
    committed.isMoving = committed.change(from: now)
    // It holds the pictures that were shown last.
    if committed.isEmpty { layer.committedAnimations = nil }
    if !committed.isEmpty, !committed.isListed {
      committed.isListed = true
      animated.append((layer, committed))
    }
    return haveChanged || wasMoving != committed.isMoving
  }
}
