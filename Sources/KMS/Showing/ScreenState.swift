import FrameTiming
import Geometry
import Glibc
import Presentation
import RenderTree

/// The changes of one commit, plane by plane. A plane that is nil stays as it is: a commit without a picture is a
/// commit of the cursor alone.
struct ScreenState {
  struct Picture {
    let framebuffer: UInt32
    /// The pixels that were painted in this framebuffer since it was last on the screen.
    var damage = DamageRegion()
  }

  var picture: Picture?
  var cursor: CursorSetting?
}

/// A setting of the cursor's plane.
enum CursorSetting {
  case hidden
  case shown(DumbBuffer, CursorPlane.Look)
}

/// The ways to commit.
enum CommitWay: Equatable {
  /// Sets the mode and everything else that a picture depends on.
  case modeSet
  /// Takes effect at the next vblank.
  case flip
  /// Takes effect at once, in the middle of a refresh perhaps.
  case asynchronousFlip
}

/// The answer to a commit that the kernel refused: a pure value.
enum CommitAnswer: Equatable {
  /// Commit the same once more at the next vblank: what is in the way passes.
  case retryAtVBlank
  /// Commit at once, without the parts that a driver need not take.
  case retryWithoutExtras
  /// Another program is the card's master, or the device was removed.
  case lost
  /// Report the error.
  case refused

  /// - Parameters:
  ///   - isFlip: false for a mode-set, which is never retried as it is: it may take long and make the screen dark.
  ///   - hasExtras: whether the commit has parts that can be left out.
  init(errno number: Int32, isFlip: Bool, hasExtras: Bool) {
    switch number {
    case ENODEV, EACCES: self = .lost
    // Another commit pends on the CRTC, such as the previous program's; or memory is short for a moment.
    case EBUSY where isFlip, ENOMEM where isFlip: self = .retryAtVBlank
    case EINVAL, ENOSPC, ERANGE, ENOMEM: self = hasExtras ? .retryWithoutExtras : .refused
    default: self = .refused
    }
  }
}

/// The way of a picture to the screen: plane → CRTC → connector, and the mode that it is shown in. A value.
struct ScanOutPipe: Sendable {
  let connector: DRMConnector
  private(set) var mode: DisplayMode
  private(set) var refreshRate: RefreshRate
  let crtc: UInt32
  /// The CRTC's place in the card's list.
  let crtcIndex: Int
  /// The CRTC's primary plane; nil where the card is driven by the legacy calls.
  let plane: UInt32?
  /// The CRTC's cursor plane; nil without one, and where the card is driven by the legacy calls.
  var cursorPlane: UInt32?
  /// Connectors that show the CRTC's picture now. They are taken off it, because they may not take our mode.
  let clones: [UInt32]
  /// The modes to try if the driver refuses the mode, best first; empty where that mode was requested.
  var lesserModes: [DisplayMode] = []
  /// The better mode that the driver has refused.
  private(set) var refusedMode: DisplayMode?
  /// Why better screens and modes could not be used, for people.
  var passedOver: [KMSError] = []
  /// By how much the picture is turned, and by what.
  var rotation = DisplayRotation.none
  private(set) var rotatedBy = DisplayGeometry.RotatedBy.compositor

  var geometry: DisplayGeometry {
    DisplayGeometry(width: mode.width, height: mode.height, rotation: rotation, rotatedBy: rotatedBy)
  }

  var planeRotation: DisplayRotation { rotatedBy == .plane ? rotation : .none }

  /// The pixels of a frame.
  var bounds: IntRect {
    planeRotation.isSideways
      ? IntRect(x: 0, y: 0, width: mode.height, height: mode.width)
      : IntRect(x: 0, y: 0, width: mode.width, height: mode.height)
  }

  /// The same pipe with a plane that turns the picture; nil if it is not turned, or the pipe has no plane of ours.
  var turningPlane: ScanOutPipe? {
    guard rotation != .none, plane != nil else { return nil }
    var pipe = self
    pipe.rotatedBy = .plane
    return pipe
  }

  /// The mode that is best for the screen, whether the driver takes it or not.
  var bestMode: DisplayMode { refusedMode ?? mode }

  /// The same pipe in another mode, because the driver has refused this one; nil when the mode's timing makes no sense.
  func instead(in lesser: DisplayMode, refusal: KMSError) -> ScanOutPipe? {
    guard let rate = lesser.refreshRate else { return nil }
    var pipe = self
    (pipe.mode, pipe.refreshRate, pipe.refusedMode) = (lesser, rate, mode)
    pipe.passedOver.append(refusal)
    return pipe
  }
}
