public import FrameTiming
public import Geometry
public import Input
public import Layers
package import LinuxSystem
public import RunLoops

/// Brings what people do at devices to layers: finds the layer below a finger, tells its responder, and lets gesture recognizers look.
///
/// ```swift
/// let router = InputRouter(screens: [.init(InputScreen(frame: engine.root.frame), root: engine.root)])
/// let input = try InputDevices(session: session) { router.receive($0) }
/// ```
///
/// Events are queued as they are read, with the movements of a turn in one, and delivered by a signalled source of the loop: to the responder of
/// the layer on which a contact began, wherever it goes. The gesture recognizers take them before the loop waits, before the commit. What arrives
/// while a frame is made belongs to the next turn.
@MainActor
public final class InputRouter {
  /// A screen and the layer that fills it.
  public struct Screen {
    public var screen: InputScreen
    public var root: Layer

    public init(_ screen: InputScreen, root: Layer) { (self.screen, self.root) = (screen, root) }
  }

  /// The screens. Set them when one is turned, comes or goes: all touches are cancelled then.
  public var screens: [Screen] {
    didSet {
      guard source != nil else { return }
      changeOfScreens += 1
      adopt(oldValue)
      tracker.setScreens(screens.map(\.screen), at: loop.clock.now) { queue.append($0) }
      signal()
      tellPointer()
      followers.tell()
    }
  }
  /// Gets what no responder of a layer answers, and the touches of layers without one.
  public var lastResponder: Responder? {
    didSet { keys.lastResponder = lastResponder }
  }
  /// Gives keys their characters; nil to deliver no keys. Keys that are held are cancelled for another one.
  ///
  /// One that is never set is nil until the first key comes to a responder, or a panel is to be shown, and then the machine's:
  /// `try Keyboard(layout: .automatic(), sequences: try? .automatic())`.
  ///
  /// ```swift
  /// let german = try KeyboardLayout.automatic(KeyboardLayout.Names(layout: "de"))
  /// router.keyboard = try Keyboard(layout: german, sequences: try? .automatic())
  /// router.onLEDs = { input.leds = $0 }
  /// ```
  public var keyboard: Keyboard? {
    get { nextKeyboards.last ?? keys.keyboard }
    set {
      // Keys that wait to be delivered were typed on the one before.
      let isAtOnce = queue.isEmpty && nextKeyboards.isEmpty
      nextKeyboards.append(newValue)
      if isAtOnce { return changeKeyboard() }
      queue.append(ScreenEvent(time: now, screen: 0, device: .init(rawValue: 0), action: .keyboardChanged))
      signal()
    }
  }
  /// The repetition of the key that is held; nil for none.
  public var keyRepeat: KeyRepeat? {
    get { keys.keyRepeat }
    set { keys.keyRepeat = newValue }
  }
  /// Called with the lamps that the keyboard's state asks for.
  public var onLEDs: (@MainActor (KeyboardLEDs) -> Void)? {
    get { keys.onLEDs }
    set { keys.onLEDs = newValue }
  }
  /// Called when keys ask for another session: Control, Alt and a function key, by the keyboard's layout. Nil, as at first, to stay in front
  /// whatever is pressed.
  ///
  /// ```swift
  /// router.onSessionRequest = { try? session.switchSession(to: $0) }
  /// ```
  ///
  /// While another session has the seat there are no devices: touches and keys that are down are cancelled, and what is down when the seat
  /// is back is not known, so that it types nothing.
  public var onSessionRequest: (@MainActor (Int) -> Void)? {
    get { keys.onSession }
    set { keys.onSession = newValue }
  }
  /// Keys on the screen, for text where there is no other keyboard.
  public weak var keyboardPanel: (any KeyboardPanel)? {
    willSet { if newValue !== keyboardPanel { panels.hide(keyboardPanel) } }
    didSet { updatePanel() }
  }
  /// When the panel is shown; `whenNeeded` at first.
  public var keyboardPanelUse: KeyboardPanelUse {
    get { panels.use }
    set {
      panels.use = newValue
      updatePanel()
    }
  }
  /// Called with the text that people write in, for an input method, when it changes; nil for none. See `compose(_:)`.
  public var onTextInput: (@MainActor (TextInputState?) -> Void)? {
    didSet {
      toldTextInput = firstResponder?.textInputState
      onTextInput?(toldTextInput)
    }
  }
  var toldTextInput: TextInputState?
  /// The responder to which keys go; nil for none. It ends to be that when its layer leaves the tree.
  public var firstResponder: Responder? { keys.firstResponder }

