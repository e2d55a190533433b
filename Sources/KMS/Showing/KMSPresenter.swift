import FrameTiming
import Glibc
import LinuxSystem
public import Presentation
import Raster
public import RenderTree
public import RunLoops

/// Shows frames on a screen: two or three buffers, flipped at vblank.
///
/// Frames are composited in ordinary memory, one bitmap for each scan-out buffer, and what was painted is copied out. The
/// first frame sets the mode. `.presented` comes with the flip event and its stamp; drivers without vblank send that event
/// at once and without a sequence: there the frame counts as shown at the next tick, which keeps the application at the
/// display's pace.
///
/// A flip that the kernel refuses because something else is on its way is handed over again at the next vblank. One whose
/// event does not come for a second is given up and told by `.refused`, and the next frame sets the mode anew.
@MainActor
public final class KMSPresenter: Presenter {
  public let width: Int
  public let height: Int
  public var onEvent: (@MainActor (PresenterEvent) -> Void)?
  /// Called once when the screen takes no more frames.
  var onLost: (@MainActor (KMSError) -> Void)?
  /// Called when the screen goes on without something that was asked for.
  var onRefusal: (@MainActor (FeatureRefusal) -> Void)?
  /// Called after each mode-set: the CRTC is on.
  var onModeSet: (@MainActor () -> Void)?

  /// The memory to paint in, and the memory that is scanned out.
  private struct Buffer {
    let shadow: PresentationBuffer
    let scanOut: DumbBuffer
    /// What was painted in it since it was on the screen.
    var damage = DamageRegion()
  }

  let scanOut: ScanOut
  private let ticker: DisplayTicker
  let clock: SystemClock
  private let flipsAreStamped: Bool
  private let events: DRMEventRoute
  private var buffers: [Buffer] = []
  private var flip: FlipState
  var cursor = CursorUse()
  /// Whether a cursor is on its way to the screen without a frame. A frame that is handed over waits for it: one commit
  /// pends at a time.
  private var isCursorPending = false
  var tearing = TearingState()
  /// When the cursor was last changed by the legacy calls, which do so at once.
  private var cursorChanged: MonotonicTime?
  /// Shows what of the cursor waits for its time, or for a frame that does not come.
  private var cursorTimer: FrameLoop.Timer?
  /// Runs when a turn's frame has been handed over, if there is one.
  private var turnEnd: FrameLoop.Observer?
  private let wait: VBlankWait
  private var token: UInt32 = 0
  private var submitted = MonotonicTime.zero
  private var timeout = FlipTimeout()
  private var timer: FrameLoop.Timer?
  /// Whether the newest frame that was handed over is a flip, and not a mode-set.
  private var isFlip = false
  /// Whether it did not wait for the vblank.
  private var isAsynchronous = false
  /// Whether what pends, a frame or a cursor, was refused and is to be handed over again at the vblank that is waited for.
  private var isRetrying = false
  /// How many flips were given up because their event did not come.
  public private(set) var lostFlips: UInt64 = 0
  private(set) var isModeSet = false
  /// Why the screen takes no more frames; nil while it does.
  private var loss: KMSError?
  private var isStopped = false

  /// Makes the buffers and asks the driver whether it takes the mode. Changes nothing on the screen but with the legacy
  /// interface, which shows the first buffer, black, from then on.
  ///
  /// - Parameters:
  ///   - wait: of the display; used until `stop()`, and left to it.
  ///   - flipsAreStamped: whether flip events carry a vblank's stamp and sequence.
  init(
    scanOut: ScanOut, buffering: Buffering, events: DRMEventRoute, ticker: DisplayTicker, wait: VBlankWait,
    flipsAreStamped: Bool, clock: SystemClock
  ) throws(KMSError) {
    self.scanOut = scanOut
    self.events = events
    self.ticker = ticker
    self.wait = wait
    self.flipsAreStamped = flipsAreStamped
    self.clock = clock
    width = scanOut.pipe.mode.width
    height = scanOut.pipe.mode.height
    flip = FlipState(count: buffering.count)
    for index in 0..<flip.count { buffers.append(try Self.buffer(index, of: scanOut)) }
    isModeSet = try scanOut.tryModeSet(framebuffer: buffers[0].scanOut.framebuffer)
    if isModeSet {
      _ = flip.submit(0)
      _ = flip.complete()
    }
    wait.handler = { [weak self] vblank in self?.waited(vblank) }
    // One that fired without an interval would be spent.
    timer = FrameLoop.Timer(
      fireTime: .distantFuture, interval: Nanoseconds(.max), .onMain { [weak self] timer in self?.look(timer) })
    turnEnd = FrameLoop.Observer(
      [.beforeWaiting, .exit], order: ObserverOrder.afterCommit + 1, .onMain { [weak self] _, _ in self?.showCursor() })
    // The turn's end does the rest.
    cursorTimer = .parked {}
    events.onFlip = { [weak self] token, time, sequence in self?.flipped(token, time, sequence) }
  }

