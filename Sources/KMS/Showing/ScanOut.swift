import CDRM
import Geometry
import Glibc
import LinuxSystem
import Raster
import RenderTree

/// Shows framebuffers through one pipe of a card: mode-set, flip, and at the end the screen as it was found.
///
/// Atomic where the card is, by the legacy calls otherwise. Keeps no account of pending flips: that is the presenter's.
final class ScanOut {
  let interface: any DRMInterface
  let pipe: ScanOutPipe
  private let atomic: AtomicPipe?
  private var previous: PreviousScreen?
  private var hasChanged = false
  /// Nil where there is no cursor.
  private var cursorBuffers: CursorBuffers?
  /// What the legacy call shows.
  private var legacyCursor: UInt32 = 0
  private var legacyImage: UInt64 = 0
  private var bounds: IntRect { IntRect(x: 0, y: 0, width: pipe.mode.width, height: pipe.mode.height) }

  /// Looks up what the pipe needs, and saves what it shows unless that was found earlier. Changes nothing yet.
  ///
  /// - Parameters:
  ///   - claims: of the card.
  ///   - previous: what is to be brought back at the end, if that was found earlier.
  init(
    interface: any DRMInterface, pipe: ScanOutPipe, connectors: [DRMConnector], claims: ScreenClaims,
    previous: PreviousScreen? = nil
  ) throws(KMSError) {
    self.interface = interface
    self.pipe = pipe
    do throws(SystemError) {
      atomic = if let plane = pipe.plane { try AtomicPipe(interface: interface, pipe: pipe, plane: plane) } else { nil }
      takesDamage = atomic?.planeDamage != nil
      if let previous {
        self.previous = previous
      } else {
        var saved = try SavedScreen(of: pipe.crtc, connectors: connectors, on: interface)
        if let atomic { try saved.keep(atomic.reset, on: interface) }
        self.previous = PreviousScreen(saved, on: interface, claims: claims)
      }
    } catch {
      throw pipe.error(error)
    }
    if atomic?.cursor != nil { cursorBuffers = makeCursorBuffers(format: .argb8888) }
  }

  deinit {
    // A display that could not be made leaves the screen as it was found; there is nobody to tell a failure.
    if hasChanged { try? restore() }
  }

  /// Whether flips carry damage to the kernel.
  private(set) var takesDamage: Bool
  /// Whether somebody has switched the CRTC off, as far as an atomic driver says.
  var isOff: Bool { atomic?.isOff ?? false }
  /// Whether a flip event follows a mode-set.
  var modeSetsAreTold: Bool { atomic != nil }

  /// Asks the driver whether it takes the mode. A legacy driver can only be asked by setting it.
  ///
  /// - Returns: whether the mode is set now, and the framebuffer shown.
  func tryModeSet(framebuffer: UInt32) throws(KMSError) -> Bool {
    guard let atomic else {
      _ = try modeSet(framebuffer: framebuffer, cursor: .hidden, token: 0)
      if hasLegacyCursor { cursorBuffers = makeCursorBuffers(format: nil) }
      return true
    }
    try named { () throws(SystemError) in
      try atomic.modeSet(framebuffer: framebuffer, cursor: .hidden, flags: [.testOnly, .allowModeSet], token: 0)
    }
    return false
  }

  /// Sets the mode and shows a framebuffer. Returns when the hardware has taken it; a flip event with `token` follows,
  /// from atomic drivers alone. A driver that refuses it with its cursor, and takes it without, is shown it without. The
  /// legacy calls leave the cursor as it is.
  func modeSet(framebuffer: UInt32, cursor: CursorSetting, token: UInt64) throws(KMSError) -> CursorAnswer {
    // Before the first change, so that one that fails halfway is undone too.
    previous?.willChange()
    hasChanged = true
    return try named { () throws(SystemError) in
      if let atomic { return try modeSet(atomic, framebuffer, cursor, token) }
      (legacyCursor, legacyImage) = (0, 0)
      try interface.setCRTC(
        pipe.crtc, framebuffer: framebuffer, x: 0, y: 0, connectors: [pipe.connector.id], mode: pipe.mode)
      return .left
    }
  }

  private func modeSet(
    _ atomic: AtomicPipe, _ framebuffer: UInt32, _ cursor: CursorSetting, _ token: UInt64
  ) throws(SystemError) -> CursorAnswer {
    let flags: DRMCommitFlags = [.allowModeSet, .flipEvent]
    do throws(SystemError) {
      try atomic.modeSet(framebuffer: framebuffer, cursor: cursor, flags: flags, token: token)
      return .told
    } catch {
      guard case .shown = cursor,
        CommitAnswer(errno: error.errno, isFlip: false, hasExtras: true) == .retryWithoutExtras
      else { throw error }
      try atomic.modeSet(framebuffer: framebuffer, cursor: .hidden, flags: flags, token: token)
      return error.errno == ENOMEM ? .lacksMemory(error) : .refused(error)
    }
  }

