/// The answer to a change of a layer: the animation that begins by itself, if any.
public enum LayerAction: Sendable {
  /// Nothing: the change is seen at once. It ends the search for an action, as `NSNull` does in Core Animation.
  case null
  /// A movement from the value on screen to the new one, with the transaction's duration and timing function, and without
  /// one there `TimingFunction.default`.
  case implicit
  /// This animation. The transaction fills in what it leaves open; a missing `from` is the value on screen.
  case animation(any Animation)
}

/// Actions that several layers share.
///
/// ```swift
/// let still = LayerStyle(actions: [.position: .null, .bounds: .null])
/// for tile in tiles { tile.style = still }
/// ```
public final class LayerStyle: Sendable {
  public let actions: [AnimatableProperty: LayerAction]
  /// Asked for the actions that this one does not have.
  public let base: LayerStyle?

  public init(actions: [AnimatableProperty: LayerAction], base: LayerStyle? = nil) {
    self.actions = actions
    self.base = base
  }

  func action(forKey property: AnimatableProperty) -> LayerAction? {
    actions[property] ?? base?.action(forKey: property)
  }
}

/// Events of a layer, for which actions are looked for as for changes of properties.
extension AnimatableProperty {
  /// The list of sublayers changed, or their order.
  public static let sublayers = AnimatableProperty(rawValue: "sublayers")
  /// The layer came into another one.
  public static let onOrderIn = AnimatableProperty(rawValue: "onOrderIn")
  /// The layer was removed from another one.
  public static let onOrderOut = AnimatableProperty(rawValue: "onOrderOut")
  /// The layer has another mask.
  public static let mask = AnimatableProperty(rawValue: "mask")
  /// `isHidden` changed.
  public static let hidden = AnimatableProperty(rawValue: "hidden")
  public static let masksToBounds = AnimatableProperty(rawValue: "masksToBounds")
  /// The layer was laid out.
  public static let onLayout = AnimatableProperty(rawValue: "onLayout")
}

extension Layer {
  /// The action that a change of the property begins: the delegate's, else the one in `actions`, in `style`, or of
  /// `defaultAction(forKey:)`, where `null` ends the search. Where none of these knows one, `implicit` if the layer has been
  /// committed; a colour of the background does not animate from none at all, and contents, paths and events have nothing by default. Nil for none.
  ///
  /// A change of a property asks for it before it is made, while the property still has its old value. `hidden`, `masksToBounds`,
  /// `mask`, `sublayers`, `onOrderIn`, `onOrderOut` and `onLayout` are asked for after the change.
  public func action(forKey property: AnimatableProperty) -> LayerAction? {
    let found =
      delegate?.action(for: self, forKey: property) ?? actions?[property] ?? style?.action(forKey: property)
      ?? Self.defaultAction(forKey: property) ?? ownAction(forKey: property)
    if case .null? = found { return nil }
    return found
  }

  /// The action of a property for which nobody gives one.
  private func ownAction(forKey property: AnimatableProperty) -> LayerAction? {
    guard isCommitted else { return nil }
    return switch property {
    case .contents, .path, .shadowPath, .hidden, .masksToBounds, .sublayers, .mask, .onOrderIn, .onOrderOut, .onLayout: nil
    case .backgroundColor where backgroundColor == nil: nil
    default: .implicit
    }
  }

  /// True if changes may begin animations: a layer without a committed picture shows them at once.
  var runsActions: Bool { isCommitted && context != nil && !Transaction.disablesActions }

  /// The animation of a change of a property that is about to be made, with what is on screen before it; nil for none.
  func animation<Value>(forChangeOf key: AnimatableKey<Value>) -> (animation: any Animation, shown: ShownValues)? {
    switch action(forKey: key.property) {
    case .null?, nil:
      return nil
    case .animation(let animation)?:
      return (animation, shownValues(withVelocity: animation.motion.keepsVelocity, speed: animation.speed))
    case .implicit?:
      guard let spring = Transaction.animationSpring else {
        let shown = shownValues(withVelocity: false)
        return (BasicAnimation(key, from: shown.now[key], fillMode: .backwards), shown)
      }
      var animation = SpringAnimation(key, spring: spring)
      (animation.keepsVelocity, animation.fillMode) = (true, .backwards)
      return (animation, shownValues(withVelocity: true))
    }
  }

  /// Begins the action of an event, if there is one.
  func run(_ event: AnimatableProperty) {
    guard case .animation(let animation)? = action(forKey: event) else { return }
    add(animation, forKey: event.rawValue, defaultTiming: .default, from: shownValues(for: animation))
  }

  /// Begins the actions of a change of `sublayers`, or of the mask.
  func runTreeActions(for event: AnimatableProperty = .sublayers, removed: Layer? = nil, added: Layer? = nil) {
    guard runsActions else { return }
    run(event)
    removed?.run(.onOrderOut)
    added?.run(.onOrderIn)
  }
}
