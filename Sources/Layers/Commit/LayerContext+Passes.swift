import Geometry
import LinuxSystem
import Raster

// Layout and display. A round lays out the dirty layers from the top down and then draws the dirty ones. Layers above or
// beside that become dirty meanwhile are left for the next round.

extension LayerContext {
  func update(_ phases: inout CommitPhases) {
    markDeferred()
    var round = 0
    while marks.hasLayouts || marks.hasDisplays {
      if round == Self.maximumRounds {
        phases.unsettled = deferMarks()
        break
      }
      round += 1
      let start = clock.now
      layOut(&phases)
      let laidOut = clock.now
      phases.layout += laidOut - start
      // Layout must settle first, so that nothing is drawn twice. If it does not settle, the frame is shown as it is.
      guard !marks.hasLayouts || round == Self.maximumRounds else { continue }
      display(&phases)
      phases.display += clock.now - laidOut
    }
  }

  /// The numbers of layers that are marked for layout and for display.
  package var markCounts: (layouts: Int, displays: Int) { marks.counts }

  /// True if something was marked that no commit has handled: after one, by drawings that were asked for after the last round.
  var hasMarks: Bool { !marks.isEmpty || tiledLayers.contains(where: \.needsTileUpdate) }

  private func layOut(_ phases: inout CommitPhases) {
    var depth = 0
    // More layers may be marked further down during this loop.
    while depth < marks.depthCount {
      var layers = marks.takeLayouts(atDepth: depth)
      // Otherwise the layer left the tree, or moved to another depth and is marked there.
      for layer in layers where layer.context === self && layer.depth == depth {
        layer.isLayoutMarked = false
        guard layer.needsLayout else { continue }
        phases.layoutCount += 1
        layOut(layer)
      }
      layers.removeAll(keepingCapacity: true)
      marks.giveBackLayouts(layers, atDepth: depth)
      depth += 1
    }
  }

  private func display(_ phases: inout CommitPhases) {
    var layers = marks.takeDisplays()
    for layer in layers where layer.context === self {
      layer.isDisplayMarked = false
      layer.hintAtNothingToShow()
      // A layer without a size still needs display. It is marked again once it has a size.
      guard layer.needsDisplay else { continue }
      guard layer.bounds.isDrawable else {
        layer.displayWithoutSize()
        continue
      }
      phases.displayCount += 1
      display(layer)
    }
    layers.removeAll(keepingCapacity: true)
    marks.giveBackDisplays(layers)
  }

  func displayFailed(_ layer: Layer, _ error: BitmapError) {
    #if DEBUG
      if onDisplayFailure == nil {
        DebugHint.give("\(layer) gets no new contents: \(error)", kind: "no contents for \(type(of: layer))")
      }
    #endif
    onDisplayFailure?(layer, error)
  }

  /// Removes the remaining layers from the lists, so that a new mark counts as the first one. Returns the first of them.
  private func deferMarks() -> Layer? {
    for depth in 0..<marks.depthCount {
      for layer in marks.takeLayouts(atDepth: depth) where layer.context === self {
        layer.isLayoutMarked = false
        if layer.needsLayout { deferred.append(layer) }
      }
    }
    for layer in marks.takeDisplays() where layer.context === self {
      layer.isDisplayMarked = false
      if layer.needsDisplay { deferred.append(layer) }
    }
    return deferred.first
  }

  private func markDeferred() {
    guard !deferred.isEmpty else { return }
    let layers = deferred
    deferred.removeAll()
    for layer in layers where layer.context === self {
      if layer.needsLayout { layer.markLayout() }
      if layer.needsDisplay { layer.markDisplay() }
    }
  }
}
