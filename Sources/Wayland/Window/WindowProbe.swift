public import FrameTiming
import Geometry
public import LinuxSystem
import Presentation
import Raster
import RenderTree
public import RunLoops

/// The vblanks that a compositor tells of the frames of a window, to measure them. The window is there for that alone: it is grey, and
/// changes a little with each frame.
///
/// ```swift
/// let probe = try WindowProbe.open()
/// probe.onVBlank = { vblank in stamps.append(vblank.timestamp) }
/// probe.add(to: .main, mode: .default)
/// probe.requestVBlank()
/// ```
@MainActor
public final class WindowProbe: VBlankSource {
  public let refreshRate: RefreshRate
  /// Called once for each request, with the stamp that the compositor has told, on the loop's clock.
  public var onVBlank: (@MainActor (VBlank) -> Void)?
  /// Called once when no vblank can come any more.
  public var onLost: (@MainActor (any Error) -> Void)?

  private let display: WaylandDisplay
  /// Tries again what the compositor did not allow, at each turn in which something has come from it.
  private lazy var turnEnd = FrameLoop.Observer(
    [.beforeWaiting], order: ObserverOrder.commit, .onMain { [weak self] _, _ in self?.draw() })
  private lazy var items = FrameLoop.ItemGroup([turnEnd, display.connection.loopItem, display.alarm])
  private var isRequested = false
  private var frames: UInt8 = 0

  /// Why there is nothing to measure.
  public enum Failure: Error, CustomStringConvertible {
    case silent
    case closed

    public var description: String {
      switch self {
      case .silent:
        "the desktop does not tell when frames are seen; on a console, without a desktop, the screen itself tells"
      case .closed: "the window was closed"
      }
    }
  }

  /// Opens a window.
  ///
  /// - Parameter socket: the path of the compositor's socket, or a name in `XDG_RUNTIME_DIR`; nil for `WAYLAND_DISPLAY`.
  public static func open(socket: String? = nil, clock: SystemClock = .monotonic) throws(WaylandError) -> WindowProbe {
    let options = WindowOptions(title: "framepace vblank", applicationID: "framepace", width: 160, height: 90)
    return WindowProbe(try WaylandDisplay.open(options: options, socket: socket, clock: clock))
  }

  init(_ display: WaylandDisplay) {
    self.display = display
    refreshRate = display.toldRate
    display.presenter.onEvent = { [weak self] _ in self?.draw() }
    display.onStamp = { [weak self] in self?.seen(at: $0) }
    display.observe { [weak self] event in
      guard let self else { return }
      switch event {
      case .stateChanged where display.frames.isSilent: onLost?(Failure.silent)
      case .stateChanged, .geometryChanged: break
      case .closeRequested: onLost?(Failure.closed)
      case .lost(let error): onLost?(error)
      }
    }.keep()
  }

  public var name: String { "presentation feedback of \(display.connection.name)" }
  /// The window and its screen.
  public var displayName: String { display.name }
  /// The window's items too.
  public var loopItem: any FrameLoop.Item { items }

  public func requestVBlank() {
    isRequested = true
    draw()
  }

  public func invalidate() {
    (onVBlank, onLost) = (nil, nil)
    turnEnd.invalidate()
    display.invalidate()
    display.connection.close()
  }

  /// Shows a frame whenever the compositor allows one, until one is told of.
  private func draw() {
    guard isRequested, let buffer = display.presenter.acquireBuffer(), let bitmap = buffer.target as? Bitmap else { return }
    frames &+= 1
    let grey = 0x60 + UInt32(frames & 0x1F)
    let pixel = 0xFF00_0000 | grey << 16 | grey << 8 | grey
    for y in 0..<bitmap.height {
      bitmap.row(y).initializeMemory(as: UInt32.self, repeating: pixel, count: bitmap.width)
    }
    let whole = IntRect(x: 0, y: 0, width: bitmap.width, height: bitmap.height)
    do { try display.presenter.present(buffer, damage: DamageRegion(whole), target: nil) } catch { onLost?(error) }
  }

  private func seen(at stamp: MonotonicTime) {
    guard isRequested else { return }
    isRequested = false
    onVBlank?(VBlank(timestamp: stamp, sequence: 0))
  }
}
