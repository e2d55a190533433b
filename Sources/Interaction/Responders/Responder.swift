public import Geometry
public import Input
public import Layers
public import LinuxSystem

/// Answers what people do at a layer. What it does not answer goes up to the next responder, as along UIKit's responder chain.
///
/// ```swift
/// final class Key: Responder {
///   override func touchBegan(_ touch: Touch) { layer?.backgroundColor = .white }
///   override func touchEnded(_ touch: Touch) { layer?.backgroundColor = .black }
///   override func touchCancelled(_ touch: Touch) { touchEnded(touch) }
/// }
/// keyLayer.responder = Key()
/// ```
///
/// All methods are called on the main thread, before the turn's commit. Each passes the event on to `next` unless it is overridden.
@MainActor
open class Responder {
  /// The layer whose responder this is.
  public internal(set) weak var layer: Layer?

  public init() {}

  /// The responder that gets what this one does not answer: that of the nearest layer above, and after all of them the router's last one.
  open var next: Responder? {
    if let above = layer?.superlayer?.nearestResponder { return above }
    return layer?.router?.lastResponder.flatMap { $0 === self ? nil : $0 }
  }

  /// A contact began on the layer, or on one in it that has no responder.
  open func touchBegan(_ touch: Touch) { next?.touchBegan(touch) }
  /// The contact moved; movements of a turn come as one, see `Touch.history`.
  open func touchMoved(_ touch: Touch) { next?.touchMoved(touch) }
  open func touchEnded(_ touch: Touch) { next?.touchEnded(touch) }
  /// A gesture took the touch, the layer left the tree, or the device went away: what the touch began is to be taken back.
  open func touchCancelled(_ touch: Touch) { next?.touchCancelled(touch) }

  /// True for a responder that keys may go to, such as a text field. False by default.
  open var canBecomeFirstResponder: Bool { false }
  /// True for a responder that people type text into: while it is the first one, keys are shown on the screen if there are no others, see
  /// `InputRouter.keyboardPanel`. False by default.
  open var takesText: Bool { false }
  /// The text that people write in, for an input method; nil, as by default, for a responder that takes none. Tell the router of another state
  /// by `textInputChanged()`.
  open var textInputState: TextInputState? { nil }
  /// An input method took a step in the text. Nothing happens by default.
  open func compose(_ step: TextComposition) {}
  /// Tells the input method of another `textInputState`.
  public func textInputChanged() {
    if isFirstResponder { layer?.router?.tellTextInput() }
  }
  /// A key went down or up while this is the first responder, or while one below it is that does not answer the key.
  open func keyChanged(_ key: KeyEvent) { next?.keyChanged(key) }
  /// Keys go to this responder from now on, or no longer.
  open func becameFirstResponder() {}
  open func resignedFirstResponder() {}

  /// Lets keys go to this responder.
  ///
  /// - Returns: false if it can not become the first responder, or its layer is in no tree with a router.
  @discardableResult
  public func becomeFirstResponder() -> Bool { layer?.router?.setFirstResponder(self) ?? false }
  /// Lets keys go to nobody, if they went to this responder.
  public func resignFirstResponder() {
    if isFirstResponder { layer?.router?.setFirstResponder(nil) }
  }
  public var isFirstResponder: Bool { layer?.router?.firstResponder === self }

  /// The pointer, or a pen above its tablet, is over the layer, at this point of the output.
  open func hovered(at point: Point) { next?.hovered(at: point) }
  /// The pointer is over another layer, or over none.
  open func hoverEnded() { next?.hoverEnded() }
  /// A wheel or fingers on a touchpad scrolled over the layer, at this point of the output.
  open func scrolled(_ scroll: InputEvent.Scroll, at point: Point, time: MonotonicTime) {
    next?.scrolled(scroll, at: point, time: time)
  }
  /// A touchpad recognised a gesture over the layer.
  open func touchpadGesture(_ gesture: InputEvent.TouchpadGesture, at point: Point, time: MonotonicTime) {
    next?.touchpadGesture(gesture, at: point, time: time)
  }
}
