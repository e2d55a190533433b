import FrameTiming
import Geometry
import Glibc
package import LinuxSystem
package import Presentation
package import Raster
package import RenderTree
import RunLoops

/// Hears what becomes of a screen. There is one owner, the display or the probe that uses the screen.
@MainActor
protocol ScreenOwner: AnyObject {
  func screen(reports report: ScreenReport)
}

enum ScreenReport: Equatable, Sendable {
  /// No frame or vblank comes any more.
  case lost(KMSError)
  /// The screen goes on without a feature that was requested.
  case refused(FeatureRefusal)
  /// A mode was set: the CRTC is on.
  case modeSet
}

/// Shows frames on a screen: two or three buffers, flipped at vblank. A `KMSDisplay` makes it.
///
/// Frames are composited in ordinary memory, one bitmap for each scan-out buffer, and the painted pixels are copied into
/// it. The first frame sets the mode. `.presented` comes with the flip event and its stamp. Drivers without vblank send
/// that event at once and without a sequence: a frame counts as shown at the next tick there, which keeps the application
/// at the display's pace.
///
/// A flip that the kernel refuses because another commit pends is committed again at the next vblank. A flip whose event
/// does not come for a second is given up and reported as `.refused`, and the next frame sets the mode anew.
///
/// `CommitQueue` decides all of this; the presenter makes its calls.
@MainActor
package final class KMSPresenter: Presenter {
  package let width: Int
  package let height: Int
  package var onEvent: (@MainActor (PresenterEvent) -> Void)?
  weak var owner: (any ScreenOwner)?

  /// The memory to paint in, and the memory that is scanned out.
  private struct Buffer {
    let shadow: Bitmap
    let scanOut: DumbBuffer
    /// The pixels that were painted since the buffer was on the screen.
    var damage = DamageRegion()
  }

  let scanOut: ScanOut
  let ticker: DisplayTicker
  let clock: SystemClock
  let events: DRMEventRoute
  private let wait: VBlankWait
  private var buffers: [Buffer] = []
  private(set) var queue: CommitQueue
  var cursor = CursorPlane()
  var tearing = TearingState.off
  /// The time when the legacy calls last changed the cursor, which they do at once.
  var legacyCursorChange: MonotonicTime?
  /// Looks after an event that is overdue.
  private lazy var alarm = FrameLoop.Alarm(
    .onMain { [weak self] in
      guard let self else { return }
      handle(.alarm(hasUnread: events.hasUnread))
    })
  /// Brings about a turn whose end shows a cursor that has waited for it.
  private(set) lazy var cursorAlarm = FrameLoop.Alarm(.onMain {})
  /// A turn's frame has been committed by then, if there is one.
  private lazy var turnEnd = FrameLoop.Observer(
    [.beforeWaiting, .exit], order: ObserverOrder.afterCommit + 1, .onMain { [weak self] _, _ in self?.showCursor() })
  private(set) lazy var items = FrameLoop.ItemGroup([events.loopItem, alarm, cursorAlarm, turnEnd])

  /// Makes the buffers and asks the driver whether it takes the mode. Changes nothing on the screen, except with the legacy
  /// interface, which shows the first buffer, black, from then on.
  ///
  /// - Parameters:
  ///   - wait: the display's; used until `stop()`.
  ///   - flipsAreStamped: whether flip events carry a vblank's stamp and sequence.
  init(
    scanOut: ScanOut, buffering: Buffering, events: DRMEventRoute, ticker: DisplayTicker, wait: VBlankWait,
    flipsAreStamped: Bool, clock: SystemClock
  ) throws(SystemError) {
    self.scanOut = scanOut
    self.events = events
    self.ticker = ticker
    self.wait = wait
    self.clock = clock
    (width, height) = (scanOut.pipe.bounds.width, scanOut.pipe.bounds.height)
    queue = CommitQueue(bufferCount: buffering.count, flipsAreStamped: flipsAreStamped)
    for _ in 0..<buffering.count { buffers.append(try Self.buffer(of: scanOut)) }
    if try scanOut.tryModeSet(framebuffer: buffers[0].scanOut.framebuffer) { queue.beginShowing() }
    wait.handler = { [weak self] vblank in
      self?.handle(.vblank, seen: PresentationFeedback(timestamp: vblank.timestamp, sequence: vblank.sequence))
    }
    events.onFlip = { [weak self] token, time, sequence in self?.flipped(token, time, sequence) }
  }

  private static func buffer(of scanOut: ScanOut) throws(SystemError) -> Buffer {
    let (width, height) = (scanOut.pipe.bounds.width, scanOut.pipe.bounds.height)
    guard let bitmap = try? Bitmap(width: width, height: height) else {
      throw SystemError(call: "posix_memalign", subject: "\(width)x\(height)", errno: ENOMEM)
    }
    let memory = try DumbBuffer(interface: scanOut.interface, width: width, height: height)
    return Buffer(shadow: bitmap, scanOut: memory)
  }

  /// True if commits name the pixels that differ from the frame before.
  package var takesDamage: Bool { scanOut.takesDamage }
  /// The number of flips that were given up because their event did not come.
  var lostFlips: UInt64 { queue.lost }
  var isModeSet: Bool { queue.isModeSet }

  package var shownBitmap: Bitmap? {
    queue.shownBuffer.flatMap { buffers.indices.contains($0) ? buffers[$0].shadow : nil }
  }

  // MARK: Frames

  package func acquireBuffer() -> PresentationBuffer? {
    queue.freeBuffer.map { PresentationBuffer(target: buffers[$0].shadow, index: $0) }
  }

  /// - Throws: `KMSError.lost` when the device was removed or another program is its master, `.refused` otherwise.
  package func present(_ buffer: PresentationBuffer, damage: DamageRegion, target: MonotonicTime?) throws {
    do throws(SystemError) {
      if queue.isStopped { throw SystemError(call: "present", errno: ENODEV) }
      // The buffer of a presenter that this one has replaced may be smaller.
      guard buffers.indices.contains(buffer.index), buffers[buffer.index].shadow === buffer.target else {
        throw SystemError(call: "present", errno: EBADF)
      }
      buffers[buffer.index].damage = damage
      buffers[buffer.index].scanOut.copy(from: buffers[buffer.index].shadow, damage: damage)
      try perform(queue.handle(.present(buffer.index), at: clock.now))
    } catch {
      throw scanOut.pipe.error(error)
    }
  }

  private func flipped(_ token: UInt32, _ time: MonotonicTime, _ sequence: UInt32) {
    // 0 for none: another source ticks now.
    let last = ticker.lastVBlank?.sequence ?? 0
    let reference = last != 0 ? last : try? scanOut.interface.sequence(ofCRTC: scanOut.pipe.crtc).sequence
    let wide = reference.map { UInt64(widening: sequence, near: $0) } ?? UInt64(sequence)
    handle(.flipEvent(token: token), seen: PresentationFeedback(timestamp: time + ticker.stampOffset, sequence: wide))
  }

  /// Handles an event that no call waits for: an error goes to the owner.
  func handle(_ event: CommitQueue.Event, seen: PresentationFeedback? = nil) {
    do throws(SystemError) {
      try perform(queue.handle(event, at: clock.now), seen: seen)
    } catch {
      onEvent?(.refused(scanOut.pipe.error(error)))
    }
  }

  /// - Parameter seen: when the frame was seen that the action reports as presented.
  private func perform(_ action: CommitQueue.Action, seen: PresentationFeedback? = nil) throws(SystemError) {
    switch action {
    case .none: break
    case .commit(let commit):
      do throws(SystemError) { try self.commit(commit) } catch { throw refused(commit, error) }
    case .awaitVBlank(let time): wait.start(after: time)
    case .presented(let notBefore, let next):
      var refusal: SystemError?
      if let next { do throws(SystemError) { try commit(next) } catch { refusal = error } }
      if var seen {
        seen.timestamp = max(seen.timestamp, notBefore)
        onEvent?(.presented(seen))
      }
      // Only now is the refused frame forgotten, together with one that the handler has presented behind it.
      if let next, let refusal, queue.state == .pending(next) { throw refused(next, refusal) }
    case .look(let time): alarm.fireTime = time
    case .giveUp(let isLast): giveUp(isLast: isLast)
    }
  }

  private func commit(_ commit: CommitQueue.Commit) throws(SystemError) {
    switch commit.content {
    case .cursor: commitCursor(commit)
    case .frame(let index):
      let picture = ScreenState.Picture(framebuffer: buffers[index].scanOut.framebuffer, damage: buffers[index].damage)
      if commit.way == .modeSet { try setMode(picture, commit) } else { try flip(picture, commit) }
    }
    if alarm.fireTime == nil { alarm.fireTime = queue.deadline }
  }

  /// Forgets a frame that the kernel has refused, and those behind it.
  private func refused(_ commit: CommitQueue.Commit, _ error: SystemError) -> SystemError {
    // Another program may have switched the screen off: the next frame sets the mode.
    handle(.refused)
    wait.cancel()
    // Without a mode there are no vblanks at which to try again: the display does that.
    if commit.way == .modeSet || error.isLoss { owner?.screen(reports: .lost(scanOut.pipe.error(error))) }
    return error
  }

  private func setMode(_ picture: ScreenState.Picture, _ commit: CommitQueue.Commit) throws(SystemError) {
    cursor.forget()
    let state = ScreenState(picture: picture, cursor: cursorSetting() ?? .hidden)
    cursorAnswered(try scanOut.commit(state, as: .modeSet, token: events.token(commit.token)))
    owner?.screen(reports: .modeSet)
    handle(.taken(isAsynchronous: false, isTold: scanOut.modeSetsAreTold))
  }

  private func flip(_ picture: ScreenState.Picture, _ commit: CommitQueue.Commit) throws(SystemError) {
    let token = events.token(commit.token)
    if try flipAsynchronously(framebuffer: picture.framebuffer, token: token) {
      return handle(.taken(isAsynchronous: true, isTold: true))
    }
    let state = ScreenState(picture: picture, cursor: cursorSetting())
    do throws(SystemError) {
      let answer = try scanOut.commit(state, as: .flip, token: token)
      handle(.taken(isAsynchronous: false, isTold: true))
      cursorAnswered(answer)
    } catch {
      // A refusal that does not pass runs into the frame's time limit.
      guard error.isPassing else { throw error }
      handle(.busy)
    }
  }

  /// The pending commit's event is lost. It may be on the screen or not: the next frame sets the mode anew.
  private func giveUp(isLast: Bool) {
    wait.cancel()
    let reason = SystemError(call: "flip event", errno: ETIMEDOUT)
    let (connector, mode) = (scanOut.pipe.connector.name, scanOut.pipe.mode.description)
    if isLast {
      owner?.screen(reports: .lost(.lost(connector: connector, mode: mode, reason)))
    } else {
      onEvent?(.refused(KMSError.refused(connector: connector, mode: mode, reason)))
    }
  }

  // MARK: The end

  package func invalidate() {
    stop()
    // Fails when the card is gone or another program's: then there is nothing of ours to restore.
    try? scanOut.previous.restore()
    // Only now: a framebuffer that is removed while it is scanned out takes the picture with it.
    freeBuffers()
  }

  /// Ends it, and leaves the screen as it is: no buffer can be acquired, pending frames are forgotten, and the device is not
  /// asked again.
  func stop() {
    if queue.isStopped { return }
    handle(.stop)
    wait.cancel()
    wait.handler = nil
    items.invalidate()
    (onEvent, owner) = (nil, nil)
  }

  /// Frees the buffers, and with them what the screen shows of them. Restores nothing.
  func freeBuffers() {
    buffers = []
    scanOut.freeCursor()
  }
}
