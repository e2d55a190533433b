import Geometry
public import LinuxSystem
import Raster

// The main thread's side of asynchronous display.

extension LayerContext {
  /// Shows the finished drawings, all of a group at once. Called once in each turn, before the commit.
  ///
  /// - Returns: true if contents changed.
  @discardableResult
  public func publishFinishedDrawings() -> Bool {
    retired.release(by: workers)
    var hasChanged = false
    for number in inbox.take() {
      guard let index = groups.firstIndex(where: { $0.number == number }) else { continue }
      let group = groups.remove(at: index)
      for member in group.members {
        guard let layer = member.layer, layer.asynchronous.isDrawing else { continue }
        switch member.job.outcome {
        case .finished(let image):
          guard layer.asynchronous.accept(member.job) else { continue }
          let target = member.job.target
          layer.setContents(image, drawnSize: target.bounds.size, scale: target.scale)
          hasChanged = true
        case .failed(let error):
          if layer.asynchronous.accept(member.job) { displayFailed(layer, error) }
        case .pending, .cancelled:
          break
        }
      }
    }
    return hasChanged
  }

  /// The number of drawings that are neither shown nor cancelled.
  public var pendingDrawings: Int {
    groups.reduce(0) { count, group in count + group.members.count { !$0.job.isCancelled } }
  }

  /// Waits until all drawings are finished, so that `publishFinishedDrawings()` shows them.
  ///
  /// - Parameter limit: the longest wait, by the machine's clock; nil for pictures that must not depend on the speed of workers.
  /// - Returns: true if all are finished.
  @discardableResult
  public func waitForDrawings(upTo limit: Nanoseconds? = nil) -> Bool {
    let end = limit.map { SystemClock.monotonic.now + $0 }
    return groups.allSatisfy { $0.countdown.wait(until: end) }
  }

  /// Starts a drawing of a layer's contents. It is grouped with those of the same commit, unless the layer wants to appear
  /// alone.
  func begin(_ drawing: any Drawing, for layer: Layer, target: DrawingTarget) {
    // A group is never reported if all of its drawings were superseded.
    groups.removeAll { $0.countdown.isAbandoned }
    let isAlone = !isGroupOpen || layer.publishesDrawingsAlone
    let group = isAlone ? makeGroup() : openGroup ?? makeGroup()
    if !isAlone { openGroup = group }
    let job = group.add(drawing, for: layer, target: target)
    layer.asynchronous.request(job)
    if isAlone { group.close() }
    // A pool that was shut down draws no more, so the drawing runs here.
    if !workers.submit(.drawing, { job.run() }) { job.run() }
  }

  func closeGroup() {
    isGroupOpen = false
    openGroup?.close()
    openGroup = nil
  }

  private func makeGroup() -> DrawingGroup {
    lastGroupNumber += 1
    let group = DrawingGroup(number: lastGroupNumber, inbox: inbox)
    groups.append(group)
    return group
  }
}
