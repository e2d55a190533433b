public import FrameTiming
public import Layers
public import Presentation

// Further displays beside the first.
//
// Each has its own ticks, frames and buffers: one whose flips stop keeps no other waiting. All share the main thread, on which
// their frames are composited one after the other.

extension Engine {
  /// Makes a display link that ticks with a display of the engine, in all common modes of its loop.
  ///
  /// ```swift
  /// engine.makeDisplayLink { link in ball.position = path(at: link.targetTimestamp) }
  /// ```
  ///
  /// The link ticks until it is invalidated, or the engine is, without anybody holding it.
  ///
  /// - Parameter output: nil for the engine's first.
  @discardableResult
  public func makeDisplayLink(
    for output: Output? = nil, handler: @escaping @MainActor (DisplayLink) -> Void
  ) -> DisplayLink {
    let link = DisplayLink(ticker: (output ?? self.output).display.ticker, handler: handler)
    link.add(to: loop, mode: .common)
    return link
  }

  /// All outputs, the first one first.
  public var outputs: [Output] { groups.flatMap { $0.members.map(\.output) } }

  /// Shows layers of their own on one more display.
  ///
  /// - Parameters:
  ///   - display: where frames go; the engine adds it to the loop.
  ///   - root: the layer that fills the display, in no other tree.
  ///   - scale: pixels a point; nil for the display's.
  @discardableResult
  public func addOutput(display: any Display, root: Layer, scale: Double? = nil) -> Output {
    var group = OutputGroup(
      for: display, root: root, scale: scale, loop: loop, workers: workers, renderThreads: renderThreads,
      makeRenderer: makeRenderer)
    let output = group.addFirst(display)
    output.stretch.meter = threadMeter
    group.context.onNeedsCommit = { [weak self] in self?.needsCommit() }
    trail?.follow(group.context)
    groups.append(group)
    EnvironmentOverlays.show(on: output, of: self)
    followScreens()
    needsCommit()
    return output
  }

  /// Shows the layers of an output on one more display.
  ///
  /// The layers are laid out and drawn once, for the output that they belong to. The mirror shows them at its own rate, in its
  /// own size, and animations as they are at its own vblanks. It goes on when the output is removed, or its screen goes.
  ///
  /// - Parameters:
  ///   - output: nil for the engine's first; that of a mirror stands for what it mirrors.
  ///   - display: where frames go; the engine adds it to the loop.
  ///   - gravity: where the picture lies on a display of another size. What it leaves free is black.
  @discardableResult
  public func mirror(
    _ output: Output? = nil, on display: any Display, gravity: ContentsGravity = .resizeAspect
  ) -> Output {
    let index = output.map { output in groups.firstIndex { $0.shows(output) } } ?? groups.indices.first
    guard let index else {
      preconditionFailure("Engine: an output that is none of this engine's, or was removed, cannot be mirrored")
    }
    let mirror = groups[index].addMirror(on: display, gravity: gravity)
    mirror.stretch.meter = threadMeter
    EnvironmentOverlays.show(on: mirror, of: self)
    followScreens()
    // Its first frame needs a turn, also where it comes when this one is over, and no layer need change for it.
    loop.wakeUp()
    return mirror
  }

  /// Ends an output and lets go of its display. Mirrors of it go on, and the layers keep the size that they were laid out for;
  /// with the last output that shows them the layers are let go of too, as by `invalidate()`.
  public func remove(_ output: Output) {
    guard let index = groups.firstIndex(where: { $0.shows(output) }) else { return }
    groups[index].remove(output)
    if groups[index].members.isEmpty {
      groups[index].invalidate()
      groups.remove(at: index)
    }
    followScreens()
  }
}
