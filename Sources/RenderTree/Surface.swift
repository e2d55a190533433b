public import Geometry
import LinuxSystem
public import Raster

/// Why a surface was not changed.
public enum SurfaceError: Error, Sendable, Equatable, CustomStringConvertible {
  /// A rectangle is empty, or reaches beyond the surface.
  case region(IntRect, width: Int, height: Int)
  /// Pixels that are given are fewer bytes than their rectangle needs, or their rows are shorter than it.
  case pixels(bytes: Int, bytesPerRow: Int, region: IntRect)
  /// Another thread is writing to the surface, or the same one called it out of `update`.
  case isBeingUpdated
  /// The buffer that would be written cannot be made.
  case buffer(BitmapError)

  public var description: String {
    switch self {
    case .region(let rect, let width, let height):
      "surface: the region \(Self.text(rect)) is empty or not inside of its \(width)x\(height) pixels"
    case .pixels(let bytes, let bytesPerRow, let region):
      "surface: \(bytes) bytes with \(bytesPerRow) a row are too few for the region \(Self.text(region)); a pixel has 4"
    case .isBeingUpdated:
      "surface: it is being updated already; write from one thread, and not from inside of an update"
    case .buffer(let error):
      "surface: \(error)"
    }
  }

  private static func text(_ rect: IntRect) -> String { "\(rect.width)x\(rect.height) at \(rect.minX), \(rect.minY)" }
}

/// Pixels that an application writes itself, region by region, and layers show: those of a camera, a terminal, a decoder or a library
/// that draws charts.
///
/// ```swift
/// let surface = try Surface(width: 640, height: 480, isOpaque: true)
/// layer.surface = surface                     // on the main thread
/// try surface.write(bytes, bytesPerRow: 2560, to: IntRect(x: 0, y: 0, width: 640, height: 480))   // on any
/// try surface.commit()
/// ```
///
/// All updates up to a commit are shown together, with the next frame. Where commits are more frequent than frames, the last
/// one before a frame counts. Pixels that are shown are never written: a surface has a buffer that is shown, one that is written, and
/// while frames under way still show older ones, those, each of 4 × width × height bytes. An image that is taken of a layer's
/// `contents` keeps its buffer as well.
///
/// Any thread may use a surface, but only one at a time may write to it. Each pixel is the bytes B, G, R, A with alpha multiplied in.
public final class Surface: Sendable {
  public let width: Int
  public let height: Int
  /// True if the surface hides all that is behind it: the alpha of what is written is taken as 255.
  public let isOpaque: Bool

  private struct State {
    var newest: SurfaceContent
    /// The buffer with what was updated since; nil while nothing was.
    var written: SurfaceBuffer?
    /// The regions that were updated since.
    var updates = DamageRegion()
    var isBeingUpdated = false
    var listeners: [(number: UInt64, changed: @Sendable () -> Void)] = []
    var lastListener: UInt64 = 0
  }

  private let state: Lock<State>
  private let buffers: SurfaceBuffers

  /// Makes a surface of clear pixels, or of black ones if it is opaque.
  ///
  /// - Parameters:
  ///   - width: from 1 to `Bitmap.maximumSide`.
  ///   - height: as `width`.
  public init(width: Int, height: Int, isOpaque: Bool = false) throws(BitmapError) {
    let first = try SurfaceBuffer(width: width, height: height)
    if isOpaque { first.makeOpaque(IntRect(x: 0, y: 0, width: width, height: height)) }
    (self.width, self.height, self.isOpaque) = (width, height, isOpaque)
    buffers = SurfaceBuffers()
    state = Lock(State(newest: SurfaceContent(first.freeze(isOpaque, into: buffers))))
  }

  /// Calls `body` with the pixels of a region, all of which it must write: what was there before may be older than the last update.
  public func update(_ region: IntRect, _ body: (SurfacePixels) -> Void) throws(SurfaceError) {
    try check(region)
    let (written, newest) = try beginUpdate()
    let buffer: SurfaceBuffer
    if let written {
      buffer = written
    } else {
      do throws(BitmapError) {
        buffer = if let free = buffers.take() { free } else { try SurfaceBuffer(width: width, height: height) }
      } catch {
        state.withLock { $0.isBeingUpdated = false }
        throw .buffer(error)
      }
      // The buffer becomes the newest generation, but for the region.
      let stale = buffer.generation.flatMap { newest.changes(since: $0) } ?? DamageRegion(all)
      for rect in stale.rects { rect.forEachPart(outside: region) { buffer.copy($0, of: newest.picture) } }
    }
    body(SurfacePixels(region, of: buffer))
    if isOpaque { buffer.makeOpaque(region) }
    state.withLock { state in
      state.written = buffer
      state.updates.add(region)
      state.isBeingUpdated = false
    }
  }

