import Geometry
import LinuxSystem

/// All that one `wl_surface.commit` brings: the requests since the one before.
@MainActor
struct SurfaceCommit {
  enum Attachment {
    case none
    case removed
    case buffer(ClientBuffer)
  }

  var number = 0
  var attachment = Attachment.none
  /// In pixels of the buffer.
  var damage: [IntRect] = []
  var damageCount = 0
  /// In points of the surface.
  var surfaceDamage: [IntRect] = []
  var callbacks: [ServerObject] = []
  var feedback: [ServerObject] = []
  var setsBarrier = false
  var waitsForBarrier = false
  /// The frame is not to be seen before.
  var target: MonotonicTime?

  var buffer: ClientBuffer? { if case .buffer(let buffer) = attachment { buffer } else { nil } }
}

/// The state of a surface that stays until it is set anew, with each commit.
struct SurfaceLayout: Hashable {
  struct Configuration: Hashable {
    var serial: UInt32
    /// In points; 0 where the client may choose.
    var width: Int
    var height: Int
  }

  /// The pixels of a point, for a surface without a viewport.
  var scale = 1
  var transform = 0
  /// The viewport's size in points.
  var destination: IntSize?
  /// The viewport's part of the buffer.
  var source: Rect?
  /// The window without its shadows, in points.
  var geometry: IntRect?

  struct IntSize: Hashable {
    var width: Int
    var height: Int
  }

  /// The size in points of a surface with a buffer; nil if the buffer's does not go with its scale.
  func size(width: Int, height: Int) -> IntSize? {
    if let destination { return destination }
    guard width.isMultiple(of: scale), height.isMultiple(of: scale) else { return nil }
    return IntSize(width: width / scale, height: height / scale)
  }
}

/// The place of a surface in another one, in points. A new one counts from the next commit of that on.
struct SubsurfacePlace: Hashable {
  struct Corner: Hashable {
    var x = 0
    var y = 0
  }

  var corner = Corner()
  var pending = Corner()
}

/// The part that a commit of a surface brings for one that is a part of it.
@MainActor
struct SubsurfaceCommit {
  let surface: CompositorSurface
  let commits: [(SurfaceCommit, SurfaceLayout)]
  let corner: SubsurfacePlace.Corner
}
