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

  /// Called after each change of the position, before the delegate.
  var onScroll: (@MainActor () -> Void)?
  private var machine: ScrollMachine
  private var viewport: Size
  private var link: DisplayLink?
  private var tracking: FrameLoop.ModeStack.Entry?
  private var isMoving = false
  private let indicators = ScrollIndicatorLayers()

  /// Makes the layer scroll. The layer keeps the controller alive, as its responder.
  ///
  /// - Parameter axes: the directions in which fingers drag; content that fits in one moves in none of them by itself.
  public init(_ layer: Layer, content: Size, axes: ScrollAxes = .both, physics: ScrollPhysics = ScrollPhysics()) {
    contentSize = content
    viewport = layer.bounds.size
    machine = ScrollMachine(content: content, viewport: viewport, physics: physics, position: layer.bounds.origin)
    let course: PanMachine.Course = axes == .vertical ? .vertical : axes == .horizontal ? .horizontal : .free
    recognizer = GestureRecognizer(ScrollGesture(course: course))
    super.init()
    layer.responder = self
    recognizer.addAction { [weak self] _ in self?.dragged() }
    recognizer.delegate = self
    layer.addGestureRecognizer(recognizer)
  }

  // MARK: Position

  /// The point of the content in the layer's left upper corner.
  public var position: Point { layer?.bounds.origin ?? .zero }

  /// Scrolls to a position, or to the nearest that there is.
  public func scroll(to position: Point, animated: Bool = false) {
    guard let time = begin() else { return }
    machine.scroll(to: position, duration: animated ? .milliseconds(300) : .zero, at: time)
    follow(at: time)
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

  /// The velocity of the position in points per second, at the time of the loop's clock.
  public var velocity: Point { now.map { machine.velocity(at: $0) } ?? .zero }

  /// Gives the content another size and moves the position with it, so that what is seen stays where it is: rows came above it.
  public func setContentSize(_ size: Size, shiftingBy shift: Point) {
    guard let time = begin() else { return }
    machine.resize(content: size, viewport: viewport, insets: insets, shiftedBy: shift, at: time)
    contentSize = size
    follow(at: time)
  }

  private func resize() {
    guard let layer else { return }
    viewport = layer.bounds.size
    let time = now ?? .zero
    let before = machine
    machine.resize(content: contentSize, viewport: viewport, insets: insets, at: time)
    if machine != before { follow(at: time) }
  }

  private var now: MonotonicTime? { layer?.router?.now }

  /// Takes over a new size of the layer, and tells the time; nil while the layer is in no tree with a router.
  private func begin() -> MonotonicTime? {
    if let layer, layer.bounds.size != viewport { resize() }
    return now
  }

  // MARK: Input

  private func dragged() {
    guard begin() != nil, let contactTime = recognizer.lastContactTime else { return }
    let gesture = recognizer.machine
    switch recognizer.state {
    case .began:
      recognizer.machine.catchesAtOnce = false
      tracking = tracking ?? layer?.router?.modes?.push(.tracking)
      if gesture.isDragging {
        machine.beginDrag(along: gesture.translation, at: contactTime)
      } else {
        machine.hold(at: contactTime)
      }
      machine.drag(translation: gesture.translation)
      delegate?.scrollControllerWillBeginDragging(self)
    case .changed:
      machine.drag(translation: gesture.translation)
    case .ended: machine.release(velocity: gesture.velocity, at: contactTime)
    case .cancelled: machine.release(at: contactTime)
    case .possible, .failed: return
    }
    follow(at: contactTime)
  }

  public override func scrolled(_ scroll: InputEvent.Scroll, at point: Point, time: MonotonicTime) {
    guard begin() != nil else { return }
    let before = machine
    machine.scroll(scroll, at: time)
    // At its end it leaves the wheel to what it lies in.
    if machine == before { return super.scrolled(scroll, at: point, time: time) }
    follow(at: time)
  }

  // MARK: Frames

  /// Shows the machine's position, and asks for frames as long as it changes by itself.
  private func follow(at time: MonotonicTime) {
    let needsFrames = machine.endOfMovement(after: time) != nil
    isMoving = true
    if needsFrames, link == nil, let router = layer?.router {
      link = router.makeDisplayLink(for: layer) { [weak self] link in self?.show(at: link.targetTimestamp) }
    }
    guard needsFrames, let link else { return show(at: needsFrames ? .distantFuture : time) }
    link.isPaused = false
    show(at: time)
  }

  private func show(at time: MonotonicTime) {
    guard let layer else { return link?.invalidate() ?? () }
    let position = machine.position(at: time)
    // Whole pixels move without being painted anew.
    let scale = layer.outputScale
    let pixel = Point((position.x * scale).rounded() / scale, (position.y * scale).rounded() / scale)
    let hasMoved = pixel != layer.bounds.origin
    Transaction.withoutActions {
      layer.bounds.origin = pixel
      if showsIndicators { indicators.show(machine, in: layer, at: time) }
    }
    if hasMoved {
      onScroll?()
      delegate?.scrollControllerDidScroll(self)
    }
    let isAtRest = machine.isAtRest(at: time)
    recognizer.machine.catchesAtOnce = !isAtRest && !isDragging
    if isAtRest, exchange(&isMoving, with: false) {
      exchange(&tracking, with: nil)?.pop()
      delegate?.scrollControllerDidComeToRest(self)
    }
    if machine.endOfMovement(after: time) == nil { link?.isPaused = true }
  }
}

extension ScrollController: GestureRecognizerDelegate {
  /// Leaves a drag to what it lies in, where it is at its end.
  public func gestureRecognizerShouldBegin(_ recognizer: AnyGestureRecognizer) -> Bool {
    guard self.recognizer.machine.isDragging, let outer, let time = now else { return true }
    return ScrollNesting.innerTakes(
      -self.recognizer.machine.translation, inner: machine, outer: outer.machine, at: time)
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