  private static func buffer(_ index: Int, of scanOut: ScanOut) throws(KMSError) -> Buffer {
    let mode = scanOut.pipe.mode
    do throws(SystemError) {
      guard let bitmap = try? Bitmap(width: mode.width, height: mode.height) else {
        throw SystemError(call: "posix_memalign", subject: "\(mode.width)x\(mode.height)", errno: ENOMEM)
      }
      let memory = try DumbBuffer(interface: scanOut.interface, width: mode.width, height: mode.height)
      return Buffer(shadow: PresentationBuffer(bitmap: bitmap, index: index), scanOut: memory)
    } catch {
      throw scanOut.pipe.error(error)
    }
  }

  /// Whether the driver is told what of a frame differs.
  public var takesDamage: Bool { scanOut.takesDamage }

  public func acquireBuffer() -> PresentationBuffer? {
    guard !isStopped, let index = flip.free else { return nil }
    return buffers[index].shadow
  }

  /// - Throws: `KMSError.lost` when the device was removed or another program is its master, `.refused` otherwise.
  public func present(_ buffer: PresentationBuffer, damage: DamageRegion) throws {
    if isStopped { throw loss ?? scanOut.pipe.error(SystemError(call: "present", errno: ENODEV)) }
    // One of another presenter, which this one has replaced meanwhile, may be smaller.
    guard buffers.indices.contains(buffer.index), buffers[buffer.index].shadow.bitmap === buffer.bitmap else {
      throw scanOut.pipe.error(SystemError(call: "present", errno: EBADF))
    }
    buffers[buffer.index].damage = damage
    buffers[buffer.index].scanOut.copy(from: buffer.bitmap, damage: damage)
    if flip.submit(buffer.index) { try begin(buffer.index) }
  }

  // MARK: Handing over

  /// A frame pends from now on: the kernel is to have it. One that it refuses pends no longer.
  private func begin(_ index: Int) throws(KMSError) {
    if isCursorPending { return }
    if let time = timeout.begin(at: clock.now) { timer?.nextFireTime = time }
    try commit(index)
  }

  private func commit(_ index: Int) throws(KMSError) {
    token &+= 1
    submitted = clock.now
    isFlip = isModeSet
    isAsynchronous = false
    do throws(KMSError) {
      if isFlip { try commitFlip(index) } else { try commitModeSet(index) }
    } catch {
      forget()
      // The screen may have been switched off by somebody.
      isModeSet = false
      // Without a mode there are no vblanks at which to try again: that is the display's to do.
      if case .lost = error { onLost?(error) } else if !isFlip { onLost?(error) }
      throw error
    }
  }

  private func commitFlip(_ index: Int) throws(KMSError) {
    let buffer = buffers[index]
    isAsynchronous = try flipAsynchronously(framebuffer: buffer.scanOut.framebuffer, token: events.token(token))
    if isAsynchronous { return }
    let setting = cursorSetting()
    do throws(KMSError) {
      let answer = try scanOut.flip(
        framebuffer: buffer.scanOut.framebuffer, damage: buffer.damage, cursor: setting, token: events.token(token))
      cursorAnswered(answer)
    } catch {
      guard case .refused(_, _, let reason) = error,
        CommitAnswer(errno: reason.errno, isFlip: true, hasExtras: false) == .retryAtVBlank
      else { throw error }
      // If what is in the way does not pass, the frame's time runs out.
      isRetrying = true
      wait.start(after: submitted)
    }
  }

