import CDRM
import Glibc
import LinuxSystem
import Presentation
import Raster
import RenderTree

/// Commits to one pipe of a card, and at the end restores the screen as it was found.
///
/// By atomic commits where the card has them, otherwise by the legacy calls. `CommitQueue` keeps track of pending commits.
final class ScanOut {
  let interface: any DRMInterface
  let pipe: ScanOutPipe
  private let atomic: AtomicPipe?
  /// The picture to restore at the end: the next screen's too, unless this is the display's last.
  let previous: PreviousScreen
  /// Nil where there is no cursor.
  private var cursorBuffers: CursorBuffers?
  /// The buffer that the legacy call shows, and the image in it.
  private var legacyCursor: (handle: UInt32, image: UInt64)?

  /// Looks up the pipe's properties, and saves the picture that it shows. Changes nothing yet.
  ///
  /// - Parameters:
  ///   - claims: the card's.
  ///   - previous: the picture to restore at the end, if it was saved earlier.
  init(
    interface: any DRMInterface, pipe: ScanOutPipe, connectors: [DRMConnector], claims: ScreenClaims,
    previous: PreviousScreen? = nil
  ) throws(SystemError) {
    self.interface = interface
    self.pipe = pipe
    atomic = if let plane = pipe.plane { try AtomicPipe(interface: interface, pipe: pipe, plane: plane) } else { nil }
    if let previous {
      self.previous = previous
    } else {
      let saved = try SavedScreen(
        of: pipe.crtc, connectors: connectors, settings: atomic?.reset.found ?? [], rotation: atomic?.rotation,
        on: interface)
      self.previous = PreviousScreen(saved, on: interface, claims: claims)
    }
    if atomic?.hasCursor == true { cursorBuffers = makeCursorBuffers(format: .argb8888) }
  }

  /// True if flips carry damage to the kernel.
  var takesDamage: Bool { atomic?.takesDamage ?? false }
  /// True if the CRTC is off, as far as an atomic driver says: another program may have switched it off.
  var isOff: Bool { atomic?.isOff ?? false }
  /// True if a flip event follows a mode-set.
  var modeSetsAreTold: Bool { atomic != nil }

  /// Asks the driver whether it takes the mode. The legacy calls can only ask by setting it.
  ///
  /// - Returns: true if the mode is set now, and the framebuffer shown.
  func tryModeSet(framebuffer: UInt32) throws(SystemError) -> Bool {
    let state = ScreenState(picture: .init(framebuffer: framebuffer), cursor: .hidden)
    guard let atomic else {
      do throws(SystemError) {
        _ = try commit(state, as: .modeSet, token: 0)
      } catch {
        // A display that could not be made leaves the screen as it was found.
        try? previous.restore()
        throw error
      }
      if hasLegacyCursor { cursorBuffers = makeCursorBuffers(format: nil) }
      return true
    }
    try atomic.modeSet(state, flags: [.testOnly, .allowModeSet], token: 0)
    return false
  }

  /// True if one commit takes a picture and a change of the cursor.
  var cursorRidesWithFrames: Bool { atomic != nil }

  /// Makes a commit. Not to be called while another one pends.
  ///
  /// A mode-set returns when the hardware has taken it, the other ways at once. A flip event with `token` follows where
  /// `isTold` says so. A driver that refuses the cursor or the damage, and takes the commit without it, gets it without; a
  /// driver that refuses damage once gets none any more. The legacy calls show the cursor by itself alone.
  ///
  /// - Returns: the driver's answer about the cursor.
  func commit(_ state: ScreenState, as way: CommitWay, token: UInt64) throws(SystemError) -> CursorAnswer {
    try ScreensAtExit.change { () throws(SystemError) in
      if way == .modeSet {
        // Before the first change, so that a mode-set that fails halfway is undone too.
        previous.willTurn(pipe.planeRotation.planeValue)
        previous.willChange()
      }
      guard let atomic else { return try commitByLegacyCalls(state, as: way, token: token) }
      return try commit(state, as: way, token: token, by: atomic)
    }
  }

  private func commit(
    _ state: ScreenState, as way: CommitWay, token: UInt64, by atomic: AtomicPipe
  ) throws(SystemError) -> CursorAnswer {
    var (state, answer) = (state, state.cursor == nil ? CursorAnswer.left : .told)
    var dropsDamage = false
    while true {
      do throws(SystemError) {
        if way == .modeSet {
          try atomic.modeSet(state, flags: [.allowModeSet, .flipEvent], token: token)
        } else {
          try atomic.flip(state, sendsDamage: atomic.takesDamage && !dropsDamage, token: token)
        }
        if dropsDamage { (atomic.takesDamage, answer) = (false, .left) }
        return answer
      } catch {
        let cursorRefusal = error.errno == ENOMEM ? CursorAnswer.lacksMemory(error) : .refused(error)
        let isAboutExtras =
          CommitAnswer(errno: error.errno, isFlip: way != .modeSet, hasExtras: true) == .retryWithoutExtras
        switch (way, state.cursor) {
        // No picture could be shown without it.
        case _ where state.picture == nil: throw error
        case (.modeSet, .shown) where isAboutExtras:
          (state.cursor, answer) = (.hidden, cursorRefusal)
        // Memory may be short for the cursor alone, and for longer than a frame can wait.
        case (.flip, .some) where isAboutExtras || error.errno == ENOMEM:
          (state.cursor, answer) = (nil, cursorRefusal)
        case (.flip, nil) where isAboutExtras && atomic.takesDamage && !dropsDamage:
          dropsDamage = true
        default: throw error
        }
      }
    }
  }