  /// Shows another framebuffer from the next vblank on; a flip event with `token` tells. Not to be called while a flip
  /// pends. A driver that refuses it with its cursor or damage, and takes it without, is shown it without; and is told of no
  /// damage any more.
  ///
  /// - Parameter cursor: nil for as it was. The legacy calls leave it so in any case.
  func flip(
    framebuffer: UInt32, damage: DamageRegion, cursor: CursorSetting?, token: UInt64
  ) throws(KMSError) -> CursorAnswer {
    try named { () throws(SystemError) in
      guard let atomic else {
        try interface.pageFlip(crtc: pipe.crtc, framebuffer: framebuffer, isAsynchronous: false, token: token)
        return .left
      }
      do throws(SystemError) {
        if takesDamage {
          try atomic.flip(framebuffer: framebuffer, damage: damage, bounds: bounds, cursor: cursor, token: token)
        } else {
          try atomic.flip(framebuffer: framebuffer, cursor: cursor, token: token)
        }
        return cursor == nil ? .left : .told
      } catch {
        // Memory may be short for the cursor alone, and then for longer than a frame can wait.
        if cursor != nil, error.errno == ENOMEM {
          return try flip(atomic, framebuffer, damage, withoutCursor: .lacksMemory(error), token)
        }
        let answer = CommitAnswer(errno: error.errno, isFlip: true, hasExtras: takesDamage || cursor != nil)
        guard answer == .retryWithoutExtras else { throw error }
        if cursor != nil { return try flip(atomic, framebuffer, damage, withoutCursor: .refused(error), token) }
        try atomic.flip(framebuffer: framebuffer, cursor: nil, token: token)
        takesDamage = false
        return .left
      }
    }
  }

  private func flip(
    _ atomic: AtomicPipe, _ framebuffer: UInt32, _ damage: DamageRegion, withoutCursor answer: CursorAnswer, _ token: UInt64
  ) throws(SystemError) -> CursorAnswer {
    guard takesDamage else {
      try atomic.flip(framebuffer: framebuffer, cursor: nil, token: token)
      return answer
    }
    do throws(SystemError) {
      try atomic.flip(framebuffer: framebuffer, damage: damage, bounds: bounds, cursor: nil, token: token)
      return answer
    } catch {
      guard CommitAnswer(errno: error.errno, isFlip: true, hasExtras: true) == .retryWithoutExtras else { throw error }
      try atomic.flip(framebuffer: framebuffer, cursor: nil, token: token)
      takesDamage = false
      return .left
    }
  }

  /// Brings back what the screen showed before the first mode-set; does nothing before one and the second time.
  func restore() throws(KMSError) {
    try named { () throws(SystemError) in try previous?.restore() }
  }

  /// Leaves the screen as it is: what was found is brought back by who shows on it next.
  func handOver() -> PreviousScreen? {
    defer { previous = nil }
    return previous
  }

  /// Adds connector and mode to an error, and tells a display that is gone from one that refuses.
  private func named<Result>(_ body: () throws(SystemError) -> Result) throws(KMSError) -> Result {
    do throws(SystemError) {
      return try body()
    } catch {
      throw pipe.error(error)
    }
  }
}

// MARK: Rate

extension ScanOut {
  var canVaryRate: Bool { atomic?.canVaryRate ?? false }
  var isVariable: Bool { atomic?.isVariable ?? false }

  /// Lets the rate vary, or no more: asks the driver first.
  ///
  /// - Parameter isModeSet: otherwise it goes with the mode-set.
  func setVariable(_ isVariable: Bool, isModeSet: Bool) throws(KMSError) {
    guard let atomic else { return }
    try named { () throws(SystemError) in
      try atomic.setVariable(isVariable, flags: .testOnly)
      if isModeSet { try atomic.setVariable(isVariable, flags: []) }
    }
    atomic.isVariable = isVariable
  }
}

// MARK: Tearing

extension ScanOut {
  /// By which call a flip need not wait for the vblank; nil for none.
  enum AsynchronousFlip { case atomic, legacy }

  /// What the driver says that it can. By the legacy call with atomic drivers too, before Linux 6.8.
  var asynchronousFlip: AsynchronousFlip? {
    func has(_ capability: Int32) -> Bool { (try? interface.capability(capability)) ?? 0 != 0 }
    if atomic != nil, has(DRMDevice.atomicAsynchronousFlipCapability) { return .atomic }
    return has(DRM_CAP_ASYNC_PAGE_FLIP) ? .legacy : nil
  }

