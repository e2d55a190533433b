public import RenderTree

/// A change from the picture that a layer has on the screen, with all its sublayers, to the one that it has next.
///
/// ```swift
/// var push = Transition(.push, .fromRight)
/// push.duration = .milliseconds(400)
/// pages.add(push)
/// pages.replaceSublayer(first, with: second)
/// ```
///
/// It leaves the layer's properties alone: they have their new values at once. The old picture is that of the last commit, at the time
/// that was shown last; it stands still, and transitions of layers in it have come to their ends. A layer has one transition at a time: it is always added under the key `transition`. In a
/// group it has no effect.
public struct Transition: Animation {
  public var settings = AnimationSettings()
  public var type: TransitionType
  public var subtype: TransitionSubtype
  /// The part of the way at which it begins, in 0…1. 0 at first.
  public var startProgress = 0.0
  /// The part of the way at which it ends, in 0…1. 1 at first.
  public var endProgress = 1.0

  public var motion: AnimationMotion { AnimationMotion(form: .transition(self)) }

  public init(_ type: TransitionType = .fade, _ subtype: TransitionSubtype = .fromLeft) {
    (self.type, self.subtype) = (type, subtype)
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
    return OldPicture(of: recordIndex, in: context.snapshot(at: context.currentTime))
  }
}

extension AnimatableValues {
  /// Lets a transition be seen in a layer that is hidden now: it leads to no picture.
  mutating func settleTransition(_ flags: inout RenderRecord.Flags) {
    guard flags.contains(.hidden), rare.transition != nil else { return }
    rare.transition?.isNewHidden = true
    flags.remove(.hidden)
  }
}
