import LinuxSystem
import RenderTree

// The copies that replicators make of their sublayers: records of their own, behind those of the sublayers. They are made anew with all
// records whenever a layer that has copies changes.

extension LayerContext {
  /// A number of a replicator's copies in which a layer is.
  private struct Instance {
    let replicator: ReplicatorLayer
    let number: Int
  }

  /// A copy of a layer as its sublayers see it.
  private struct Parent {
    let layer: Layer
    /// The committed values, animations included unless they move.
    let values: AnimatableValues
    /// The space of the layer, if it is a transform layer.
    let space: SublayerSpace?
    /// The animations, if they move.
    let animations: CommittedAnimations?
  }

  /// Appends the copies of a replicator's sublayers but for the sublayers themselves, and lets go of those that are no more.
  func appendCopies(of sublayers: [Layer], in replicator: ReplicatorLayer, at now: MonotonicTime) {
    replicator.beginCopies()
    let animations = replicator.committedAnimations
    let parent = Parent(
      layer: replicator, values: animations?.committedValues ?? replicator.values,
      space: replicator.isSpace ? animations?.ownSpace(at: now) ?? replicator.space : nil,
      animations: animations?.isMoving ?? false ? animations : nil)
    appendCopies(of: sublayers, 1..<max(replicator.instanceCount, 1), in: parent, [], at: now)
    replicator.endCopies()
  }

  private func appendCopies(
    of sublayers: [Layer], _ numbers: Range<Int>, in parent: Parent, _ path: [Instance], at now: MonotonicTime
  ) {
    guard !sublayers.isEmpty else { return }
    let replicator = parent.layer as? ReplicatorLayer
    for number in numbers {
      if snapshots.records.count >= maximumTreeSize { return }
      let inner = number > 0 ? replicator.map { path + [Instance(replicator: $0, number: number)] } ?? path : path
      for sublayer in sublayers { appendCopy(of: sublayer, number, in: parent, inner, at: now) }
    }
  }

  private func appendCopy(of layer: Layer, _ number: Int, in parent: Parent, _ path: [Instance], at now: MonotonicTime) {
    guard snapshots.records.count < maximumTreeSize else { return }
    let index = snapshots.records.count
    var (id, copy) = (layer.id, LayerCopy?.none)
    for instance in path.reversed() {
      let next = instance.replicator.copy(instance.number, of: id)
      (id, copy) = (next.id, next)
    }
    let placesLayer = !layer.isTile && (number > 0 || parent.layer.placesSublayers)
    let space = placesLayer ? parent.layer.space(parent.values, of: layer, number, through: parent.space) : nil
    var sides = layer.sideValues(in: space, last: copy?.effects ?? layer.recordEffects)
    copy?.effects = sides.effects
    let outer = placesLayer ? parent.animations : nil
    let animations = committedAnimations(of: layer, copy, sides, path, in: outer, number, space, recordIndex: index, at: now)
    var record = layer.record(sides, in: space)
    record.id = id
    if let animations, !animations.isEmpty, !animations.isMoving { animations.write(&record, &sides, at: now) }
    snapshots.append(record, sides)
    let own = Parent(
      layer: layer, values: animations?.committedValues ?? layer.values, space: layer.isSpace ? space : nil,
      animations: animations?.isMoving ?? false ? animations : nil)
    if let mask = layer.storedMask { appendCopy(of: mask, 0, in: own, path, at: now) }
    for inner in layer.innerLayers { appendCopy(of: inner, 0, in: own, path, at: now) }
    appendCopies(of: layer.sublayersInPaintOrder, 0..<max(layer.copyCount, 1), in: own, path, at: now)
    snapshots.setSubtreeEnd(snapshots.records.count, at: index)
  }

  /// The animations of a copy of a layer; nil without any. They are those of the layer on other clocks.
  private func committedAnimations(
    of layer: Layer, _ copy: LayerCopy?, _ sides: SideValues, _ path: [Instance], in outer: CommittedAnimations?,
    _ number: Int, _ space: SublayerSpace?, recordIndex: Int, at now: MonotonicTime
  ) -> CommittedAnimations? {
    let own = layer.animations.isEmpty ? nil : layer.committedAnimations
    guard let copy, own != nil || outer != nil || sides.content?.timed != nil else {
      copy?.animations = nil
      return nil
    }
    let animations = copy.animations ?? CommittedAnimations(layer)
    copy.animations = animations
    animations.recordIndex = recordIndex
    animations.takeValues(of: layer)
    (animations.sides, animations.contents, animations.flags) = (sides, layer.contentsSource, layer.flags)
    animations.areSidesTinted = space?.tint != nil
    animations.clocks = ClockChain(layer) { replicator in path.last { $0.replicator === replicator }?.number ?? 0 }
    animations.endClocks = animations.clocks
    animations.isLate = path.contains { $0.replicator.instanceDelay > .zero }
    animations.stack = own?.stack
    animations.frameRateRange = own?.frameRateRange ?? (sides.content?.timed == nil ? nil : .default)
    animations.space =
      outer.map { .moving(by: $0, isFlipped: layer.isPlacedFlipped, layer.superlayer?.instance(number, of: layer)) }
      ?? .still(space)
    animations.isMoving = animations.change(from: now)
    animations.committedValues = layer.placesSublayers || layer.isReplicator ? animations.shown(at: now) : nil
    if animations.isMoving { copiedAnimations.append(animations) }
    return animations
  }
}