  /// Reads what devices have sent and the loop has not come to: called before a gesture is decided by the time alone, so that after a busy
  /// moment a tap whose end waits to be read is no long press. `{ input.read() }` for `InputDevices`.
  public var readWaiting: (@MainActor () -> Void)?
  /// The stack of modes onto which dragging pushes `.tracking`; nil to stay in the mode that runs. An engine sets its own.
  public var modes: FrameLoop.ModeStack?
  /// Makes links that tick with the display of a root layer; nil for content that jumps where it would move. An engine sets it.
  public var makeLink: (@MainActor (_ root: Layer, _ handler: @escaping @MainActor (DisplayLink) -> Void) -> DisplayLink?)?
  /// The time for which what is seen on a screen of an index was evaluated, so that layers that move are hit where they are seen; nil for where
  /// they will be. An engine sets it.
  package var shownTime: (@MainActor (_ screen: Int) -> MonotonicTime?)?
  /// Called before each event is delivered with its time: of movements that are one event, with that of the first.
  package var onDelivery: (@MainActor (MonotonicTime) -> Void)?

  /// Called with the place at which the pointer is to be seen from now on; nil for none.
  package var onPointer: (@MainActor (VisiblePointer?) -> Void)?
  /// The place that `onPointer` was told last.
  package private(set) var shownPointer: VisiblePointer?

  /// Counts the changes of `screens`: a link with a display may be at its end after one.
  private(set) var changeOfScreens = 0
  var followers = ScreenFollowers()
  let loop: FrameLoop
  private var tracker: ContactTracker
  private var deliveryTime = DeliveryTime()
  private var queue = InputQueue()
  /// An empty queue with the memory of an earlier one.
  private var spare = InputQueue()
  private var touches: [Contact.ID: Touch] = [:]
  private let keys: KeyRouter
  /// The keyboards that take over when the events before them are delivered.
  private var nextKeyboards: [Keyboard?] = []
  private let panels = PanelState()
  private var hovered: Responder?
  /// The responders that fingers on a touchpad scroll, or make a gesture over, until they are lifted.
  private var scrolled: [InputDevice.ID: Responder] = [:]
  private var gestured: [InputDevice.ID: Responder] = [:]
  private var items: [any FrameLoop.Item] = []
  private var source: FrameLoop.Source?
  private let alarm = FrameLoop.Alarm(.onMain {})
  private lazy var arbiter = GestureArbiter(
    isInTree: { [weak self] in $0.router === self }, cancelTouch: { [weak self] in self?.takeTouch($0) })

  /// - Parameters:
  ///   - screens: those on which devices may lie. Their roots must not be those of another router.
  ///   - loop: the main loop. Events are delivered in its common modes.
  public init(screens: [Screen], loop: FrameLoop = .main) {
    (self.screens, self.loop, keys) = (screens, loop, KeyRouter(loop))
    tracker = ContactTracker(screens: screens.map(\.screen))
    adopt([])
    let source = FrameLoop.Source(.onMain { [weak self] _ in self?.measure { $0.deliver() } })
    let gestures = FrameLoop.Observer(
      [.beforeWaiting, .exit], order: ObserverOrder.gestures, evenWhenBusy: true,
      .onMain { [weak self] _, _ in self?.handleGestures() })
    self.source = source
    items = [source, alarm, gestures]
    // Made now, as it refers weakly to this router, which one that is being deallocated cannot.
    _ = arbiter
    loop.add(source, to: .common)
    loop.add(alarm, to: .common)
    loop.add(gestures, to: .common)
  }

  isolated deinit { invalidate() }

  /// Takes an event of a device. Its delivery follows in the loop's next pass.
  public func receive(_ event: InputEvent) {
    guard source != nil else { return }
    tracker.handle(event) { queue.append($0) }
    signal()
    if panels.note(event) { updatePanel() }
  }

