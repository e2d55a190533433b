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
      adopt(oldValue)
      tracker.setScreens(screens.map(\.screen), at: loop.clock.now) { queue.append($0) }
      signal()
    }
  }
  /// Gets what no responder of a layer answers, and the touches of layers without one.
  public var lastResponder: Responder? {
    didSet { keys.lastResponder = lastResponder }
  }
  /// Gives keys their characters; nil, as at first, to deliver no keys. Keys that are held are cancelled for another one.
  ///
  /// ```swift
  /// router.keyboard = try Keyboard(layout: .automatic(), sequences: .automatic())
  /// router.onLEDs = { input.leds = $0 }
  /// ```
  public var keyboard: Keyboard? {
    get { keys.keyboard }
    set { keys.keyboard = newValue }
  }
  /// Called with the lamps that the keyboard's state asks for.
  public var onLEDs: (@MainActor (KeyboardLEDs) -> Void)? {
    get { keys.onLEDs }
    set { keys.onLEDs = newValue }
  }
  /// The responder to which keys go; nil for none. It ends to be that when its layer leaves the tree.
  public var firstResponder: Responder? { keys.firstResponder }

  /// The stack of modes onto which dragging pushes `.tracking`; nil to stay in the mode that runs. An engine sets its own.
  public var modes: FrameLoop.ModeStack?
  /// Makes links that tick with the display of a root layer; nil for content that jumps where it would move. An engine sets it.
  public var makeLink: (@MainActor (_ root: Layer, _ handler: @escaping @MainActor (DisplayLink) -> Void) -> DisplayLink?)?
  /// Called with the time of each event before it is delivered.
  package var onDelivery: (@MainActor (MonotonicTime) -> Void)?

  private let loop: FrameLoop
  private var tracker: ContactTracker
  private var queue = InputQueue()
  private var delivered = InputQueue()
  private var touches: [Contact.ID: Touch] = [:]
  private let keys: KeyRouter
  private var hovered: Responder?
  /// The responder that fingers on a touchpad scroll until they are lifted.
  private var scrolled: Responder?
  private var items: [any FrameLoop.Item] = []
  private var source: FrameLoop.Source?
  private var alarm: FrameLoop.Alarm?
  private lazy var arbiter = GestureArbiter { [weak self] id in self?.takeTouch(id) }

  /// - Parameters:
  ///   - screens: those on which devices may lie. Their roots must not be those of another router.
  ///   - loop: the main loop. Events are delivered in its common modes.
  public init(screens: [Screen], loop: FrameLoop = .main) {
    (self.screens, self.loop, keys) = (screens, loop, KeyRouter(loop))
    tracker = ContactTracker(screens: screens.map(\.screen))
    adopt([])
    let source = FrameLoop.Source(.onMain { [weak self] _ in self?.deliver() })
    let alarm = FrameLoop.Alarm(.onMain {})
    let gestures = FrameLoop.Observer(
      [.beforeWaiting, .exit], order: ObserverOrder.gestures, evenWhenBusy: true,
      .onMain { [weak self] _, _ in self?.handleGestures() })
    (self.source, self.alarm) = (source, alarm)
    items = [source, alarm, gestures]
    loop.add(source, to: .common)
    loop.add(alarm, to: .common)
    loop.add(gestures, to: .common)
  }

  isolated deinit { invalidate() }

  /// Takes an event of a device. Its delivery follows in the loop's next pass.
  public func receive(_ event: InputEvent) {
    tracker.handle(event) { queue.append($0) }
    signal()
  }

  /// Cancels all touches and gestures, as when another session takes the displays.
  public func cancelAll() {
    tracker.cancelAll(at: loop.clock.now) { queue.append($0) }
    signal()
  }

  /// Ends the delivery. Touches are not cancelled.
  public func invalidate() {
    for item in items { item.invalidate() }
    items = []
    keys.invalidate()
    for screen in screens where screen.root.interaction?.router === self { screen.root.setRouter(nil) }
  }

  /// The pointer's place among the frames of the screens; nil while it is not to be seen.
  public var visiblePointer: Point? { tracker.isPointerVisible ? tracker.pointer : nil }

  var now: MonotonicTime { loop.clock.now }

  func makeDisplayLink(for layer: Layer?, _ handler: @escaping @MainActor (DisplayLink) -> Void) -> DisplayLink? {
    layer.flatMap { makeLink?($0.top, handler) }
  }

  @discardableResult
  func setFirstResponder(_ responder: Responder?) -> Bool { keys.setFirstResponder(responder) }

  private func adopt(_ old: [Screen]) {
    for screen in old where screen.root.interaction?.router === self { screen.root.setRouter(nil) }
    for screen in screens { screen.root.setRouter(self) }
  }

  private func signal() {
    guard !queue.isEmpty, let source else { return }
    source.signal()
    loop.wakeUp()
  }

  // MARK: Delivery

  private func deliver() {
    swap(&queue, &delivered)
    delivered.forEach { event, history in deliver(event, history) }
    delivered.removeAll()
  }

  private func deliver(_ event: ScreenEvent, _ history: ContactHistory) {
    guard screens.indices.contains(event.screen) else { return }
    onDelivery?(event.time)
    let root = screens[event.screen].root
    switch event.action {
    case .contact(let contact, let kind, _):
      if contact.phase == .began { begin(contact, kind, event.device, root) }
      if let touch = touches[contact.id] { deliver(contact, history, to: touch) }
    case .hover(let point):
      let responder = responder(at: point, root)
      if responder !== hovered { exchange(&hovered, with: responder)?.hoverEnded() }
      responder?.hovered(at: point)
    case .hoverEnded: exchange(&hovered, with: nil)?.hoverEnded()
    case .scroll(let scroll, let point):
      let responder = scrolled ?? responder(at: point, root)
      switch scroll {
      case .fingers: scrolled = responder
      case .fingersEnded: scrolled = nil
      case .wheel, .continuous: break
      }
      responder?.scrolled(scroll, at: point, time: event.time)
    case .gesture(let gesture, let point):
      responder(at: point, root)?.touchpadGesture(gesture, at: point, time: event.time)
    case .key(let code, let isDown): keys.handle(code, isDown: isDown, of: event.device, at: event.time)
    case .keysReleased: keys.release(event.device, at: event.time)
    }
  }

  private func responder(at point: Point, _ root: Layer) -> Responder? {
    root.hitTest(point)?.nearestResponder ?? lastResponder
  }

  private func begin(_ contact: Contact, _ kind: ContactKind, _ device: InputDevice.ID, _ root: Layer) {
    guard let layer = root.hitTest(contact.location) else { return }
    let touch = Touch(contact, kind: kind, device: device, layer: layer)
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
      touch.history.append(sample)
      touch.pressure = sample.pressure ?? touch.pressure
      arbiter.add(sample.contact)
    }
    if contact.phase == .ended || contact.phase == .cancelled { touches[contact.id] = nil }
    guard let responder = touch.responder else { return }
    switch contact.phase {
    case .began: responder.touchBegan(touch)
    case .moved: responder.touchMoved(touch)
    case .ended: responder.touchEnded(touch)
    case .cancelled: responder.touchCancelled(touch)
    }
  }

  /// A gesture took the touch: its responder is told, and hears no more of it.
  private func takeTouch(_ id: Contact.ID) {
    guard let touch = touches[id], let responder = touch.responder else { return }
    touch.responder = nil
    touch.phase = .cancelled
    responder.touchCancelled(touch)
  }

  // MARK: Gestures

  private func handleGestures() {
    if !touches.isEmpty { cancelTouchesOfGoneLayers() }
    if let first = keys.firstResponder, first.layer?.router !== self { setFirstResponder(nil) }
    if arbiter.isIdle { return }
    arbiter.handle(at: loop.clock.now)
    alarm?.fireTime = arbiter.deadline
  }

  private func cancelTouchesOfGoneLayers() {
    for touch in touches.values.sorted(by: { $0.id.rawValue < $1.id.rawValue }) where touch.layer?.router !== self {
      touches[touch.id] = nil
      arbiter.add(Contact(id: touch.id, phase: .cancelled, time: touch.time, location: touch.location))
      touch.phase = .cancelled
      exchange(&touch.responder, with: nil)?.touchCancelled(touch)
    }
  }
}

extension AnyGestureRecognizer {
  fileprivate func takes(_ touch: Touch) -> Bool {
    guard isEnabled else { return false }
    if case .pointer(let pressed) = touch.kind, pressed != button { return false }
    return delegate?.gestureRecognizer(self, shouldReceive: touch) ?? true
  }
}
