import FrameTiming
public import Geometry
public import Input
public import Layers
public import LinuxSystem
import RunLoops

/// Hears how content is scrolled. All methods do nothing by default.
@MainActor
public protocol ScrollControllerDelegate: AnyObject {
  /// The content is at another position.
  func scrollControllerDidScroll(_ controller: ScrollController)
  /// A finger began to drag, or holds content that moved.
  func scrollControllerWillBeginDragging(_ controller: ScrollController)
  /// The content stands still after a movement, without a finger.
  func scrollControllerDidComeToRest(_ controller: ScrollController)
}

extension ScrollControllerDelegate {
  public func scrollControllerDidScroll(_ controller: ScrollController) {}
  public func scrollControllerWillBeginDragging(_ controller: ScrollController) {}
  public func scrollControllerDidComeToRest(_ controller: ScrollController) {}
}

/// Lets people scroll what is in a layer: by fingers with deceleration and rubber band, by wheels and touchpads, and by the program.
///
/// ```swift
/// let view = ScrollLayer(frame: Rect(x: 0, y: 0, width: 320, height: 480))
/// view.masksToBounds = true
/// let scroller = ScrollController(view, content: Size(320, 4000))
/// ```
///
/// It moves the origin of the layer's bounds. While a finger drags, the content follows the finger in the turn in which its movement was read;
/// otherwise it is where it belongs at the time at which a frame is expected to be seen, frame by frame.
///
/// From the beginning of a drag until the content is at rest the loop runs in the mode `.tracking`, in which timers of the default mode wait.
@MainActor
public final class ScrollController: Responder {
  /// The size of what is scrolled, in the layer's coordinates, from (0, 0) on.
  public var contentSize: Size {
    didSet { if contentSize != oldValue { resize() } }
  }
  /// How much farther than the content's edges it can be scrolled.
  public var insets = Insets() {
    didSet { if insets != oldValue { resize() } }
  }
  public weak var delegate: (any ScrollControllerDelegate)?
  /// True to show where in the content the layer is, while that moves. True at first.
  public var showsIndicators = true {
    didSet { if !showsIndicators { indicators.hide() } }
  }
  /// The recognizer of drags, for other recognizers that are to wait for it.
  public let recognizer: GestureRecognizer<ScrollGesture>
  /// How the content moves by itself, and at its edges. Content that moves does so by it from the change on.
  public var physics: ScrollPhysics {
    didSet {
      if physics == oldValue { return }
      let time = begin()
      machine.setPhysics(x: physics, y: physics, at: time)
      follow(at: time)
    }
  }
  /// True if a drag that begins along one axis keeps to it, as UIScrollView's `isDirectionalLockEnabled`. False at first.
  public var isDirectionLocked: Bool {
    get { machine.isDirectionLocked }
    set { machine.isDirectionLocked = newValue }
  }

  /// Called for each frame while the content moves, before the delegate.
  var onScroll: (@MainActor () -> Void)?
  private var machine: ScrollMachine
  private var viewport: Size
  private let axes: ScrollAxes
  private var grab = Grab.none
  private var ticks: Ticks?
  private var tracking: FrameLoop.ModeStack.Entry?
  private var isMoving = false
  /// The latest time for which a position was shown, and that position.
  private var shown: (time: MonotonicTime, origin: Point)
  /// Tells where an animation leads, which may be elsewhere from frame to frame.
  private var destination: (@MainActor () -> Point)?
  private let indicators = ScrollIndicatorLayers()

  /// A finger's hold of the content.
  private enum Grab { case none, holding, dragging }

  /// A link with a display, and the root and the screens for which it was made.
  private struct Ticks {
    let link: DisplayLink
    weak let root: Layer?
    let screens: Int?
  }

  /// Makes the layer scroll. The layer keeps the controller alive, as its responder.
  ///
  /// - Parameter axes: the directions in which fingers drag, in the layer's own coordinates; content that fits in one moves in none of them by
  ///   itself.
  public init(_ layer: Layer, content: Size, axes: ScrollAxes = .both, physics: ScrollPhysics = ScrollPhysics()) {
    (contentSize, self.axes, self.physics) = (content, axes, physics)
    (viewport, shown) = (layer.bounds.size, (.zero, layer.bounds.origin))
    machine = ScrollMachine(content: content, viewport: viewport, physics: physics, position: layer.bounds.origin)
    recognizer = GestureRecognizer(ScrollGesture())
    super.init()
    layer.responder = self
    recognizer.addAction { [weak self] _ in self?.dragged() }
    recognizer.delegate = self
    layer.addGestureRecognizer(recognizer)
  }

