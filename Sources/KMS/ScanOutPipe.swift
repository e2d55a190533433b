import FrameTiming

/// What a picture goes through on its way to the screen: plane → CRTC → connector, and the mode that it is shown in.
struct ScanOutPipe: Sendable {
  let connector: DRMConnector
  let mode: DisplayMode
  let refreshRate: RefreshRate
  let crtc: UInt32
  /// The CRTC's place in the card's list.
  let crtcIndex: Int
  /// The CRTC's primary plane; nil where the card is driven by the legacy calls.
  let plane: UInt32?
  /// The CRTC's cursor plane; nil without one, and where the card is driven by the legacy calls.
  var cursorPlane: UInt32?
  /// Connectors that show the CRTC's picture now and must be taken off it, because they may not take our mode.
  let clones: [UInt32]
}
