/// A card as it was when asked: its connectors, its abilities, and the reason if it cannot be used. A value.
///
/// ```swift
/// for card in try CardReport.all() { print(card.path, card.connectors.map(\.name), card.problem?.description ?? "usable") }
/// ```
public struct CardReport: Sendable, Equatable {
  /// The abilities of a card and its driver. Where a capability alone does not tell, they are found by trying.
  public struct Abilities: Sendable, Equatable {
    /// There are events for vblanks. Found by trying: drivers without them report every capability all the same.
    public var vblankEvents = false
    /// These events have 64 bits of sequence and stamps in nanoseconds (`DRM_IOCTL_CRTC_QUEUE_SEQUENCE`). Found by trying.
    public var sequenceEvents = false
    /// All changes of a frame take effect in one step.
    public var atomic = false
    /// The rate can vary where the screen supports it (`vrr_capable` of a connector, `VRR_ENABLED` of a CRTC).
    public var variableRate = false
    /// Legacy flips need not wait for the vblank (`DRM_CAP_ASYNC_PAGE_FLIP`).
    public var asynchronousFlips = false
    /// Atomic flips need not wait for the vblank (`DRM_CAP_ATOMIC_ASYNC_PAGE_FLIP`).
    public var atomicAsynchronousFlips = false
    /// Commits can tell which pixels differ (`FB_DAMAGE_CLIPS`).
    public var damageClips = false
    /// A CRTC's picture can be written to memory.
    public var writeback = false
    /// There is a plane for the pointer.
    public var cursorPlane = false
    /// Colours can be changed by a table (`GAMMA_LUT`).
    public var gammaTable = false
    /// Colours can be changed by a matrix (`CTM`).
    public var colorMatrix = false

    public init() {}
  }

  /// A socket with or without a screen.
  public struct Connector: Sendable, Equatable {
    /// The kernel's name: "HDMI-A-1".
    public var name: String
    public var status: DRMConnector.Status
    /// The screen's description of itself; nil where it has none that can be read.
    public var edid: EDID?
    /// The visible picture's size; nil when the screen does not say.
    public var size: PhysicalSize?
    public var modes: [DisplayMode]
    /// The mode that it is driven in now; nil when it is off.
    public var currentMode: DisplayMode?
    /// The CRTC that drives it now; nil for none.
    public var crtc: UInt32?
    /// True if the screen takes a variable rate; nil where the driver does not say.
    public var takesVariableRate: Bool?
  }

  /// A CRTC: it drives connectors.
  public struct CRTC: Sendable, Equatable {
    public var id: UInt32
    /// Nil when it is off.
    public var mode: DisplayMode?
  }

  /// A plane: a CRTC takes pixels from it.
  public struct Plane: Sendable, Equatable {
    /// The use of a plane: for the picture, for a cursor, or for pictures above the picture.
    public enum Kind: String, Sendable, CaseIterable { case primary, cursor, overlay }

    public var id: UInt32
    public var kind: Kind
    /// The CRTC that it is on now; nil for none.
    public var crtc: UInt32?
    /// The number of pixel formats that it takes.
    public var formats: Int
  }

  /// The node: "/dev/dri/card0".
  public var path: String
  /// The kernel driver's name; nil when the card could not be opened.
  public var driver: String?
  /// "1.6.0"; nil when the card could not be opened.
  public var driverVersion: String?
  public var abilities = Abilities()
  public var connectors: [Connector] = []
  public var crtcs: [CRTC] = []
  public var planes: [Plane] = []
  /// Why no picture can be shown on the card now; nil when one can.
  public var problem: KMSError?
  /// Programs that have the card open, as far as this user may see: "Xorg (812)". Empty unless another program is the card's
  /// master.
  public var users: [String] = []

  public init(path: String) {
    self.path = path
  }
}
