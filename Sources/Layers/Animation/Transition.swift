public import LinuxSystem
public import RenderTree

/// A change from the picture that a layer has on the screen, with all its sublayers, to the one that it has next.
///
/// ```swift
/// pages.add(Transition(.push, .fromRight, duration: .milliseconds(400)))
/// pages.replaceSublayer(first, with: second)
/// ```
///
/// It leaves the layer's properties alone: they have their new values at once. The old picture is that of the last commit, at the time
/// that was shown last, or the one in `from`; it stands still, and transitions of layers in it have come to their ends. A layer has
/// one transition at a time: it is always added under the key `transition`. In a group it has no effect.
public struct Transition: Animation {
  public var settings = AnimationSettings()
  public var type: TransitionType
  public var subtype: TransitionSubtype
  /// The part of the way at which it begins, in 0…1. 0 at first.
  public var startProgress = 0.0
  /// The part of the way at which it ends, in 0…1. 1 at first.
  public var endProgress = 1.0
  /// The picture that it leads from; nil, at first, for the one that the layer was shown with last.
  public var from: OldPicture?

  public var motion: AnimationMotion { AnimationMotion(form: .transition(self)) }

  /// - Parameter duration: nil for that of the transaction.
  public init(
    _ type: TransitionType = .fade, _ subtype: TransitionSubtype = .fromLeft, duration: Nanoseconds? = nil
  ) {
    (self.type, self.subtype) = (type, subtype)
    self.duration = duration
  }

  /// The key of every transition.
  static let key = "transition"

  func state(from old: OldPicture, at part: Double) -> LayerTransition {
    LayerTransition(
      old: old, type: type, subtype: subtype, progress: startProgress + (endProgress - startProgress) * part)
  }
}

extension Layer {
  /// The layer's picture as it was shown last; an empty one before its first commit.
  var oldPicture: OldPicture {
    guard let context, isCommitted else { return OldPicture() }
    return OldPicture(of: recordIndex, in: context.snapshot(at: context.times.current))
  }

  /// The layer's picture at a time, with all changes that were made so far; nil in no tree.
  func oldPicture(at time: MonotonicTime) -> OldPicture? {
    context?.commitChanges(at: time)
    guard let context, isCommitted else { return nil }
    return OldPicture(of: recordIndex, in: context.snapshot(at: time))
  }
}

extension OldPicture {
  /// The picture of a layer with all layers in it as they are at a time, for a transition from what was never on a screen.
  ///
  /// - Parameters:
  ///   - layer: in no tree, and no root of one. Its animations without a `beginTime` begin.
  ///   - time: of the display's clock.
  ///   - scale: pixels a point of the display that the picture is for.
  @MainActor
  public convenience init(of layer: Layer, at time: MonotonicTime = .zero, scale: Double = 1) {
    let context = LayerContext(root: layer, workers: WorkerPool(threads: 1), scale: scale)
    defer { context.invalidate() }
    context.commitChanges(at: time)
    self.init(of: layer.recordIndex, in: context.snapshot(at: time))
  }
}

extension LayerContext {
  /// Commits all changes at a time, and waits for the drawings that they need. Within a commit it does nothing.
  fileprivate func commitChanges(at time: MonotonicTime) {
    guard isDirty, !isCommitting else { return }
    _ = commit(at: time)
    guard pendingDrawings > 0 else { return }
    waitForDrawings()
    if publishFinishedDrawings() { _ = commit(at: time) }
  }
}

extension AnimatableValues {
  /// Shows a layer that is hidden now while it is in a transition, which then leads to no picture.
  mutating func settleTransition(_ flags: inout RenderRecord.Flags) {
    guard flags.contains(.hidden), rare.transition != nil else { return }
    rare.transition?.isNewHidden = true
    flags.remove(.hidden)
  }
}