  isolated deinit {
    ticks?.link.invalidate()
    tracking?.pop()
  }

  // MARK: Position

  /// The point of the content in the layer's left upper corner.
  public var position: Point { layer?.bounds.origin ?? .zero }

  /// Scrolls to a position, or to the nearest that there is.
  public func scroll(to position: Point, animated: Bool = false) {
    let time = begin()
    // Fingers hold the content no more.
    recognizer.cancel()
    destination = nil
    machine.scroll(to: position, duration: animated ? .milliseconds(300) : .zero, at: time)
    follow(at: time)
  }

  /// Scrolls to a position that may become another one on the way, such as that of a row when heights become known.
  func scroll(toward destination: @escaping @MainActor () -> Point) {
    scroll(to: destination(), animated: true)
    self.destination = destination
  }

  /// Shows a rectangle of the content, by scrolling as little as possible.
  public func scroll(toShow rect: Rect, animated: Bool = false) {
    func nearest(_ origin: Double, _ length: Double, _ start: Double, _ end: Double) -> Double {
      max(min(origin, max(start, end - length)), min(start, end - length))
    }
    let origin = position
    scroll(
      to: Point(
        nearest(origin.x, viewport.width, rect.minX, rect.maxX), nearest(origin.y, viewport.height, rect.minY, rect.maxY)),
      animated: animated)
  }

  /// True from the touch of a finger that drags or holds until it is lifted.
  public var isDragging: Bool { recognizer.state == .began || recognizer.state == .changed }

  /// The velocity of the position in points per second, where it is now; zero while a finger drags.
  public var velocity: Point { machine.velocity(at: time) }
  /// The position at which the content will rest if nothing is done.
  public var restPosition: Point { machine.restPosition(after: time) }

  /// Gives the content another size and moves the position with it, so that what is seen stays where it is: rows came above it.
  public func setContentSize(_ size: Size, shiftingBy shift: Point) {
    let time = begin()
    machine.resize(content: size, viewport: viewport, insets: insets, shiftedBy: shift, at: time)
    contentSize = size
    follow(at: time)
  }

  private func resize() {
    guard let layer else { return }
    viewport = layer.bounds.size
    let (time, before) = (time, machine)
    machine.resize(content: contentSize, viewport: viewport, insets: insets, at: time)
    if machine != before { follow(at: time) }
  }

  /// The loop's time, or that of the frame that is being made, which is ahead of it; without a router the last one that was known.
  private var time: MonotonicTime { max(layer?.router?.now ?? .zero, shown.time) }

  /// Takes over what others did to the layer: its size, and its position.
  @discardableResult
  func begin() -> MonotonicTime {
    let time = time
    guard let layer else { return time }
    if layer.bounds.size != viewport { resize() }
    if layer.bounds.origin != shown.origin {
      (shown.origin, destination) = (layer.bounds.origin, nil)
      machine.scroll(to: shown.origin, at: time)
    }
    return time
  }

  // MARK: Input

  private func dragged() {
    guard let contactTime = recognizer.lastContactTime else { return }
    let gesture = recognizer.machine
    switch recognizer.state {
    case .began:
      begin()
      destination = nil
      recognizer.machine.catchesAtOnce = false
      tracking = tracking ?? layer?.router?.modes?.push(.tracking)
      machine.hold(at: contactTime)
      grab = .holding
      drag(gesture, contactTime)
      delegate?.scrollControllerWillBeginDragging(self)
    case .changed: drag(gesture, contactTime)
    case .ended:
      machine.release(velocity: own(gesture.velocity, along: axes), at: contactTime)
      grab = .none
    case .cancelled:
      machine.release(at: contactTime)
      grab = .none
    case .possible, .failed: return
    }
    follow(at: contactTime)
  }

  private func drag(_ gesture: ScrollGesture, _ time: MonotonicTime) {
    guard gesture.isDragging else { return }
    let way = own(gesture.translation, along: axes)
    if grab == .holding {
      machine.beginDrag(along: way, at: time)
      grab = .dragging
    }
    machine.drag(translation: way)
  }

  /// A way of the fingers on the output in the layer's own coordinates, along some axes.
  private func own(_ way: Point, along axes: ScrollAxes) -> Point {
    let end = recognizer.location
    guard let layer, let from = layer.point(ofOutput: end - way), let to = layer.point(ofOutput: end) else { return .zero }
    return axes.masked(to - from)
  }