  /// Writes pixels to a region.
  ///
  /// - Parameters:
  ///   - pixels: the rows of the region from top to bottom.
  ///   - bytesPerRow: the bytes from one row to the next; 4 × the region's width at least.
  public func write(_ pixels: UnsafeRawBufferPointer, bytesPerRow: Int, to region: IntRect) throws(SurfaceError) {
    try check(region)
    let length = region.width * 4
    let (last, overflows) = (region.height - 1).multipliedReportingOverflow(by: bytesPerRow)
    guard bytesPerRow >= length, !overflows, pixels.count - length >= last, let base = pixels.baseAddress else {
      throw .pixels(bytes: pixels.count, bytesPerRow: bytesPerRow, region: region)
    }
    try update(region) { target in
      for y in 0..<region.height {
        (target.base + y * target.bytesPerRow).copyMemory(from: base + y * bytesPerRow, byteCount: length)
      }
    }
  }

  private var all: IntRect { IntRect(x: 0, y: 0, width: width, height: height) }

  private func check(_ region: IntRect) throws(SurfaceError) {
    guard !region.isEmpty, all.contains(region) else { throw .region(region, width: width, height: height) }
  }

  /// Has layers show what was updated since the last commit.
  public func commit() throws(SurfaceError) {
    let (listeners, last) = try state.withLock { state throws(SurfaceError) in
      guard !state.isBeingUpdated else { throw .isBeingUpdated }
      let last = state.newest
      guard let written = state.written else { return ([] as [@Sendable () -> Void], last) }
      written.generation = state.newest.generation + 1
      state.newest = SurfaceContent(written.freeze(isOpaque, into: buffers), after: state.newest, state.updates)
      state.written = nil
      state.updates.removeAll()
      return (state.listeners.map(\.changed), last)
    }
    // Its memory may go back to the system, which takes longer than others may wait for the lock.
    withExtendedLifetime(last) {}
    for changed in listeners { changed() }
  }

  /// The newest generation that was committed.
  package var content: SurfaceContent { state.withLock { $0.newest } }

  private func beginUpdate() throws(SurfaceError) -> (written: SurfaceBuffer?, newest: SurfaceContent) {
    try state.withLock { state throws(SurfaceError) in
      guard !state.isBeingUpdated else { throw .isBeingUpdated }
      state.isBeingUpdated = true
      return (state.written, state.newest)
    }
  }

  // MARK: Listening

  /// Calls `changed` after each commit, on the thread of it, until the listener is released.
  package func listen(_ changed: @escaping @Sendable () -> Void) -> Listener {
    state.withLock { state in
      state.lastListener += 1
      state.listeners.append((state.lastListener, changed))
      return Listener(self, state.lastListener)
    }
  }

  package final class Listener: Sendable {
    private let surface: Surface
    private let number: UInt64

    fileprivate init(_ surface: Surface, _ number: UInt64) { (self.surface, self.number) = (surface, number) }
    deinit { surface.state.withLock { [number] state in state.listeners.removeAll { $0.number == number } } }
  }
}

/// The pixels of a region that is updated; valid during the update alone.
public struct SurfacePixels {
  /// The region, in pixels of the surface.
  public let region: IntRect
  /// The bytes from one row to the next.
  public let bytesPerRow: Int
  /// The first pixel of the top row.
  public let base: UnsafeMutableRawPointer

  fileprivate init(_ region: IntRect, of buffer: SurfaceBuffer) {
    (self.region, bytesPerRow) = (region, buffer.bitmap.bytesPerRow)
    base = buffer.bitmap.row(Int(region.minY)) + Int(region.minX) * 4
  }

  /// The pixels of a row, as words 0xAARRGGBB. The top row of the region is 0. Traps for a row that is not in the region.
  public func row(_ y: Int) -> UnsafeMutableBufferPointer<UInt32> {
    precondition(y >= 0 && y < region.height, "SurfacePixels: row \(y) of \(region.height)")
    return UnsafeMutableBufferPointer(
      start: (base + y * bytesPerRow).assumingMemoryBound(to: UInt32.self), count: region.width)
  }
}