  /// Cancels all touches and gestures, as when another session takes the displays.
  public func cancelAll() {
    tracker.cancelAll(at: loop.clock.now) { queue.append($0) }
    signal()
  }

  /// Ends the delivery, after all touches, gestures and keys were cancelled.
  public func invalidate() {
    guard source != nil else { return }
    tracker.cancelAll(at: loop.clock.now) { queue.append($0) }
    deliver()
    arbiter.handle(at: loop.clock.now)
    arbiter.cancelAll()
    setFirstResponder(nil)
    source = nil
    if exchange(&shownPointer, with: nil) != nil { onPointer?(nil) }
    for item in items { item.invalidate() }
    items = []
    keys.invalidate()
    for screen in screens where screen.root.interaction?.router === self { screen.root.setRouter(nil) }
    followers.tell()
  }

  /// The pointer's place among the frames of the screens; nil before it moved, and while fingers are used. An engine hides one that rests.
  public var visiblePointer: Point? { tracker.visiblePointer?.point }

  var now: MonotonicTime { loop.clock.now }

  func makeDisplayLink(for layer: Layer?, _ handler: @escaping @MainActor (DisplayLink) -> Void) -> DisplayLink? {
    layer.flatMap { makeLink?($0.top, handler) }
  }

  @discardableResult
  func setFirstResponder(_ responder: Responder?) -> Bool {
    defer {
      updatePanel()
      tellTextInput()
    }
    return keys.setFirstResponder(responder)
  }

  private func updatePanel() {
    let takesText = keys.firstResponder?.takesText ?? false
    if takesText, keyboardPanel != nil { keys.requireKeyboard() }
    panels.update(keyboardPanel, takesText: takesText, keyboard: keys.keyboard)
  }

  private func adopt(_ old: [Screen]) {
    for screen in old where screen.root.interaction?.router === self { screen.root.setRouter(nil) }
    for screen in screens { screen.root.setRouter(self) }
  }

  private func signal() {
    guard !queue.isEmpty, let source else { return }
    source.signal()
    loop.wakeUp()
  }

  // MARK: Time

  /// A turn of the loop begins, whose delivery `takeDeliveryTime(at:)` tells.
  package func beginTurn() { deliveryTime.beginTurn() }

  /// How long responders and gesture recognizers were told of input, and what they did about it, since the last call or since the turn began.
  package func takeDeliveryTime(at time: MonotonicTime) -> Nanoseconds { deliveryTime.take(at: time) }

  private func measure(_ delivery: (InputRouter) -> Void) {
    deliveryTime.begin(at: loop.clock.now)
    delivery(self)
    deliveryTime.end(at: loop.clock.now)
  }

  // MARK: Delivery

  func deliver() {
    // A responder may run the loop, which delivers what has come meanwhile.
    var batch = exchange(&queue, with: exchange(&spare, with: InputQueue()))
    batch.forEach { event, history, since in
      guard source != nil else { return }
      onDelivery?(since)
      deliver(event, history)
    }
    batch.removeAll()
    spare = batch
    tellPointer()
  }

  private func tellPointer() {
    let pointer = source == nil ? nil : tracker.visiblePointer
    guard pointer != shownPointer else { return }
    shownPointer = pointer
    onPointer?(pointer)
  }

  private func deliver(_ event: ScreenEvent, _ history: ContactHistory) {
    switch event.action {
    case .contact(let contact, let kind, _):
      if contact.phase == .began { begin(contact, kind, event) }
      if let touch = touches[contact.id] { deliver(contact, history, to: touch) }
    case .hover(let point):
      let responder = responder(at: point, event)
      if responder !== hovered { exchange(&hovered, with: responder)?.hoverEnded() }
      responder?.hovered(at: point)
    case .hoverEnded: exchange(&hovered, with: nil)?.hoverEnded()
    case .scroll(let scroll, let point):
      let target = scrolled[event.device] ?? responder(at: point, event)
      if case .fingers = scroll { scrolled[event.device] = target } else { scrolled[event.device] = nil }
      target?.scrolled(scroll, at: point, time: event.time)
    case .gesture(let gesture, let point):
      let target = gestured[event.device] ?? responder(at: point, event)
      gestured[event.device] = gesture == .ended || gesture == .cancelled ? nil : target
      target?.touchpadGesture(gesture, at: point, time: event.time)
    case .key(let code, let isDown):
      keys.handle(code, isDown: isDown, of: event.device, at: event.time)
      updatePanel()
    case .modifiers(let state): keys.setModifiers(state, at: event.time)
    case .keysReleased:
      keys.release(event.device, at: event.time)
      updatePanel()
    case .keyboardChanged: changeKeyboard()
    }
  }

