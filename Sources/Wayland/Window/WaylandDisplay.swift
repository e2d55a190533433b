public import FrameTiming
import Geometry
import Glibc
public import LinuxSystem
public import Presentation
import RenderTree
public import RunLoops

/// A window on a Wayland desktop.
///
/// ```swift
/// let display = try WaylandDisplay.open(options: WindowOptions(title: "Clock", applicationID: "org.example.Clock"))
/// let engine = Engine(display: display, root: root)
/// engine.run()  // until somebody closes the window
/// ```
///
/// Frames go as on a screen: the window ticks with the vblanks of its output, which it learns from the compositor's feedback, and where
/// that tells nothing, with a clock at the rate that the output is said to have; `reason` says which. A window that nobody can see is
/// `.waiting(.hidden)`: it draws nothing, ticks once a second, and shows the next frame as soon as the compositor takes one.
///
/// Its size belongs to the desktop: the root layer follows it, and the scale.
///
/// The window stays the same display when its connection is lost, as when the compositor ends: observers hear `.lost`, and
/// `reconnect(to:)` brings it back, its layers as they are. All of it belongs to the main thread.
@MainActor
public final class WaylandDisplay: Display {
  public let ticker: DisplayTicker
  public let observers = Observers<DisplayEvent>()
  /// The connection that the window is on.
  public private(set) var connection: WaylandConnection

  /// The title, in the window's frame and in lists of windows.
  public var title: String {
    get { window.options.title }
    set { if newValue != title { change { $0.setTitle(newValue) } } }
  }
  /// True if the window has the whole screen. The desktop may refuse a change, or make one by itself.
  public var isFullScreen: Bool {
    get { window.configuration.isMapped ? window.configuration.states.contains(.fullScreen) : window.options.isFullScreen }
    set { if newValue != isFullScreen { change { $0.setFullScreen(newValue) } } }
  }
  /// True to keep the screen from going dark while the window is seen. It has no effect where the desktop does not offer that.
  public var inhibitsIdle: Bool {
    get { window.options.inhibitsIdle }
    set { if newValue != inhibitsIdle { change { $0.inhibitIdle(newValue) } } }
  }
  /// True while the window has the keyboard, as the desktop says.
  public var isActive: Bool { window.configuration.states.contains(.activated) }

  /// The window at the compositor. It is another one after `reconnect(to:)`.
  package private(set) var window: WaylandWindow
  /// Called when `window` is another one: its surface is new.
  package var onNewWindow: (@MainActor () -> Void)?
  let clock: SystemClock
  let stable: ReplaceablePresenter
  var buffers: WaylandPresenter?
  let wait: VBlankWait
  var permission = FramePermission()
  var pictureTiming = PictureTiming()
  var frames = PresentedFrames(canTell: true)
  /// The vblanks that were learned, also while another source ticks.
  var grid = FeedbackGrid(told: .hertz60)
  var pace = Pace.hidden
  var feedbackClock: FeedbackClock?
  /// Called with each stamp that the compositor has told, and no guess of one.
  var onStamp: (@MainActor (MonotonicTime) -> Void)?
  /// Looks for callbacks that do not come.
  private(set) lazy var alarm = FrameLoop.Alarm(.onMain { [weak self] in self?.look() })
  /// Looks for feedback that does not come.
  private lazy var answerAlarm = FrameLoop.Alarm(.onMain { [weak self] in self?.missAnswer() })
  /// The loops and modes in which the display is served.
  private var places: [(loop: FrameLoop, mode: FrameLoop.Mode)] = []

  /// The source of the window's ticks.
  enum Pace: Hashable, Sendable {
    /// A second from tick to tick.
    case hidden
    /// A clock at the told rate until the first feedback.
    case starting
    /// A clock at the told rate, as no feedback comes.
    case silent
    case learned
  }

  /// Makes a window. It shows when the connection is ready and the compositor has told its size, in later turns of the loop.
  public init(connection: WaylandConnection, options: WindowOptions = WindowOptions()) {
    self.connection = connection
    clock = connection.clock
    Self.windowCount += 1
    inputName = "window \(Self.windowCount)"
    let configuration = WindowConfiguration(width: options.width, height: options.height)
    window = WaylandWindow(connection: connection, options: options, configuration: configuration)
    let (width, height) = configuration.pixels
    stable = ReplaceablePresenter(width: width, height: height)
    ticker = DisplayTicker(source: Self.standIn(at: nil, "the window is not shown yet", clock))
    wait = VBlankWait(ticker: ticker)
    wait.handler = { [weak self] in self?.clockTicked($0) }
    window.owner = self
    if case .lost(let error) = connection.state { windowWasLost(error) }
  }

