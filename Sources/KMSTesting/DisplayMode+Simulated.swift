import CDRM
public import KMS

extension DisplayMode {
  /// A mode for a simulated card, whose refresh rate is exact.
  ///
  /// - Parameter hertz: above 0; the product of the rate and the rows is to be below four thousand million.
  public static func simulated(_ width: Int, _ height: Int, hertz: Int = 60, isPreferred: Bool = false) -> DisplayMode {
    var info = drmModeModeInfo()
    // Rows of whole thousands of pixels make the pixel clock a whole number of kHz.
    info.htotal = UInt16(clamping: (width / 1000 + 1) * 1000)
    info.vtotal = UInt16(clamping: height + 30)
    info.hdisplay = UInt16(clamping: width)
    info.vdisplay = UInt16(clamping: height)
    info.clock = UInt32(clamping: hertz * Int(info.vtotal) * Int(info.htotal) / 1000)
    info.vrefresh = UInt32(clamping: hertz)
    info.type = isPreferred ? UInt32(DRM_MODE_TYPE_PREFERRED) : 0
    return DisplayMode(info)
  }
}
