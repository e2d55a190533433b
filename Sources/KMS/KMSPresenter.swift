public import Compositing
import FrameTiming
import Glibc
import LinuxSystem
public import Presentation
import Raster
public import RunLoops

/// Shows frames on a screen: two or three buffers, flipped at vblank.
///
/// Frames are composited in ordinary memory, one bitmap for each scan-out buffer, and what was painted is copied out. The
/// first frame sets the mode. `onPresented` comes with the flip event and its stamp; drivers without vblank send that event
/// at once and without a sequence: there the frame counts as shown at the next tick, which keeps the application at the
/// display's pace.
@MainActor
public final class KMSPresenter: Presenter {
  public let width: Int
  public let height: Int
  public var onPresented: (@MainActor (PresentationFeedback) -> Void)?
  public var onRefused: (@MainActor (any Error) -> Void)?
  /// Called once when the screen takes no more frames.
  var onLost: ((KMSError) -> Void)?
  /// Called after each mode-set: the CRTC is on.
  var onModeSet: (() -> Void)?

  /// The memory to paint in, and the memory that is scanned out.
  private struct Buffer {
    let shadow: PresentationBuffer
    let scanOut: DumbBuffer
    /// What was painted in it since it was on the screen.
    var damage = DamageRegion()
  }

  private let scanOut: ScanOut
  private let ticker: DisplayTicker
  private let clock: SystemClock
  private let flipsAreStamped: Bool
  private let events: DRMEventRoute
  private var buffers: [Buffer] = []
  private var flip: FlipState
  private var wait: VBlankWait?
  private var token: UInt32 = 0
  private var submitted = MonotonicTime.zero
  private(set) var isModeSet = false
  /// Why the screen takes no more frames; nil while it does.
  private var loss: KMSError?

  /// Makes the buffers and asks the driver whether it takes the mode. Changes nothing on the screen but with the legacy
  /// interface, which shows the first buffer, black, from then on.
  ///
  /// - Parameter flipsAreStamped: whether flip events carry a vblank's stamp and sequence.
  init(
    scanOut: ScanOut, buffering: Buffering, events: DRMEventRoute, ticker: DisplayTicker, flipsAreStamped: Bool,
    clock: SystemClock
  ) throws(KMSError) {
    self.scanOut = scanOut
    self.events = events
    self.ticker = ticker
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
    wait = VBlankWait(ticker: ticker) { [weak self] vblank in
      self?.complete(PresentationFeedback(timestamp: vblank.timestamp, sequence: vblank.sequence))
    }
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
    guard loss == nil, !buffers.isEmpty, let index = flip.free else { return nil }
    return buffers[index].shadow
  }

  /// - Throws: `KMSError.lost` when the device was removed or another program is its master, `.refused` otherwise.
  public func present(_ buffer: PresentationBuffer, damage: DamageRegion) throws {
    if let loss { throw loss }
    guard buffers.indices.contains(buffer.index) else {
      throw scanOut.pipe.error(SystemError(call: "present", errno: EBADF))
    }
    buffers[buffer.index].damage = damage
    buffers[buffer.index].scanOut.copy(from: buffer.bitmap, damage: damage)
    if flip.submit(buffer.index) { try commit(buffer.index) }
  }

  /// Gives the kernel the buffer that pends. One that it refuses pends no longer.
  private func commit(_ index: Int) throws(KMSError) {
    let framebuffer = buffers[index].scanOut.framebuffer
    token &+= 1
    submitted = clock.now
    do throws(KMSError) {
      if isModeSet {
        try scanOut.flip(framebuffer: framebuffer, damage: buffers[index].damage, token: events.token(token))
      } else {
        try scanOut.modeSet(framebuffer: framebuffer, token: events.token(token))
      }
    } catch {
      flip.cancel()
      if case .lost = error { onLost?(error) }
      throw error
    }
    if !isModeSet {
      isModeSet = true
      onModeSet?()
    }
  }

  public func add(to loop: FrameLoop, mode: FrameLoop.Mode) {
    events.add(.flips, to: loop, mode: mode)
    wait?.add(to: loop, mode: mode)
  }

  public func invalidate() {
    wait?.invalidate()
    wait = nil
    flip.cancel()
    onPresented = nil
    onRefused = nil
    onLost = nil
    onModeSet = nil
    // Fails when the card is gone or another program's: then there is nothing of ours to bring back.
    try? scanOut.restore()
    // Only now: a framebuffer that is removed while it is scanned out takes the picture with it.
    buffers = []
  }

  /// The screen is gone: no buffer is to be had any more, what pends is forgotten, and the device is not asked again.
  func lose(_ error: KMSError) {
    loss = error
    flip.cancel()
    wait?.cancel()
  }

  private func flipped(_ token: UInt32, _ time: MonotonicTime, _ sequence: UInt32) {
    guard token == self.token, flip.pending != nil else { return }
    guard flipsAreStamped else {
      wait?.start(after: submitted)
      return
    }
    let reference = ticker.lastVBlank?.sequence ?? (try? scanOut.interface.sequence(ofCRTC: scanOut.pipe.crtc).sequence)
    let wide = reference.map { UInt64(widening: sequence, near: $0) } ?? UInt64(sequence)
    complete(PresentationFeedback(timestamp: time, sequence: wide))
  }

  private func complete(_ feedback: PresentationFeedback) {
    guard flip.complete() else { return }
    var refusal: KMSError?
    // The frame that waited comes before everything else: its vblank is the next one.
    if let next = flip.pending {
      do throws(KMSError) { try commit(next) } catch { refusal = error }
    }
    onPresented?(feedback)
    if let refusal { onRefused?(refusal) }
  }
}
