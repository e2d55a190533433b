import Layers

extension Responder {
  /// Lets keys go to the next responder that takes them, in the order of the tree: at its end from the beginning. Those of layers that hit tests
  /// do not find are passed over.
  ///
  /// - Returns: false if there is no other.
  @discardableResult
  public func moveFocus(_ direction: TextDirection) -> Bool {
    guard let layer, layer.router != nil else { return false }
    var responders: [Responder] = []
    layer.top.collectFocus(&responders, also: self)
    guard responders.count > 1, let own = responders.firstIndex(where: { $0 === self }) else { return false }
    let step = direction == .forward ? 1 : responders.count - 1
    return responders[(own + step) % responders.count].becomeFirstResponder()
  }
}

extension Layer {
  /// Adds the responders that can be the first one, and `current`, which may be on a hidden layer.
  fileprivate func collectFocus(_ responders: inout [Responder], also current: Responder) {
    collectFocus(&responders, also: current, isSeen: true)
  }

  private func collectFocus(_ responders: inout [Responder], also current: Responder, isSeen: Bool) {
    let isSeen = isSeen && !isHidden && opacity > 0.01 && isInteractionEnabled
    if let responder, responder === current || isSeen && responder.canBecomeFirstResponder { responders.append(responder) }
    for layer in sublayers { layer.collectFocus(&responders, also: current, isSeen: isSeen) }
  }
}