  private func commitByLegacyCalls(
    _ state: ScreenState, as way: CommitWay, token: UInt64
  ) throws(SystemError) -> CursorAnswer {
    guard let picture = state.picture else {
      try setLegacyCursor(state.cursor ?? .hidden)
      return .told
    }
    if way == .modeSet {
      legacyCursor = nil
      try interface.setCRTC(
        pipe.crtc, framebuffer: picture.framebuffer, x: 0, y: 0, connectors: [pipe.connector.id], mode: pipe.mode)
    } else {
      try interface.pageFlip(crtc: pipe.crtc, framebuffer: picture.framebuffer, isAsynchronous: false, token: token)
    }
    return .left
  }

  /// Switches the CRTC off, until the next mode-set.
  func switchOff() throws(SystemError) {
    try ScreensAtExit.change { () throws(SystemError) in
      try interface.setCRTC(pipe.crtc, framebuffer: 0, x: 0, y: 0, connectors: [], mode: nil)
    }
  }
}

// MARK: Rate

extension ScanOut {
  var canVaryRate: Bool { atomic?.canVaryRate ?? false }
  var isVariable: Bool { atomic?.isVariable ?? false }

  /// Lets the rate vary, or no longer. Asks the driver first.
  ///
  /// - Parameter isModeSet: true if it is done now; otherwise the mode-set does it.
  func setVariable(_ isVariable: Bool, isModeSet: Bool) throws(SystemError) {
    guard let atomic else { return }
    try atomic.setVariable(isVariable, flags: .testOnly)
    if isModeSet {
      try ScreensAtExit.change { () throws(SystemError) in try atomic.setVariable(isVariable, flags: []) }
    }
    atomic.isVariable = isVariable
  }
}

// MARK: Tearing

extension ScanOut {
  /// The call for flips that do not wait for the vblank.
  enum AsynchronousFlip { case atomic, legacy }

  /// The call that the driver says it has; nil for none. Before Linux 6.8 atomic drivers have the legacy call too.
  var asynchronousFlip: AsynchronousFlip? {
    func has(_ capability: Int32) -> Bool { (try? interface.capability(capability)) ?? 0 != 0 }
    if atomic != nil, has(DRMDevice.atomicAsynchronousFlipCapability) { return .atomic }
    return has(DRM_CAP_ASYNC_PAGE_FLIP) ? .legacy : nil
  }

  /// Shows another framebuffer at once; a flip event with `token` follows.
  ///
  /// - Parameter isTested: true if the driver has taken such a flip before.
  func flipAsynchronously(
    _ way: AsynchronousFlip, framebuffer: UInt32, isTested: Bool, token: UInt64
  ) throws(SystemError) {
    try ScreensAtExit.change { () throws(SystemError) in
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
  /// The driver's answer to a change of the cursor.
  enum CursorAnswer {
    case told
    /// The commit did not include the cursor.
    case left
    /// Memory is short, perhaps for a moment.
    case lacksMemory(SystemError)
    case refused(SystemError)
  }

  /// The size of the hardware's cursors; nil where there is none.
  var cursorSize: (width: Int, height: Int)? { cursorBuffers.map { ($0.width, $0.height) } }

  /// The setting that shows an image. Only for an image that fits, and while no other cursor pends.
  func cursorSetting(_ image: Image, _ look: CursorPlane.Look) throws(SystemError) -> CursorSetting {
    guard let cursorBuffers else { return .hidden }
    return .shown(try cursorBuffers.buffer(for: image, turned: pipe.rotation), look)
  }

  /// The driver has taken a setting with the image.
  func didShowCursor(_ image: UInt64) { cursorBuffers?.didShow(image) }

  /// Frees the cursor's memory, and with it the cursor on the screen.
  func freeCursor() { cursorBuffers?.free() }

  /// Only the call itself can tell. It names a buffer that does not exist, and so changes nothing.
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
      legacyCursor = nil
      return try interface.setCursor(ofCRTC: pipe.crtc, handle: 0, width: 0, height: 0, hotSpotX: 0, hotSpotY: 0)
    }
    // Move it first: it must not be seen elsewhere.
    try interface.moveCursor(ofCRTC: pipe.crtc, x: look.x, y: look.y)
    previous.willShowCursor()
    if let legacyCursor, legacyCursor == (buffer.handle, look.image) { return }
    try interface.setCursor(
      ofCRTC: pipe.crtc, handle: buffer.handle, width: buffer.width, height: buffer.height, hotSpotX: look.hotSpotX,
      hotSpotY: look.hotSpotY)
    legacyCursor = (buffer.handle, look.image)
  }

  private func makeCursorBuffers(format: DRMPixelFormat?) -> CursorBuffers {
    // Older drivers do not say; all have 64.
    func side(_ capability: Int32) -> Int {
      let value = (try? interface.capability(capability)) ?? 0
      return (1...1024).contains(value) ? Int(value) : 64
    }
    return CursorBuffers(
      interface: interface, width: side(DRM_CAP_CURSOR_WIDTH), height: side(DRM_CAP_CURSOR_HEIGHT), format: format)
  }
}

extension ScanOutPipe {
  /// Adds the pipe's connector and mode to a system error. A removed device and a lost master are losses, anything else is a
  /// refusal.
  func error(_ error: SystemError) -> KMSError {
    error.isLoss
      ? .lost(connector: connector.name, mode: mode.description, error)
      : .refused(connector: connector.name, mode: mode.description, error)
  }
}

extension SystemError {
  /// True if the screen is lost with the device or the card's master.
  var isLoss: Bool { CommitAnswer(errno: errno, isFlip: true, hasExtras: false) == .lost }
  /// True if the same flip may be taken at the next vblank.
  var isPassing: Bool { CommitAnswer(errno: errno, isFlip: true, hasExtras: false) == .retryAtVBlank }
}