  /// Connects to the desktop and makes a window there, of the size that the desktop gives it.
  ///
  /// - Parameters:
  ///   - socket: the path of the compositor's socket, or a name in `XDG_RUNTIME_DIR`; nil for `WAYLAND_DISPLAY`.
  ///   - limit: the longest wait for an answer.
  ///   - clock: the clock of the loop that the display is added to.
  /// - Throws: why there is no window. One whose size the desktop does not tell in time is made all the same, and shown later.
  public static func open(
    options: WindowOptions = WindowOptions(), socket: String? = nil, waitingFor limit: Nanoseconds = .seconds(2),
    clock: SystemClock = .monotonic
  ) throws(WaylandError) -> WaylandDisplay {
    let connection = try WaylandConnection.open(socket: socket, waitingFor: limit, clock: clock)
    let display = WaylandDisplay(connection: connection, options: options)
    do throws(WaylandError) {
      try connection.wait(upTo: limit) { display.window.configuration.isMapped }
      try display.settle()
    } catch .noAnswer {
      return display
    } catch {
      display.invalidate()
      throw error
    }
    return display
  }

  /// Shows a black frame, if the size is the window's own choice: sway and others tell the size that they want when a window is there.
  private func settle() throws(WaylandError) {
    guard window.configuration.isOwnChoice, let buffer = stable.acquireBuffer() else { return }
    let whole = IntRect(x: 0, y: 0, width: stable.width, height: stable.height)
    // A window that cannot show it cannot show the next one, which tells why.
    guard (try? stable.present(buffer, damage: DamageRegion(whole), target: nil)) != nil else { return }
    try connection.wait(upTo: .milliseconds(250)) { permission.mayDraw }
    frames.forget()
  }

  public var name: String {
    let outputs = window.entered.map(\.name).filter { !$0.isEmpty }
    let place = outputs.isEmpty ? "" : " (\(outputs.joined(separator: ", ")))"
    return "window \(stable.width)x\(stable.height)@\(toldRate.description.dropLast(3))\(place)"
  }

  /// How the window is paced.
  public var reason: String { ticker.name }
  /// True once the desktop has told of a frame, or it is known that it tells of none and a clock at the told rate takes its place; also
  /// while the window is hidden, when another clock ticks. False again after `reconnect(to:)`.
  public var isPaceKnown: Bool { frames.hasTold || frames.isSilent }
  /// The window's own: several windows lie beside each other for input.
  public let inputName: String
  private static var windowCount = 0
  public var presenter: any Presenter { stable }
  public var state: DisplayState { permission.isHidden ? .waiting(.hidden) : .showing }
  public var geometry: DisplayGeometry {
    DisplayGeometry(
      width: stable.width, height: stable.height, scale: Double(window.configuration.scale) / 120)
  }

  /// The rate that the outputs are said to have: the fastest of those that show the window.
  var toldRate: RefreshRate {
    let outputs = window.entered.isEmpty ? Array(connection.globals.outputs.prefix(1)) : window.entered
    return outputs.compactMap(\.refreshRate).max { $0.hertz < $1.hertz } ?? .hertz60
  }
  var interval: Nanoseconds { pace == .learned ? grid.interval : toldRate.interval }

  public func add(to loop: FrameLoop, mode: FrameLoop.Mode) {
    places.append((loop, mode))
    loop.add(alarm, to: mode)
    loop.add(answerAlarm, to: mode)
    loop.add(connection.loopItem, to: mode)
    wait.add(to: loop, mode: mode)
  }

  public func invalidate() {
    observers.removeAll()
    onNewWindow = nil
    stable.invalidate()
    window.owner = nil
    window.destroy()
    places = []
    alarm.invalidate()
    answerAlarm.invalidate()
    wait.invalidate()
    ticker.invalidate()
  }

  isolated deinit { invalidate() }

  /// Brings the window back on another connection after `.lost`, or takes it to another compositor. Layers, outputs and links stay.
  public func reconnect(to connection: WaylandConnection) {
    let (options, configuration) = (window.options, window.configuration)
    window.owner = nil
    dropBuffers()
    window.destroy()
    self.connection = connection
    for place in places { place.loop.add(connection.loopItem, to: place.mode) }
    var kept = configuration
    kept.disconnect()
    frames = PresentedFrames(canTell: true)
    permission = FramePermission()
    window = WaylandWindow(connection: connection, options: options, configuration: kept)
    window.owner = self
    onNewWindow?()
    if case .lost(let error) = connection.state { windowWasLost(error) }
  }

