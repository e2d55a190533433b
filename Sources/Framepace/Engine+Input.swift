public import Interaction
import Presentation
import RunLoops

extension Engine {
  /// Brings input to the layers of all displays, which lie beside each other from left to right, in the order of `outputs`.
  ///
  /// ```swift
  /// let input = try InputDevices(session: session) { engine.inputRouter.receive($0) }
  /// input.add(to: .main, mode: .common)
  /// engine.inputRouter.readWaiting = { input.read() }
  /// ```
  ///
  /// The first use makes it. It follows the displays: one that is turned takes the touches with it. The latency of its events is in the figures,
  /// see `inputArrived(at:)`.
  public var inputRouter: InputRouter {
    if let router { return router }
    let made = InputRouter(screens: inputScreens, loop: loop)
    // An engine that was invalidated has no layers to bring anything to.
    if groups.isEmpty { made.invalidate() }
    made.onPointer = { [weak self] _ in self?.pointerWasUsed() }
    let alarm = FrameLoop.Alarm(
      tolerance: .milliseconds(100),
      .onMain { [weak self] in
        self?.isPointerResting = true
        self?.showPointer()
      })
    if !groups.isEmpty { loop.add(alarm, to: .common) }
    pointerAlarm = alarm
    made.onDelivery = { [weak self] in self?.inputArrived(at: $0) }
    made.shownTime = { [weak self] screen in
      guard let outputs = self?.outputs, outputs.indices.contains(screen) else { return nil }
      return outputs[screen].shownTime
    }
    made.modes = modes
    made.makeLink = { [weak self] root, handler in
      guard let self, let output = groups.first(where: { $0.context.root === root })?.members.first?.output else {
        return nil
      }
      return makeDisplayLink(for: output, handler: handler)
    }
    router = made
    followScreens()
    return made
  }

  private var inputScreens: [InputRouter.Screen] {
    groups.reduce(into: []) { screens, group in screens += group.inputScreens(from: screens.last?.screen.frame.maxX ?? 0) }
  }

  /// Tells the router of the displays as they are now, and from now on. Called whenever one comes or goes.
  func followScreens() {
    guard router != nil else { return }
    updateScreens()
    screenObservations = outputs.map { output in
      output.display.observe { [weak self] event in
        guard case .geometryChanged = event, let self else { return }
        updateScreens()
      }
    }
  }

  private func updateScreens() {
    guard let router else { return }
    let screens = inputScreens
    show(nil)
    pointerScreens = zip(outputs, screens).map { PointerScreen($0.display, screen: $1.screen) }
    router.screens = screens
    showPointer()
  }

  // MARK: Pointer

  /// The pointer moved, clicked or scrolled, or is not to be seen any more.
  func pointerWasUsed() {
    isPointerResting = false
    let mayRest = router?.shownPointer.map { !$0.isPressed } ?? false
    pointerAlarm?.fireTime = mayRest ? pointerHideDelay.map { loop.clock.now + $0 } : nil
    showPointer()
  }

  /// Shows the pointer on its display, and on no other, until it has rested.
  func showPointer() { show(isPointerResting ? nil : router?.shownPointer) }

  private func show(_ pointer: VisiblePointer?) {
    for index in pointerScreens.indices {
      pointerScreens[index].show(pointer?.screen == index ? pointer?.point : nil, pointerPicture)
    }
  }
}
