import Compositing
import Geometry
import Glibc
import LinuxSystem

/// Shows framebuffers through one pipe of a card: mode-set, flip, and at the end the screen as it was found.
///
/// Atomic where the card is, by the legacy calls otherwise. Keeps no account of pending flips: that is the presenter's.
final class ScanOut {
  let interface: any DRMInterface
  let pipe: ScanOutPipe
  private let atomic: AtomicPipe?
  private var previous: PreviousScreen?
  private var hasChanged = false
  private var bounds: IntRect { IntRect(x: 0, y: 0, width: pipe.mode.width, height: pipe.mode.height) }

  /// Looks up what the pipe needs and saves what it shows. Changes nothing yet.
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
      var saved = try SavedScreen(of: pipe.crtc, connectors: connectors, on: interface)
      atomic = if let plane = pipe.plane { try AtomicPipe(interface: interface, pipe: pipe, plane: plane) } else { nil }
      if let atomic { try saved.keep(atomic.reset, on: interface) }
      takesDamage = atomic?.planeDamage != nil
      self.previous = previous ?? PreviousScreen(saved, on: interface, claims: claims)
    } catch {
      throw .refused(connector: pipe.connector.name, mode: pipe.mode.description, error)
    }
  }

  deinit {
    // A display that could not be made leaves the screen as it was found; there is nobody to tell a failure.
    if hasChanged { try? restore() }
  }

  /// Whether flips carry damage to the kernel.
  private(set) var takesDamage: Bool
  /// Whether a flip event follows a mode-set.
  var modeSetsAreTold: Bool { atomic != nil }

  /// Asks the driver whether it takes the mode. A legacy driver can only be asked by setting it.
  ///
  /// - Returns: whether the mode is set now, and the framebuffer shown.
  func tryModeSet(framebuffer: UInt32) throws(KMSError) -> Bool {
    guard let atomic else {
      try modeSet(framebuffer: framebuffer, token: 0)
      return true
    }
    try named { () throws(SystemError) in
      try atomic.modeSet(framebuffer: framebuffer, flags: [.testOnly, .allowModeSet], token: 0)
    }
    return false
  }

  /// Sets the mode and shows a framebuffer. Returns when the hardware has taken it; a flip event with `token` follows,
  /// from atomic drivers alone.
  func modeSet(framebuffer: UInt32, token: UInt64) throws(KMSError) {
    // Before the first change, so that one that fails halfway is undone too.
    previous?.willChange()
    hasChanged = true
    try named { () throws(SystemError) in
      if let atomic {
        return try atomic.modeSet(framebuffer: framebuffer, flags: [.allowModeSet, .flipEvent], token: token)
      }
      try interface.setCRTC(
        pipe.crtc, framebuffer: framebuffer, x: 0, y: 0, connectors: [pipe.connector.id], mode: pipe.mode)
    }
  }

  /// Shows another framebuffer from the next vblank on; a flip event with `token` tells. Not to be called while a flip
  /// pends. A driver that refuses it with its damage, and takes it without, is told of no damage any more.
  func flip(framebuffer: UInt32, damage: DamageRegion, token: UInt64) throws(KMSError) {
    try named { () throws(SystemError) in
      guard let atomic else {
        return try interface.pageFlip(crtc: pipe.crtc, framebuffer: framebuffer, isAsynchronous: false, token: token)
      }
      guard takesDamage else { return try atomic.flip(framebuffer: framebuffer, token: token) }
      do throws(SystemError) {
        try atomic.flip(framebuffer: framebuffer, damage: damage, bounds: bounds, token: token)
      } catch {
        let answer = CommitAnswer(errno: error.errno, isFlip: true, hasExtras: true)
        guard answer == .retryWithoutExtras else { throw error }
        try atomic.flip(framebuffer: framebuffer, token: token)
        takesDamage = false
      }
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

extension ScanOutPipe {
  /// A system error with the pipe's connector and mode. A device that was removed and a lost master are losses, anything
  /// else a refusal.
  func error(_ error: SystemError) -> KMSError {
    CommitAnswer(errno: error.errno, isFlip: false, hasExtras: false) == .lost
      ? .lost(connector: connector.name, mode: mode.description, error)
      : .refused(connector: connector.name, mode: mode.description, error)
  }
}