  private func commitModeSet(_ index: Int) throws(KMSError) {
    cursor.state.forget()
    let setting = cursorSetting() ?? .hidden
    let answer = try scanOut.modeSet(
      framebuffer: buffers[index].scanOut.framebuffer, cursor: setting, token: events.token(token))
    isModeSet = true
    cursorAnswered(answer)
    onModeSet?()
    if !scanOut.modeSetsAreTold { wait.start(after: submitted) }
  }

  public func add(to loop: FrameLoop, mode: FrameLoop.Mode) {
    events.add(.flips, to: loop, mode: mode)
    if let timer { loop.add(timer, to: mode) }
    if let turnEnd { loop.add(turnEnd, to: mode) }
    if let cursorTimer { loop.add(cursorTimer, to: mode) }
  }

  public func invalidate() {
    stop()
    // Fails when the card is gone or another program's: then there is nothing of ours to bring back.
    try? scanOut.restore()
    // Only now: a framebuffer that is removed while it is scanned out takes the picture with it.
    buffers = []
    scanOut.freeCursor()
  }

  /// Ends it, and leaves the screen as it is: no buffer is to be had any more, what pends is forgotten, and the device is
  /// not asked again.
  ///
  /// - Parameter error: why, for who presents all the same.
  func stop(_ error: KMSError? = nil) {
    loss = error
    isStopped = true
    forget()
    timer?.invalidate()
    timer = nil
    turnEnd?.invalidate()
    turnEnd = nil
    cursorTimer?.invalidate()
    cursorTimer = nil
    wait.handler = nil
    onEvent = nil
    onLost = nil
    onRefusal = nil
    onModeSet = nil
  }

  /// Leaves it to the next presenter to bring back what the screen showed before it was ours.
  func handOver() -> PreviousScreen? { scanOut.handOver() }

  /// Frees the buffers; what the screen shows of them is gone. Brings nothing back.
  func freeBuffers() -> PreviousScreen? {
    buffers = []
    scanOut.freeCursor()
    return handOver()
  }

  /// What was handed over is not waited for any more.
  private func forget() {
    flip.cancel()
    timeout.end(isFlipSeen: false)
    isRetrying = false
    isCursorPending = false
    wait.cancel()
  }

  // MARK: Being seen

  private func flipped(_ token: UInt32, _ time: MonotonicTime, _ sequence: UInt32) {
    guard token == self.token, isCursorPending || flip.pending != nil, !isRetrying else { return }
    guard flipsAreStamped else {
      wait.start(after: submitted)
      return
    }
    if isCursorPending { return endCursor() }
    let reference = ticker.lastVBlank?.sequence ?? (try? scanOut.interface.sequence(ofCRTC: scanOut.pipe.crtc).sequence)
    let wide = reference.map { UInt64(widening: sequence, near: $0) } ?? UInt64(sequence)
    // One that has not waited is stamped with the vblank before it.
    complete(PresentationFeedback(timestamp: isAsynchronous ? max(time, submitted) : time, sequence: wide))
  }

  private func waited(_ vblank: VBlank) {
    if isCursorPending {
      endCursor()
    } else if isRetrying, let index = flip.pending {
      isRetrying = false
      do throws(KMSError) { try commit(index) } catch { onEvent?(.refused(error)) }
    } else {
      complete(PresentationFeedback(timestamp: vblank.timestamp, sequence: vblank.sequence))
    }
  }

  private func complete(_ feedback: PresentationFeedback) {
    guard flip.complete() else { return }
    timeout.end(isFlipSeen: isFlip)
    // The frame that waited comes before everything else: its vblank is the next one.
    let refusal = beginPending()
    onEvent?(.presented(feedback))
    if let refusal { onEvent?(.refused(refusal)) }
  }

