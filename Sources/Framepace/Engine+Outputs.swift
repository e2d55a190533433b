public import Layers
public import Presentation

// Further displays beside the first.
//
// Each has its own ticks, frames and buffers: one whose flips stop keeps no other waiting. All share the main thread, on which
// their frames are composited one after the other.

extension Engine {
  /// All outputs, the first one first.
  public var outputs: [Output] { groups.flatMap { $0.members.map(\.output) } }

  /// Shows layers of their own on one more display.
  ///
  /// - Parameters:
  ///   - display: where frames go; the engine adds it to the loop.
  ///   - root: the layer that fills the display, in no other tree.
  ///   - scale: pixels a point.
  @discardableResult
  public func addOutput(display: any Display, root: Layer, scale: Double = 1) -> Output {
    var group = OutputGroup(root: root, scale: scale, loop: loop, workers: workers)
    let output = group.addFirst(display)
    group.context.onNeedsCommit = { [weak self] in self?.needsCommit() }
    groups.append(group)
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
    needsCommit()
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
  }
}
