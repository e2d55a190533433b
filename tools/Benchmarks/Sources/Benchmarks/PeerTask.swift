import Geometry

/// The operations that framepace and its peers are measured with, on 1920×1080 pixels.
///
/// The raw values are the names that the peers' own programs know.
enum PeerTask: String, CaseIterable {
  case fill
  /// Over the opaque pixels that are there.
  case interface
  case noise
  case half
  case cold
  /// This and all that follow are painted on a ground, which is painted with them.
  case rotated
  case scaled
  case axial
  case radial
  case rects
  case path
  case stroke
  case glyphs
  case shadow
  case kept

  var title: String {
    switch self {
    case .fill: "fill"
    case .interface: "over, interface"
    case .noise: "over, noise"
    case .half: "over, noise, opacity 0.5"
    case .cold: "over, interface, cold"
    case .rotated: "bilinear, rotated"
    case .scaled: "bilinear, 1.5 times larger"
    case .axial: "axial gradient"
    case .radial: "radial gradient"
    case .rects: "500 rounded rectangles"
    case .path: "2,000 edges filled"
    case .stroke: "2,000 edges stroked"
    case .glyphs: "2,000 glyphs"
    case .shadow: "shadow of 400 × 300"
    case .kept: "the same, kept"
    }
  }

  /// The pixels that are painted.
  var part: IntRect {
    switch self {
    case .glyphs: PeerMaterial.page
    case .shadow, .kept: PeerMaterial.shadow
    default: IntRect(x: 0, y: 0, width: Int(Pixels.width), height: Int(Pixels.height))
    }
  }

  /// The largest share by which a peer's picture may differ from framepace's, of how far framepace's differs from the bare ground.
  /// Libraries place glyphs differently, and blur by other curves.
  var tolerance: Double {
    switch self {
    case .glyphs: 0.6
    case .shadow, .kept: 0.25
    default: 0.1
    }
  }
}

/// A library that paints the tasks, and measures them.
@MainActor
protocol Peer {
  var name: String { get }
  var version: String { get }
  /// The processor time of one of `calls`, in nanoseconds, after one that is not measured; nil where the peer has no such operation.
  func time(_ task: PeerTask, calls: Int) throws -> Double?
  /// The picture that one call paints on opaque black; nil where the peer has no such operation.
  func picture(_ task: PeerTask) throws -> [UInt8]?
}

/// A peer in this process.
@MainActor
struct LocalPeer: Peer {
  let name: String
  let version: String
  private let paint: @MainActor (PeerTask, Pixels) -> Bool
  private let canvases: [Pixels]

  /// - Parameters:
  ///   - canvases: the pictures that are painted in turn by `PeerTask.cold`; others use the first one.
  ///   - paint: paints a task into a picture, and answers false where it has no such operation.
  init(_ name: String, version: String, canvases: [Pixels], paint: @escaping @MainActor (PeerTask, Pixels) -> Bool) {
    (self.name, self.version, self.canvases, self.paint) = (name, version, canvases, paint)
  }

  func time(_ task: PeerTask, calls: Int) -> Double? {
    guard paint(task, canvases[0]) else { return nil }
    return Harness.processorTime {
      for call in 0..<calls { _ = paint(task, canvases[task == .cold ? call % canvases.count : 0]) }
    } / Double(calls)
  }

  func picture(_ task: PeerTask) -> [UInt8]? {
    canvases[0].clear()
    return paint(task, canvases[0]) ? Array(canvases[0].bytes) : nil
  }
}
