import KMS
import LinuxSystem
public import Raster

/// A card seen from outside.
extension SimulatedCard {
  /// The objects that programs have made and not freed: all 0 after a program that leaks nothing.
  public struct Holdings: Equatable, Sendable {
    public var framebuffers = 0
    /// The number of handles of dumb buffers.
    public var handles = 0
    public var mappings = 0
    public var blobs = 0

    public init() {}
  }

  public var holdings: Holdings {
    state.withLock { state in
      var holdings = Holdings()
      holdings.framebuffers = state.framebuffers.count { $0.client != CardState.kernel }
      holdings.handles = state.handles.count
      holdings.mappings = state.mappings.count
      holdings.blobs = state.blobs.count { $0.id != 0 && $0.isOwned && $0.client != CardState.kernel }
      return holdings
    }
  }

  /// True if a program is the card's master.
  public var hasMaster: Bool { state.withLock { $0.clients.contains(where: \.isMaster) } }

  /// The number of programs that have it open.
  public var openCount: Int { state.withLock { $0.clients.count(where: \.isOpen) } }

  /// A description of the screens, a line for each connector and plane, without colours. Equal states have equal text.
  public var screens: String {
    state.withLock { state in
      var lines = state.connectors.map { connector in
        guard let index = state.crtcIndex(connector.crtc) else { return "\(connector.name): off" }
        let settings = state.crtcs[index].settings
        let mode = settings.mode?.description ?? "no mode"
        return "\(connector.name): CRTC \(connector.crtc), \(mode), active \(settings.isActive), "
          + "variable rate \(settings.variableRate)"
      }
      for plane in state.planes where plane.settings.crtc != 0 {
        let settings = plane.settings
        lines.append(
          "plane \(plane.id) on CRTC \(settings.crtc): framebuffer \(settings.framebuffer), \(settings.source) to "
            + "\(settings.target), rotation \(settings.rotation), alpha \(settings.alpha), blend mode \(settings.blendMode)")
      }
      return lines.joined(separator: "\n")
    }
  }

  /// True if a connector's screen shows sRGB as it is: no table, no matrix, no other colour space.
  package func hasNeutralColors(_ connector: String) -> Bool {
    state.withLock { state in
      guard let connector = state.connectors.first(where: { $0.name == connector }),
        let crtc = state.crtcs.first(where: { $0.id == connector.crtc })?.settings
      else { return true }
      return crtc.gammaBlob | crtc.degammaBlob | crtc.colorMatrixBlob | connector.settings.hdrBlob == 0
        && connector.settings.colorSpace == 0
    }
  }

  /// A cursor as a screen shows it.
  public struct ShownCursor {
    /// The plane's whole picture.
    public let image: Image
    /// The place of its upper left corner; `y` as well.
    public let x: Int
    public let y: Int
  }

  /// The cursor that a connector's screen shows now; nil for none.
  public func shownCursor(of connector: String) throws(BitmapError) -> ShownCursor? {
    let shown = state.withLock { state -> (framebuffer: CardState.Framebuffer, x: UInt64, y: UInt64)? in
      guard let connector = state.connectors.first(where: { $0.name == connector }), connector.crtc != 0,
        let plane = state.planes.first(where: { $0.kind == .cursor && $0.shownCRTC == connector.crtc && $0.shown != 0 }),
        let framebuffer = state.framebuffer(plane.shown)
      else { return nil }
      return (framebuffer, plane.shownTarget.x, plane.shownTarget.y)
    }
    guard let shown else { return nil }
    let framebuffer = shown.framebuffer
    let size = CardState.PlaneRect(width: UInt64(framebuffer.width), height: UInt64(framebuffer.height))
    guard let image = try copy(framebuffer, .init(target: size)) else { return nil }
    return ShownCursor(image: image, x: Int(Int64(bitPattern: shown.x)), y: Int(Int64(bitPattern: shown.y)))
  }

  /// A copy of the pixels of the primary plane that a connector's screen shows now; nil when it is dark.
  public func copyShownImage(of connector: String) throws(BitmapError) -> Image? {
    let shown = state.withLock { state -> (framebuffer: CardState.Framebuffer, settings: CardState.PlaneSettings)? in
      guard let connector = state.connectors.first(where: { $0.name == connector }), !connector.settings.isLinkBad,
        let plane = state.planes.first(where: { $0.kind == .primary && $0.shownCRTC == connector.crtc && $0.shown != 0 }),
        let framebuffer = state.framebuffer(plane.shown)
      else { return nil }
      return (framebuffer, plane.settings)
    }
    guard let shown else { return nil }
    return try copy(shown.framebuffer, shown.settings)
  }

  /// The pixels that a plane puts on the screen.
  private func copy(
    _ framebuffer: CardState.Framebuffer, _ plane: CardState.PlaneSettings
  ) throws(BitmapError) -> Image? {
    guard let pixels = framebuffer.memory.pixels.baseAddress else { return nil }
    let (width, height) = (Int(plane.target.width), Int(plane.target.height))
    let copy = try Bitmap(width: width, height: height)
    for row in 0..<height {
      for column in 0..<width {
        // Turned counter-clockwise.
        let (x, y) =
          switch plane.rotation {
          case 1 << 1: (height - 1 - row, column)
          case 1 << 2: (width - 1 - column, height - 1 - row)
          case 1 << 3: (row, width - 1 - column)
          default: (column, row)
          }
        let offset = (Int(plane.source.y >> 16) + y) * framebuffer.bytesPerRow + (Int(plane.source.x >> 16) + x) * 4
        let pixel = pixels.load(fromByteOffset: offset, as: UInt32.self)
        copy.row(row).storeBytes(of: pixel, toByteOffset: 4 * column, as: UInt32.self)
      }
    }
    return copy.freeze()
  }
}
