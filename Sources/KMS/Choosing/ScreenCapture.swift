import CDRM
import Glibc
public import LinuxSystem
public import Raster

/// Copies what a screen shows, whichever program drives it.
///
/// ```swift
/// try PNG.write(ScreenCapture.image(of: "HDMI-A-1"), to: "screen.png")
/// ```
///
/// A display of one's own is copied by `Display.capture()`, which needs no rights. The picture of another program is read back
/// from the memory that the screen shows: without cursor and overlays, and only for root or the card's master.
public enum ScreenCapture {
  /// - Parameters:
  ///   - connector: a connector's name; nil for the first one that is on.
  ///   - folder: the folder of the cards.
  public static func image(of connector: String? = nil, folder: String = "/dev/dri") throws(CaptureError) -> Image {
    let found: Result<Image, CaptureError>
    do throws(KMSError) {
      found = try DRMDevice.firstAnswer(of: try DRMDevice.cardPaths(in: folder), connector: connector) {
        path, device throws(KMSError) in
        let opened = try DRMDevice(path: path)
        device = opened
        return try image(of: connector, on: opened)
      }
    } catch {
      throw .kms(error)
    }
    return try found.get()
  }

  /// Drivers that have no other layout than rows, by the names in `struct drm_driver`. Newer kernels tell it for all of them
  /// (Linux commit 2af104290da5, of 2022). Not virtio_gpu, whose host may choose tiles, for which it tells no layout on purpose
  /// (85faca8ca0f6).
  private static let linearDrivers: Set = [
    "ast", "bochs-drm", "cirrus", "gm12u320", "hyperv_drm", "mgag200", "qxl", "simpledrm", "udl", "vboxvideo", "vkms",
  ]

  /// - Returns: the picture, or a failure for which asking other cards is no help.
  static func image(
    of name: String?, on device: DRMDevice
  ) throws(KMSError) -> Result<Image, CaptureError> {
    let lit = try device.litConnector(name)
    let (connector, interface) = (lit.name, device.interface)
    let crtc = try device.ask { () throws(SystemError) in try interface.crtc(lit.currentCRTC) }
    guard let mode = crtc.mode, crtc.framebuffer != 0 else { throw .screenOff(connector: connector) }
    let framebuffer = try device.ask { () throws(SystemError) in try interface.framebuffer(crtc.framebuffer) }
    guard let buffer = framebuffer.buffer else { return .failure(.noRights(connector: connector)) }
    // Drops this program's handle; the memory is the other program's.
    defer { try? interface.destroyDumbBuffer(buffer.handle) }
    var (width, height) = (framebuffer.width - Int(crtc.x), framebuffer.height - Int(crtc.y))
    // A plane that turns or scales shows all of a framebuffer of another shape.
    if mode.width <= width, mode.height <= height { (width, height) = (mode.width, mode.height) }
    if framebuffer.layout == .untold, !linearDrivers.contains(device.driver) {
      return .failure(.untoldLayout(connector: connector, driver: device.driver))
    }
    guard framebuffer.layout != .other, width > 0, height > 0,
      buffer.byteCount >= (Int(crtc.y) + height - 1) * buffer.bytesPerRow + (Int(crtc.x) + width) * 4
    else { return .failure(.unknownLayout(connector: connector)) }
    do {
      let memory = try interface.mapDumbBuffer(buffer)
      defer { interface.unmapDumbBuffer(memory) }
      let copy = try Bitmap(width: width, height: height)
      guard let pixels = memory.baseAddress else { return .failure(.unknownLayout(connector: connector)) }
      for row in 0..<height {
        memcpy(copy.row(row), pixels + (Int(crtc.y) + row) * buffer.bytesPerRow + Int(crtc.x) * 4, width * 4)
        // The unused byte of a pixel holds anything.
        let line = copy.row(row).assumingMemoryBound(to: UInt32.self)
        for x in 0..<width { line[x] |= 0xFF00_0000 }
      }
      return .success(copy.freeze(isOpaque: true))
    } catch let error as SystemError {
      return .failure(.unmappable(connector: connector, error))
    } catch {
      return .failure(.noMemory(connector: connector))
    }
  }
}

/// The reason why a screen cannot be copied, and what to do.
public enum CaptureError: Error, Equatable, CustomStringConvertible {
  case kms(KMSError)
  /// The kernel shows a screen's memory only to root and to the card's master.
  case noRights(connector: String)
  /// The pixels are tiled, compressed or of another format than 32 bits in rows.
  case unknownLayout(connector: String)
  /// The pixels may be in rows or in tiles: the driver does not say.
  case untoldLayout(connector: String, driver: String)
  /// The driver does not let the memory be read.
  case unmappable(connector: String, SystemError)
  case noMemory(connector: String)

  public var description: String {
    switch self {
    case .kms(let error): error.description
    case .noRights(let connector):
      "another program shows on \(connector), and only root may read its picture: use sudo, or a screen shot of that program"
    case .unknownLayout(let connector):
      "the picture on \(connector) is not in rows of 32-bit pixels: use a screen shot of the program that shows it"
    case .untoldLayout(let connector, let driver):
      "\(driver) does not say how the picture on \(connector) is laid out in memory: use a screen shot of the program that "
        + "shows it"
    case .unmappable(let connector, let error):
      "the driver does not let the picture on \(connector) be read: \(error.call): \(error.reason)"
    case .noMemory(let connector): "no memory for a copy of the picture on \(connector)"
    }
  }
}

extension DRMDevice {
  /// The connector of this name, or the first one, that is on.
  func litConnector(_ name: String?) throws(KMSError) -> DRMConnector {
    let connectors = try connectors()
    let named = connectors.filter { name == nil || $0.name == name }
    if let lit = named.first(where: { $0.currentCRTC != 0 }) { return lit }
    guard let dark = named.first(where: \.canHaveScreen) else {
      throw .noConnector(path: path, name: name, available: connectors.map { "\($0.name) \($0.status)" })
    }
    throw .screenOff(connector: dark.name)
  }
}
