import Glibc
public import LinuxSystem
public import RunLoops

/// This program's session on a seat: the right to use its displays and input devices, which comes and goes as the user
/// switches consoles.
///
/// One session serves all of a program. Who uses devices of it adds an observer, and lets go of them while the session is
/// `disabling`: when all observers have returned, the session tells the seat so by itself. Be quick about it: the user waits,
/// and the devices may have been taken away already, so that calls on them fail.
@MainActor
public final class SeatSession {
  /// Is called when the state of a session has changed.
  @MainActor
  public final class Observer {
    public typealias Handler = @MainActor (SeatSession) -> Void
    fileprivate let handler: Handler

    /// - Parameter handler: reads the new `state` from the session. May open and close devices, and close the session.
    public init(_ handler: @escaping Handler) {
      self.handler = handler
    }
  }

  public private(set) var state = SessionState.inactive
  /// Why the session is `gone`; nil when it was closed.
  public private(set) var error: SeatError?
  /// Who hands out the devices and why, in a sentence.
  public let reason: String
  /// Whether no seat stands behind the session: devices are opened with the program's own rights.
  public var isDirect: Bool { provider is DirectProvider }
  /// "seat0", where nothing else was set up.
  public let seatName: String

  private let provider: any SeatProvider
  private var observers: [Observer] = []
  private var isProcessing = false
  private var descriptorSource: FrameLoop.DescriptorSource?
  /// An answer of the provider may have brought events along, for which the descriptor is not ready again.
  private var remainder: FrameLoop.Source?

  /// - Parameters:
  ///   - provider: libseat's, the direct one, or a test's. Belongs to the session from now on.
  ///   - reason: what `reason` is to say.
  package init(provider: any SeatProvider, reason: String) {
    self.provider = provider
    self.reason = reason
    seatName = provider.seatName
    remainder = FrameLoop.Source(onMain: { [weak self] _ in self?.processEvents() })
    if let descriptor = provider.descriptor {
      descriptorSource = FrameLoop.DescriptorSource(
        descriptor: descriptor, onMain: { [weak self] _, _ in self?.processEvents() })
    }
    processEvents()
  }

  isolated deinit {
    // Nobody is told of a session that is no more.
    observers = []
    close()
  }

  // MARK: The loop

  /// Follows the seat while `loop`, one of the main thread's, runs in `mode`.
  public func add(to loop: FrameLoop = .main, mode: FrameLoop.Mode = .common) {
    if let remainder { loop.add(remainder, to: mode) }
    if let descriptorSource { loop.add(descriptorSource, to: mode) }
  }

  public func remove(from loop: FrameLoop = .main, mode: FrameLoop.Mode = .common) {
    if let remainder { loop.remove(remainder, from: mode) }
    if let descriptorSource { loop.remove(descriptorSource, from: mode) }
  }

  /// Handles what has come, without waiting; the loop calls it. Does nothing when an observer calls it.
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

  /// Waits until the session is active, without running the loop: for the start of a program, before there is anything to
  /// show. Observers are called.
  ///
  /// - Parameter limit: for how long.
  /// - Returns: whether the session is active.
  public func waitUntilActive(for limit: Nanoseconds) -> Bool {
    let end = SystemClock.monotonic.now + limit
    while true {
      processEvents()
      guard state != .active, state != .gone, let descriptor = provider.descriptor else { return state == .active }
      let rest = end - SystemClock.monotonic.now
      guard rest > .zero else { return false }
      var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      // Rounded up, so that the last round does not spin. Interrupted by a signal: the next round asks again.
      poll(&entry, 1, Int32(clamping: rest.count / 1_000_000 + 1))
    }
  }

  // MARK: Observers

  /// Calls `observer` at each change of state. Those added last are called first when the session is left, and last when
  /// it is entered: what shows pictures is there before what takes input, and goes after it.
  public func add(_ observer: Observer) {
    if !observers.contains(where: { $0 === observer }) { observers.append(observer) }
  }

  public func remove(_ observer: Observer) {
    observers.removeAll { $0 === observer }
  }

  // MARK: Devices

  /// Opens a device of the seat: below `/dev/dri` or `/dev/input`. Waits for the daemon's answer, typically 0.1 ms.
  ///
  /// A card's descriptor stays good while the session is inactive, and is master again afterwards. An input device's is
  /// revoked for ever at the next `disabling`: close it, and open it again when the session is active.
  public func openDevice(at path: String) throws(SeatError) -> SeatDevice {
    guard state != .gone else { throw error ?? .lost(SystemError(call: "openDevice", subject: path, errno: ENOTCONN)) }
    guard state == .active else { throw .inactive(path: path) }
    defer { remainder?.signal() }
    return try provider.openDevice(at: path)
  }

  /// Gives back a device and closes its descriptor, in any state. Does nothing after the session's end, which has closed it.
  public func closeDevice(_ device: SeatDevice) {
    guard state != .gone || isNotifyingEnd else { return }
    provider.closeDevice(device)
    remainder?.signal()
  }

  // MARK: Sessions

  /// Asks for the session with another number; on a seat with consoles, that of the virtual terminal. If it comes to that,
  /// this session is `disabling` soon. On a seat without consoles the other session must exist: libseat does not bear the
  /// daemon's answer that it does not.
  ///
  /// A program that has the console's keyboard must call this on Ctrl-Alt-F1 to F12, as the kernel does not any more.
  public func switchSession(to number: Int) throws(SeatError) {
    guard state == .active else { throw .noSwitch(session: number, reason: "this session is not active") }
    guard number > 0 else { throw .noSwitch(session: number, reason: "sessions are numbered from 1") }
    defer { remainder?.signal() }
    try provider.switchSession(to: number)
  }

  /// Gives back the seat and closes all devices. Observers are told before it.
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
      // An earlier one may have removed this one, or closed the session.
      guard state == told else { return }
      if observers.contains(where: { $0 === observer }) { observer.handler(self) }
    }
  }

  private func end(_ reason: SeatError?) {
    guard state != .gone else { return }
    error = reason
    descriptorSource?.invalidate()
    descriptorSource = nil
    remainder?.invalidate()
    remainder = nil
    isNotifyingEnd = true
    for action in state.handle(.ended) where action == .notify { notify() }
    isNotifyingEnd = false
    provider.close()
    observers = []
  }
}