  private func changeKeyboard() {
    if !nextKeyboards.isEmpty { keys.keyboard = nextKeyboards.removeFirst() }
    updatePanel()
  }

  /// The layer that is seen at a point of an event's screen.
  private func layer(at point: Point, _ event: ScreenEvent) -> Layer? {
    guard screens.indices.contains(event.screen) else { return nil }
    let root = screens[event.screen].root
    return shownTime?(event.screen).map { root.hitTest(point, at: $0) } ?? root.hitTest(point)
  }

  private func responder(at point: Point, _ event: ScreenEvent) -> Responder? {
    layer(at: point, event)?.nearestResponder ?? lastResponder
  }

  private func begin(_ contact: Contact, _ kind: ContactKind, _ event: ScreenEvent) {
    guard let layer = layer(at: contact.location, event) else { return }
    let touch = Touch(contact, kind: kind, device: event.device, layer: layer, clock: loop.clock)
    touch.responder = layer.nearestResponder ?? lastResponder
    touches[contact.id] = touch
    var lookers: [AnyGestureRecognizer] = []
    var next: Layer? = layer
    while let layer = next {
      lookers += layer.gestureRecognizers.filter { $0.takes(touch) }
      next = layer.superlayer
    }
    arbiter.begin(contact, lookers)
  }

  private func deliver(_ contact: Contact, _ history: ContactHistory, to touch: Touch) {
    touch.phase = contact.phase
    touch.previousLocation = touch.location
    (touch.location, touch.time) = (contact.location, contact.time)
    touch.history.removeAll(keepingCapacity: true)
    for sample in history {
      touch.add(sample)
      arbiter.add(sample.contact)
    }
    if contact.phase == .ended || contact.phase == .cancelled { touches[contact.id] = nil }
    if touch.layer?.router !== self { takeTouch(touch) }
    guard let responder = touch.responder else { return }
    switch contact.phase {
    case .began: responder.touchBegan(touch)
    case .moved: responder.touchMoved(touch)
    case .ended: responder.touchEnded(touch)
    case .cancelled: responder.touchCancelled(touch)
    }
  }

  private func takeTouch(_ id: Contact.ID) {
    if let touch = touches[id] { takeTouch(touch) }
  }

  /// A gesture took the touch, or its layer is gone: its responder is told, and hears no more of it. Gestures go on with the contact.
  private func takeTouch(_ touch: Touch) {
    guard let responder = exchange(&touch.responder, with: nil) else { return }
    touch.phase = .cancelled
    responder.touchCancelled(touch)
  }

  // MARK: Gestures

  private func handleGestures() {
    takeTouchesOfGoneLayers()
    if let first = keys.firstResponder, first.layer?.router !== self { setFirstResponder(nil) }
    if arbiter.isIdle { return }
    measure { $0.decideGestures() }
  }

  private func decideGestures() {
    if let deadline = arbiter.deadline, deadline <= loop.clock.now, let readWaiting {
      readWaiting()
      deliver()
    }
    arbiter.handle(at: loop.clock.now)
    alarm.fireTime = arbiter.deadline
    takeTouchesOfGoneLayers()
  }

  private func takeTouchesOfGoneLayers() {
    func isGone(_ touch: Touch) -> Bool { touch.responder != nil && touch.layer?.router !== self }
    guard touches.values.contains(where: isGone) else { return }
    for touch in touches.values.filter(isGone).sorted(by: { $0.id.rawValue < $1.id.rawValue }) { takeTouch(touch) }
  }
}

extension AnyGestureRecognizer {
  fileprivate func takes(_ touch: Touch) -> Bool {
    guard isEnabled else { return false }
    if case .pointer(let pressed) = touch.kind, pressed != button { return false }
    return delegate?.gestureRecognizer(self, shouldReceive: touch) ?? true
  }
}