  public override func scrolled(_ scroll: InputEvent.Scroll, at point: Point, time: MonotonicTime) {
    begin()
    if isDragging { return }
    // At its end it leaves scrolling to what it lies in; fingers on a touchpad keep what they took.
    guard takes(scroll, at: self.time) else { return super.scrolled(scroll, at: point, time: time) }
    destination = nil
    machine.scroll(scroll, at: max(time, shown.time))
    follow(at: max(time, shown.time))
  }

  private func takes(_ scroll: InputEvent.Scroll, at time: MonotonicTime) -> Bool {
    if case .touchpad = machine.grip { return true }
    return switch scroll {
    case .wheel(let way), .fingers(let way), .continuous(let way): machine.canGo(way, at: time)
    case .fingersEnded: false
    }
  }

  // MARK: Frames

  /// Shows the machine's position, and asks for frames as long as it changes by itself.
  private func follow(at time: MonotonicTime) {
    let needsFrames = movesOn(after: time)
    isMoving = isMoving || needsFrames || grab != .none
    guard needsFrames else { return show(at: time) }
    guard let link = link() else { return show(at: .distantFuture) }
    link.isPaused = false
    show(at: max(time, shown.time))
  }

  private func movesOn(after time: MonotonicTime) -> Bool {
    (showsIndicators ? machine.endOfMovement(after: time) : machine.nextChange(after: time)) != nil
  }

  /// A link with the display on which the layer is now.
  private func link() -> DisplayLink? {
    let (root, router) = (layer?.top, layer?.router)
    if let ticks, ticks.root === root, ticks.screens == router?.changeOfScreens { return ticks.link }
    ticks?.link.invalidate()
    router?.followers.add(self)
    let made = router?.makeDisplayLink(for: layer) { [weak self] link in self?.show(at: link.targetTimestamp) }
    ticks = made.map { Ticks(link: $0, root: root, screens: router?.changeOfScreens) }
    return made
  }

  private func show(at time: MonotonicTime) {
    guard let layer, layer.router != nil || ticks == nil else { return rest() }
    let position = machine.position(at: time)
    // Whole pixels move without being painted anew.
    let scale = layer.outputScale
    let pixel = Point((position.x * scale).rounded() / scale, (position.y * scale).rounded() / scale)
    let hasMoved = pixel != layer.bounds.origin
    if time != .distantFuture { shown.time = max(shown.time, time) }
    shown.origin = pixel
    Transaction.withoutActions {
      layer.bounds.origin = pixel
      if showsIndicators { indicators.show(machine, in: layer, at: time) }
    }
    onScroll?()
    if hasMoved { delegate?.scrollControllerDidScroll(self) }
    let isAtRest = grab == .none && machine.isAtRest(at: time)
    recognizer.machine.catchesAtOnce = !isAtRest && grab == .none
    if isAtRest { rest() }
    if !movesOn(after: time) { ticks?.link.isPaused = true }
  }

  /// Leads an animation to where its destination is by now. At its end it may be elsewhere once more.
  func pursueDestination() {
    guard let destination, !machine.redirect(to: destination(), at: time) else { return }
    self.destination = nil
    if machine.isFar(from: destination(), at: time) { scroll(toward: destination) }
  }

  /// The content stands still, or is seen nowhere any more.
  private func rest() {
    if layer?.router == nil { ticks?.link.isPaused = true }
    exchange(&tracking, with: nil)?.pop()
    if exchange(&isMoving, with: false) { delegate?.scrollControllerDidComeToRest(self) }
  }
}

extension ScrollController: ScreenFollower {
  /// The link's display may be gone: content that moves goes on with another one, or is at its end at once where it is seen nowhere.
  func screensChanged() {
    if isMoving { follow(at: time) }
  }
}

extension ScrollController: GestureRecognizerDelegate {
  /// Leaves a drag to what it lies in, where it goes along another axis or the content is at its end.
  public func gestureRecognizerShouldBegin(_ recognizer: AnyGestureRecognizer) -> Bool {
    guard layer != nil else { return false }
    let gesture = self.recognizer.machine
    guard gesture.isDragging else { return true }
    let way = own(gesture.way, along: .both)
    if axes == .vertical && abs(way.x) > abs(way.y) || axes == .horizontal && abs(way.y) > abs(way.x) { return false }
    return outer.map { ScrollNesting.innerTakes(-way, inner: machine, outer: $0.machine, at: time) } ?? true
  }

  /// The controller of the nearest layer around this one that scrolls.
  private var outer: ScrollController? {
    var layer = layer?.superlayer
    while let current = layer {
      if let controller = current.responder as? ScrollController { return controller }
      layer = current.superlayer
    }
    return nil
  }
}