  /// Shows another framebuffer at once; a flip event with `token` tells.
  ///
  /// - Parameter isTested: whether the driver has taken one before.
  func flipAsynchronously(
    _ way: AsynchronousFlip, framebuffer: UInt32, isTested: Bool, token: UInt64
  ) throws(KMSError) {
    try named { () throws(SystemError) in
      guard way == .atomic, let atomic else {
        return try interface.pageFlip(crtc: pipe.crtc, framebuffer: framebuffer, isAsynchronous: true, token: token)
      }
      if !isTested { try atomic.flipAsynchronously(framebuffer: framebuffer, flags: .testOnly, token: 0) }
      try atomic.flipAsynchronously(framebuffer: framebuffer, flags: [.nonBlocking, .flipEvent], token: token)
    }
  }
}

// MARK: Cursor

extension ScanOut {
  /// What has become of a cursor that was to be shown.
  enum CursorAnswer {
    case told
    /// Nothing was said of it.
    case left
    /// Not now: memory is short, which may be for a moment.
    case lacksMemory(SystemError)
    case refused(SystemError)
  }

  /// Whether a frame takes a change of the cursor along.
  var cursorRidesWithFrames: Bool { atomic != nil }

  /// The size of the hardware's cursors; nil where there is none.
  var cursorSize: (width: Int, height: Int)? { cursorBuffers.map { ($0.width, $0.height) } }

  /// What the driver is to be told so that an image is shown. Only for one that fits, and while no other is on its way.
  func cursorSetting(_ image: Image, _ look: CursorState.Look) throws(KMSError) -> CursorSetting {
    try named { () throws(SystemError) in
      guard let cursorBuffers else { return .hidden }
      return .shown(try cursorBuffers.buffer(for: image), look)
    }
  }

  /// A setting of the image was taken.
  func didShowCursor(_ image: UInt64) { cursorBuffers?.didShow(image) }

  /// Shows the cursor otherwise, without a frame. Not to be called while a flip pends.
  ///
  /// - Returns: whether a flip event with `token` follows: otherwise it is done.
  func setCursor(_ cursor: CursorSetting, token: UInt64) throws(KMSError) -> Bool {
    try named { () throws(SystemError) in
      guard let atomic else {
        try setLegacyCursor(cursor)
        return false
      }
      try atomic.setCursor(cursor, token: token)
      return true
    }
  }

  /// The memory goes, and what the screen shows of it.
  func freeCursor() { cursorBuffers?.free() }

  /// Nothing but the call itself tells. What is shown is left alone: the buffer is one that there is not.
  private var hasLegacyCursor: Bool {
    do throws(SystemError) {
      try interface.setCursor(ofCRTC: pipe.crtc, handle: .max, width: 64, height: 64, hotSpotX: 0, hotSpotY: 0)
      return true
    } catch {
      return ![ENXIO, EOPNOTSUPP, ENOSYS].contains(error.errno)
    }
  }

  private func setLegacyCursor(_ cursor: CursorSetting) throws(SystemError) {
    guard case .shown(let buffer, let look) = cursor else {
      legacyCursor = 0
      return try interface.setCursor(ofCRTC: pipe.crtc, handle: 0, width: 0, height: 0, hotSpotX: 0, hotSpotY: 0)
    }
    // First to its place: it shall not be seen elsewhere.
    try interface.moveCursor(ofCRTC: pipe.crtc, x: look.x, y: look.y)
    previous?.willShowCursor()
    guard buffer.handle != legacyCursor || look.image != legacyImage else { return }
    try interface.setCursor(
      ofCRTC: pipe.crtc, handle: buffer.handle, width: buffer.width, height: buffer.height, hotSpotX: look.hotSpotX,
      hotSpotY: look.hotSpotY)
    (legacyCursor, legacyImage) = (buffer.handle, look.image)
  }

  private func makeCursorBuffers(format: DRMPixelFormat?) -> CursorBuffers {
    // Older drivers do not say: 64 is what all have.
    func side(_ capability: Int32) -> Int {
      let value = (try? interface.capability(capability)) ?? 0
      return (1...1024).contains(value) ? Int(value) : 64
    }
    return CursorBuffers(
      interface: interface, width: side(DRM_CAP_CURSOR_WIDTH), height: side(DRM_CAP_CURSOR_HEIGHT), format: format)
  }
}

extension ScanOutPipe {
  /// A system error with the pipe's connector and mode. A device that was removed and a lost master are losses, anything
  /// else a refusal.
  func error(_ error: SystemError) -> KMSError {
    CommitAnswer(errno: error.errno, isFlip: false, hasExtras: false) == .lost
      ? .lost(connector: connector.name, mode: mode.description, error)
      : .refused(connector: connector.name, mode: mode.description, error)
  }
}