  private func change(_ wish: (WaylandWindow) -> Void) {
    wish(window)
    connection.flush()
  }

  // MARK: - Frames

  private var mayDraw: Bool { permission.mayDraw && pictureTiming.mayDraw(at: clock.now) }

  /// - Returns: true if there are buffers of the configuration's size.
  func makeBuffers() -> Bool {
    let (width, height) = window.configuration.pixels
    if let buffers, (buffers.width, buffers.height) == (width, height) { return true }
    dropBuffers()
    do throws(SystemError) {
      buffers = try WaylandPresenter(
        window: window, width: width, height: height, mayDraw: { [weak self] in self?.mayDraw ?? false },
        queued: { [weak self] now in self.map { $0.frames.queued(at: now, interval: $0.interval) } ?? 0 },
        commit: { [weak self] buffer, damage, target in self?.commit(buffer, damage, target) })
      return true
    } catch {
      observers.notify(.lost(WaylandError.memory(width: width, height: height, error)))
      return false
    }
  }

  func dropBuffers() {
    stable.replace(with: nil)
    buffers?.invalidate()
    buffers = nil
  }

  private func commit(_ buffer: WindowBuffer, _ damage: DamageRegion, _ target: MonotonicTime?) {
    let now = clock.now
    let forecast = ticker.forecast
    let expected = frames.expected(at: now, madeFor: target, forecast)
    let asks = frames.wantsFeedback
    let serial = frames.commit(expected: expected)
    pictureTiming.committed(serial, at: now, next: forecast.vblank(after: now), interval: interval)
    // A little before its vblank, so that no rounding makes it one later.
    let earliest = pace == .learned && forecast.isKnown(at: expected) ? expected - forecast.interval / 2 : nil
    window.commit(
      buffer, damage: damage, serial: asks ? serial : nil,
      target: earliest.flatMap { connection.globals.stampClock.stamp(for: $0, now: now, read: connection.readClock) })
    happened(.committed)
    if frames.isSilent { wait.start(after: now) }
    awaitAnswer()
  }

  /// Sets the alarm for the answer about the oldest frame.
  func awaitAnswer() { answerAlarm.fireTime = frames.deadline(isTaken: permission.mayDraw, interval: interval) }

  /// The answer may be lost. The next frame would wait for it.
  private func missAnswer() {
    // A program that was busy may find it unread.
    connection.read()
    if let deadline = frames.deadline(isTaken: permission.mayDraw, interval: interval), deadline <= clock.now {
      frames.giveUp()
    }
    tellFrames()
  }

  /// Tells the output of the frames whose fate is known.
  func tellFrames() {
    while let answer = frames.next(at: clock.now) {
      switch answer {
      case .seen(let time): tell(.presented(PresentationFeedback(timestamp: time, sequence: 0)))
      case .assumed(let time): tell(.presented(PresentationFeedback(timestamp: time, sequence: 0, isKnown: false)))
      case .dropped: tell(.dropped)
      }
    }
    if frames.count == 0 { wait.cancel() }
    awaitAnswer()
  }

  func tell(_ event: PresenterEvent) { buffers?.onEvent?(event) }

  /// A vblank of the clock that stands in for the compositor's.
  private func clockTicked(_ vblank: VBlank) {
    tellFrames()
    if frames.vblank(at: vblank.timestamp, interval: interval) {
      tell(.presented(PresentationFeedback(timestamp: vblank.timestamp, sequence: vblank.sequence, isKnown: false)))
    }
    if frames.isSilent, frames.count > 0 { wait.start(after: vblank.timestamp) }
  }

  // MARK: - Visibility

  func happened(_ event: FramePermission.Event) {
    let change = permission.handle(event, at: clock.now, interval: interval)
    if alarm.fireTime == nil { alarm.fireTime = permission.deadline(interval: interval) }
    switch change {
    case nil: break
    case .hidden: hide()
    case .shown: show()
    }
  }

  /// A deadline that has moved on since the alarm was set is looked at in its turn, so that a frame sets none.
  private func look() {
    alarm.fireTime = nil
    // A program that was busy may find the callback unread.
    connection.read()
    happened(.alarm)
  }

  private func hide() {
    frames.forget()
    wait.cancel()
    answerAlarm.fireTime = nil
    alarm.fireTime = nil
    stable.replace(with: nil)
    updatePace()
    observers.notify(.stateChanged(state))
  }

  private func show() {
    guard makeBuffers() else { return }
    updatePace()
    stable.replace(with: buffers)
    observers.notify(.stateChanged(state))
  }
}