  private func beginPending() -> KMSError? {
    guard let next = flip.pending else { return nil }
    do throws(KMSError) {
      try begin(next)
      return nil
    } catch {
      return error
    }
  }

  // MARK: A cursor without a frame

  /// At the end of a turn: shows a change of the cursor that no frame has taken along, once in an interval.
  private func showCursor() {
    guard cursor.state.isDue, isModeSet, !isStopped else { return }
    let now = clock.now
    if scanOut.cursorRidesWithFrames {
      // The turn of a tick that is due may have a frame, which would have to wait for the cursor.
      if flip.pending != nil || isCursorPending || ticker.isTickDue(at: now) { return }
      if let later = CursorState.wait(
        isVariable: scanOut.isVariable, isFrameWanted: ticker.isAwaitingVBlank, last: submitted, now: now)
      {
        cursorTimer?.nextFireTime = later
        return
      }
      token &+= 1
      submitted = now
    } else {
      // More often nobody would see it, and there are drivers that wait for a vblank each time.
      if let time = cursorChanged.map({ $0 + scanOut.pipe.refreshRate.interval }), now < time {
        cursorTimer?.nextFireTime = time
        return
      }
      cursorChanged = now
    }
    guard let setting = cursorSetting() else { return }
    do throws(KMSError) {
      isCursorPending = try scanOut.setCursor(setting, token: events.token(token))
      cursorAnswered(.told)
      if isCursorPending, let time = timeout.begin(at: now) { timer?.nextFireTime = time }
    } catch {
      failedToShowCursor(error)
    }
  }

  private func failedToShowCursor(_ error: KMSError) {
    guard case .refused(_, _, let reason) = error else {
      onLost?(error)
      return
    }
    if CommitAnswer(errno: reason.errno, isFlip: true, hasExtras: false) == .retryAtVBlank {
      if reason.errno == ENOMEM { cursorAnswered(.lacksMemory(reason)) }
      // It may be refused by now, and there be none to hide.
      guard cursor.state.isDue else { return }
      // No frame waits for a legacy call, and no event tells of it.
      guard scanOut.cursorRidesWithFrames else {
        cursorTimer?.nextFireTime = clock.now + scanOut.pipe.refreshRate.interval
        return
      }
      // Something else is on its way to the screen, and no frame can be there before it.
      (isCursorPending, isRetrying) = (true, true)
      wait.start(after: submitted)
    } else if scanOut.isOff {
      // That is not the cursor's fault, which is shown with the next frame: that one sets the mode.
      isModeSet = false
      onEvent?(.refused(error))
      // This turn's frame would have been before: there is to be another turn.
      cursorTimer?.nextFireTime = clock.now
    } else {
      cursorAnswered(.refused(reason))
      // What is there goes, instead of the one that was to come.
      if cursor.state.isDue { cursorTimer?.nextFireTime = clock.now }
    }
  }

  /// The cursor is seen, or may be handed over again.
  private func endCursor() {
    if !isRetrying { timeout.end(isFlipSeen: true) }
    (isCursorPending, isRetrying) = (false, false)
    if let refusal = beginPending() { onEvent?(.refused(refusal)) }
  }

  /// The timer fired: looks whether the pending frame's event is overdue.
  private func look(_ timer: FrameLoop.Timer) {
    timer.nextFireTime = .distantFuture
    switch timeout.look(at: clock.now, hasUnread: events.hasUnread) {
    case .rest: break
    case .look(let time): timer.nextFireTime = time
    case .giveUp: giveUp()
    }
  }

  /// The pending frame's event is lost. It may be on the screen or not: the next frame sets the mode anew.
  private func giveUp() {
    lostFlips += 1
    isModeSet = false
    forget()
    let reason = SystemError(call: "flip event", errno: ETIMEDOUT)
    let pipe = scanOut.pipe
    guard timeout.lostInARow < FlipTimeout.most else {
      onLost?(.lost(connector: pipe.connector.name, mode: pipe.mode.description, reason))
      return
    }
    onEvent?(.refused(KMSError.refused(connector: pipe.connector.name, mode: pipe.mode.description, reason)))
  }
}
