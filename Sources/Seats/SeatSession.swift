import Glibc
public import LinuxSystem
public import RunLoops

/// The program's session on a seat: its right to use displays and input devices, which comes and goes as the user switches
/// consoles.
///
/// ```swift
/// let session = SeatSession.automatic()
/// session.add(to: .main, mode: .common)
/// guard session.waitUntilActive(for: .seconds(1)) else { exit(1) }
/// let keyboard = try session.openDevice(at: "/dev/input/event0")
/// ```
///
/// A program needs one session. Code that uses its devices adds an observer, and stops using them while the session is
/// `disabling`. When all observers have returned, the session gives the seat up. Observers must be quick: the user waits,
/// and the devices may already be taken away, so that calls on them fail.
@MainActor
public final class SeatSession: FrameLoop.ItemOwner {
  /// An observer is called when the state of a session has changed.
  @MainActor
  public final class Observer {
    /// Called with the session after its `state` has changed.
    public typealias Handler = @MainActor (SeatSession) -> Void
    fileprivate let handler: Handler

    /// - Parameter handler: reads the new `state` from the session. It may open and close devices, and close the session.
    public init(_ handler: @escaping Handler) {
      self.handler = handler
    }
  }

  public private(set) var state = SessionState.inactive
  /// The reason why the session is `gone`; nil if it was closed.
  public private(set) var error: SeatError?
  /// The provider of the devices and the reason for it, as a sentence.
  public let reason: String
  /// True if there is no seat: devices are opened with the program's own rights.
  public var isDirect: Bool { provider is DirectProvider }
  /// The seat's name: "seat0" unless the machine was set up otherwise.
  public let seatName: String

  private let provider: any SeatProvider
  private var observers: [Observer] = []
  private var isProcessing = false
  private let items = FrameLoop.ItemGroup()
  /// Signalled after each call of the provider: its answer may have brought events along, and the descriptor is not ready
  /// again for them.
  private var remainder: FrameLoop.Source?

  /// - Parameters:
  ///   - provider: the provider of devices. The session owns it from now on.
  ///   - reason: the text of `reason`.
  package init(provider: any SeatProvider, reason: String) {
    self.provider = provider
    self.reason = reason
    seatName = provider.seatName
    let remainder = FrameLoop.Source(.onMain { [weak self] _ in self?.processEvents() })
    self.remainder = remainder
    items.insert(remainder)
    if let descriptor = provider.descriptor {
      items.insert(
        FrameLoop.DescriptorSource(descriptor: descriptor, .onMain { [weak self] _, _ in self?.processEvents() }))
    }
    processEvents()
  }

  isolated deinit {
    // Observers get no events of a session that no longer exists.
    observers = []
    close()
  }

  // MARK: The loop

  public var loopItem: any FrameLoop.Item { items }

  /// Handles the events that arrived, without waiting. The loop calls it. A call by an observer does nothing.
  public func processEvents() {
    guard !isProcessing, state != .gone else { return }
    isProcessing = true
    defer { isProcessing = false }
    do throws(SeatError) {
      for event in try provider.receiveEvents() { try handle(.seat(event)) }
    } catch {
      end(error)
    }
  }

  /// Waits until the session is active, without running the loop. Use it when the program starts, before there is anything
  /// to show. Observers are called.
  ///
  /// - Parameter limit: the longest time to wait.
  /// - Returns: true if the session is active.
  public func waitUntilActive(for limit: Nanoseconds) -> Bool {
    let end = SystemClock.monotonic.now + limit
    while true {
      processEvents()
      guard state != .active, state != .gone, let descriptor = provider.descriptor else { return state == .active }
      let rest = end - SystemClock.monotonic.now
      guard rest > .zero else { return false }
      var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      // Rounded up, so that the last round does not spin. A signal may interrupt the wait; the next round waits again.
      poll(&entry, 1, Int32(clamping: rest.count / 1_000_000 + 1))
    }
  }

  // MARK: Observers

  /// Calls `observer` at each change of state. Observers are called in order when the session becomes active, and in reverse
  /// order otherwise: the screen is there before input is read, and goes after it.
  public func add(_ observer: Observer) {
    if !observers.contains(where: { $0 === observer }) { observers.append(observer) }
  }

  public func remove(_ observer: Observer) {
    observers.removeAll { $0 === observer }
  }

  // MARK: Devices

  /// Opens a device below `/dev/dri` or `/dev/input`. Waits for the daemon's answer, typically 0.1 ms.
  ///
  /// The descriptor of a card stays valid while the session is inactive, and is DRM master again afterwards. The descriptor
  /// of an input device is revoked for good at the next `disabling`: close it, and open the device again when the session is
  /// active.
  public func openDevice(at path: String) throws(SeatError) -> SeatDevice {
    guard state != .gone else { throw error ?? .lost(SystemError(call: "openDevice", subject: path, errno: ENOTCONN)) }
    guard state == .active else { throw .inactive(path: path) }
    defer { remainder?.signal() }
    return try provider.openDevice(at: path)
  }

  /// Gives back a device and closes its descriptor, in any state. Does nothing after the end of the session, which has
  /// closed it.
  public func closeDevice(_ device: SeatDevice) {
    guard state != .gone || isNotifyingEnd else { return }
    provider.closeDevice(device)
    remainder?.signal()
  }

  // MARK: Sessions

  /// Requests a switch to the session with another number; on a seat with consoles, the number of the virtual terminal. If
  /// the seat agrees, this session becomes `disabling`. On a seat without consoles the other session must exist: libseat
  /// fails at the daemon's answer if it does not.
  ///
  /// A program that has the console's keyboard must call this at Ctrl-Alt-F1 to F12, because the kernel does not any more.
  public func switchSession(to number: Int) throws(SeatError) {
    guard state == .active else { throw .noSwitch(session: number, reason: "this session is not active") }
    guard number > 0 else { throw .noSwitch(session: number, reason: "sessions are numbered from 1") }
    defer { remainder?.signal() }
    try provider.switchSession(to: number)
  }

  /// Gives back the seat and closes all devices. Observers are called first.
  public func close() {
    end(nil)
  }

  // MARK: Changes

  private var isNotifyingEnd = false

  private func handle(_ event: SessionState.Event) throws(SeatError) {
    for action in state.handle(event) {
      switch action {
      case .notify: notify()
      case .acknowledge: try provider.acknowledgeDisable()
      }
    }
    if state == .disabling { try handle(.released) }
  }

  private func notify() {
    let told = state
    for observer in told == .active ? observers : observers.reversed() {
      // An earlier observer may have removed this one, or closed the session.
      guard state == told else { return }
      if observers.contains(where: { $0 === observer }) { observer.handler(self) }
    }
  }

  private func end(_ reason: SeatError?) {
    guard state != .gone else { return }
    error = reason
    items.invalidate()
    isNotifyingEnd = true
    for action in state.handle(.ended) where action == .notify { notify() }
    isNotifyingEnd = false
    provider.close()
    observers = []
  }
}
