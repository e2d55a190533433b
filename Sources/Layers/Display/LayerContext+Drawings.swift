import Geometry
public import LinuxSystem
import Raster

// The main thread's side of asynchronous display.

extension LayerContext {
  /// Shows the finished drawings, all of a group at once, and the newest pixels of surfaces. Called once in each turn, before the commit.
  ///
  /// - Parameter surfaces: false to leave surfaces for the next turn, so that no thread that commits all the time holds up this one.
  /// - Returns: true if contents changed.
  @discardableResult
  public func publishFinishedDrawings(surfaces: Bool = true) -> Bool {
    retired.release(by: workers)
    drawings.removeAbandoned()
    var hasChanged = false
    let news = drawings.inbox.take(surfaces: surfaces)
    if news.hasSurfaces {
      for layer in surfaceLayers.values where layer.takeNewest() { hasChanged = true }
    }
    for number in news.groups {
      guard let (group, isFinished) = drawings.take(number) else { continue }
      guard isFinished else {
        if showCoarse(group) { hasChanged = true }
        continue
      }
      for member in group.members {
        switch member.job.state {
        case .finished(let picture):
          guard let taker = member.taker, taker.asynchronous.accept(member.job) else {
            for image in picture.images { retired.append(image) }
            continue
          }
          taker.take(picture)
          member.job.times?.show()
          hasChanged = true
        case .failed(let error):
          if let taker = member.taker, taker.asynchronous.accept(member.job) { taker.displayFailed(error) }
        case .cancelled(let picture?):
          for image in picture.images { retired.append(image) }
        case .waiting, .drawing, .cancelled(nil):
          break
        }
      }
    }
    return hasChanged
  }

  /// Shows what there is of pictures that workers still make. Others of the group wait until all are made.
  private func showCoarse(_ group: DrawingGroup) -> Bool {
    var hasChanged = false
    for member in group.members {
      guard let picture = member.job.takeCoarse() else { continue }
      if let taker = member.taker, taker.asynchronous.isNewest(member.job) {
        taker.take(picture)
        hasChanged = true
      } else {
        for image in picture.images { retired.append(image) }
      }
    }
    return hasChanged
  }

  /// The number of drawings that are neither shown nor cancelled.
  public var pendingDrawings: Int { drawings.drawingCount }

  /// Waits until all drawings are finished, so that `publishFinishedDrawings(surfaces:)` shows them: for pictures that must not depend on
  /// the speed of workers.
  public func waitForDrawings() {
    workers.willWait()
    drawings.wait()
  }

  /// Waits for the drawings that the last commit began, but not for those of low priority.
  ///
  /// - Parameter end: when the wait ends at the latest, by the machine's clock.
  /// - Returns: true if they are finished.
  @discardableResult
  public func waitForNewDrawings(until end: MonotonicTime) -> Bool {
    workers.willWait()
    return drawings.waitForNew(until: end)
  }

  /// Has a worker make a layer's contents. They are grouped with those of the same commit and priority, unless the layer wants to
  /// appear alone.
  func begin(_ maker: any PictureMaker, for layer: Layer, target: DrawingTarget) {
    begin(
      maker, for: layer, of: layer, target: target, layer.drawingPriority, isAlone: layer.publishesDrawingsAlone)
  }

  /// Has a worker make a picture of a layer, or of a tile of it.
  func begin(
    _ maker: any PictureMaker, for taker: any PictureTaker, of layer: Layer, target: DrawingTarget,
    _ priority: DrawingPriority, isAlone: Bool
  ) {
    let times = onDrawing == nil ? nil : DrawingTimes(clock: clock)
    let (job, closing) = drawings.add(maker, for: taker, target: target, priority, isAlone: isAlone, times: times)
    if let times { onDrawing?(layer, times) }
    taker.asynchronous.request(job)
    closing?.close()
    // A pool that was shut down draws no more, so the drawing runs here.
    if !workers.submit(priority.ofWorkers, { job.run() }) { job.run() }
  }
}
