import FrameTiming

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
