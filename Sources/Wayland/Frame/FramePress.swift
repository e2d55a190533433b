import Geometry
import LinuxSystem

/// Presses in a frame: what they do to the window. A pure value.
struct FramePress: Hashable, Sendable {
  /// A change that a person wants.
  enum Action: Hashable, Sendable {
    case move(serial: UInt32)
    case resize(FrameEdges, serial: UInt32)
    case showMenu(Point, serial: UInt32)
    case close, maximize, minimize
  }

  /// How far the pointer goes before it moves a window: a click is not without a tremble.
  private static let tremble = 4.0
  /// The longest time between the clicks of a double one, as GTK has it.
  private static let doubleTime = Nanoseconds.milliseconds(400)

  private struct Press: Hashable {
    var area: FrameArea
    var point: Point
    var serial: UInt32
  }

  private var press: Press?
  /// The last click on the title.
  private var lastClick: MonotonicTime?

  /// The button that is held; nil for none.
  var held: FrameArea? { press?.area }

  mutating func pressed(_ area: FrameArea, at point: Point, serial: UInt32, time: MonotonicTime) -> Action? {
    if case .edge(let edges) = area { return .resize(edges, serial: serial) }
    let isDouble = area == .title && lastClick.map { time - $0 <= Self.doubleTime } ?? false
    lastClick = nil
    if isDouble { return .maximize }
    press = Press(area: area, point: point, serial: serial)
    return nil
  }

  mutating func moved(to point: Point) -> Action? {
    guard let press, press.area == .title else { return nil }
    let (dx, dy) = (point.x - press.point.x, point.y - press.point.y)
    guard dx * dx + dy * dy > Self.tremble * Self.tremble else { return nil }
    self.press = nil
    return .move(serial: press.serial)
  }

  mutating func released(_ area: FrameArea?, time: MonotonicTime) -> Action? {
    guard let press else { return nil }
    self.press = nil
    guard press.area == area else { return nil }
    switch press.area {
    case .close: return .close
    case .maximize: return .maximize
    case .minimize: return .minimize
    case .title:
      lastClick = time
      return nil
    case .edge: return nil
    }
  }

  /// The pointer is gone, or a window took it.
  mutating func cancel() { press = nil }
}
