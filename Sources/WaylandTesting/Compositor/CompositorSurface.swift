import FrameTiming
import Geometry
public import LinuxSystem
import Raster

/// A surface of a client: the commits that wait, the state that holds, and the picture that is seen.
@MainActor
final class CompositorSurface {
  let object: ServerObject
  unowned let compositor: ScriptedCompositor
  var pending = SurfaceCommit()
  var pendingLayout = SurfaceLayout()
  /// The layout of the newest commit that is applied.
  private(set) var layout = SurfaceLayout()
  /// The commits that wait for their turn, oldest first.
  private var queue: [(SurfaceCommit, SurfaceLayout, [SubsurfaceCommit])] = []
  /// The commits that were applied since pictures were taken last.
  private var applied: [SurfaceCommit] = []
  /// The buffer of the newest applied commit, and the one in the last picture.
  private var current: ClientBuffer?
  private var taken: ClientBuffer?
  private var hasBarrier = false
  private(set) var commitCount = 0
  /// The picture; nil for a surface that shows nothing.
  private(set) var picture: Bitmap?
  /// The size of the newest committed buffer with its layout; nil without one.
  private(set) var committedBuffer: ClientBuffer?
  /// The kinds of objects that were made for the surface, each of which there may be once.
  var extensions: Set<String> = []
  /// The scales that may be used, in 120ths: those that the client may not have heard that they are past, and the newest one. Before it
  /// is told one, that of any output, or none.
  var scales: [Int]
  /// An event that was sent after the newest scale.
  var scaleSerial = UInt32.max
  var fractionalScale: ServerObject?
  /// The surface that this one is a part of, and its place there; nil for one of its own.
  var place: SubsurfacePlace?
  /// The surfaces that are parts of this one.
  var parts: [CompositorSurface] = []
  /// The commits that wait for the next one of the surface that this is a part of.
  private var cached: [(SurfaceCommit, SurfaceLayout)] = []
  /// The outputs that it was told it is on.
  var entered: Set<Int> = []

  init(_ object: ServerObject, of compositor: ScriptedCompositor) {
    (self.object, self.compositor) = (object, compositor)
    scales = [120] + compositor.outputs.map(\.scale)
  }

  var window: CompositorWindow? { compositor.windowsOfSurfaces[ObjectIdentifier(self)] }

  /// The place of the output that it lies on.
  var output: Int { parent?.output ?? window?.output ?? 0 }
  /// The surface that this one is a part of.
  weak var parent: CompositorSurface?

  /// True while it shows a picture.
  var isMapped: Bool { picture != nil }

  /// True while commits wait to be seen.
  var isWaiting: Bool { !queue.isEmpty || !applied.isEmpty }

  // MARK: Commits

  func commit() {
    var commit = SurfaceCommit()
    swap(&commit, &pending)
    commitCount += 1
    commit.number = commitCount
    switch commit.attachment {
    case .none: break
    case .removed: committedBuffer = nil
    case .buffer(let buffer):
      committedBuffer = buffer
      if buffer.isHeld { compositor.note(.heldBuffer, "commit \(commitCount)") }
    }
    check(commit, pendingLayout)
    commit.buffer?.hold()
    if place != nil { return cached.append((commit, pendingLayout)) }
    queue.append((commit, pendingLayout, parts.compactMap { $0.takeCached() }))
    applyReady(at: nil)
    compositor.changed()
    window?.committed(commit)
  }

  /// Applies the commits whose turn it is.
  ///
  /// - Parameter vblank: the time of the vblank for which pictures are taken; nil between.
  private func applyReady(at vblank: MonotonicTime?) {
    while let (commit, layout, parts) = queue.first {
      if commit.waitsForBarrier && hasBarrier { return }
      if let target = commit.target, vblank.map({ target > $0 }) ?? true { return }
      queue.removeFirst()
      if commit.setsBarrier { hasBarrier = true }
      apply(commit, layout)
      for part in parts { part.surface.apply(part) }
    }
  }

  private func apply(_ commit: SurfaceCommit, _ layout: SurfaceLayout) {
    self.layout = layout
    applied.append(commit)
    let previous = current
    switch commit.attachment {
    case .none: return
    case .removed: current = nil
    case .buffer(let buffer): current = buffer
    }
    // One that no picture was taken of is free at once.
    if let previous, previous !== taken, previous !== current { compositor.giveBack(previous) }
  }

  /// The commits since the last one of the surface that this is a part of.
  private func takeCached() -> SubsurfaceCommit? {
    guard let place else { return nil }
    defer { cached = [] }
    return SubsurfaceCommit(surface: self, commits: cached, corner: place.pending)
  }

  private func apply(_ part: SubsurfaceCommit) {
    place?.corner = part.corner
    for (commit, layout) in part.commits { apply(commit, layout) }
  }

  /// The layout and the place of the picture.
  private(set) var shownLayout = SurfaceLayout()
  private var shownCorner = SubsurfacePlace.Corner()

  /// The size of what is seen, in points.
  var shownSize: SurfaceLayout.IntSize? { picture.flatMap { shownLayout.size(width: $0.width, height: $0.height) } }

  /// The places of the parts that are seen, in points around the surface.
  var shownParts: [IntRect] {
    parts.compactMap { part in
      guard let size = part.shownSize else { return nil }
      return IntRect(x: part.shownCorner.x, y: part.shownCorner.y, width: size.width, height: size.height)
    }
  }

  /// The part that is seen at a point, or the surface itself, and the point there.
  func target(x: Double, y: Double) -> (CompositorSurface, x: Double, y: Double) {
    for part in parts {
      guard let size = part.shownSize else { continue }
      let (x, y) = (x - Double(part.shownCorner.x), y - Double(part.shownCorner.y))
      if x >= 0, y >= 0, x < Double(size.width), y < Double(size.height) { return (part, x, y) }
    }
    return (self, x, y)
  }

  // MARK: Pictures

  /// Takes what is seen from a vblank on.
  func takePicture(vblank: UInt64, at time: MonotonicTime) {
    guard window?.isHidden != true else { return }
    applyReady(at: time)
    hasBarrier = false
    (shownLayout, shownCorner) = (layout, place?.corner ?? shownCorner)
    let commits = applied
    applied = []
    guard let last = commits.last else { return }
    if current !== taken || commits.contains(where: { !$0.damage.isEmpty || !$0.surfaceDamage.isEmpty }) {
      update(commits)
      let old = taken
      taken = current
      compositor.giveBack(old: old === current ? nil : old, new: current, vblank: vblank, of: compositor.grids[output])
      if let current, let window {
        let frame = ShownFrame(
          time: time, vblank: vblank, commit: last.number, width: current.width, height: current.height)
        compositor.schedule(at: time) { [weak window] in window?.show(frame) }
      }
    }
    compositor.enter(self)
    for commit in commits {
      for callback in commit.callbacks { compositor.answer(callback: callback) }
      for feedback in commit.feedback {
        compositor.answer(feedback: feedback, vblank: vblank, of: output, at: time, isSeen: commit.number == last.number)
      }
    }
  }

  /// Copies what the commits say has changed, as a compositor does that keeps a copy, and sees that this is all.
  private func update(_ commits: [SurfaceCommit]) {
    guard let current else {
      picture = nil
      return
    }
    guard let picture, picture.width == current.width, picture.height == current.height else {
      picture = try? Bitmap(width: current.width, height: current.height)
      picture?.copy(current, minX: 0, minY: 0, maxX: current.width, maxY: current.height)
      return
    }
    for commit in commits {
      for rect in commit.damage {
        picture.copy(current, minX: Int(rect.minX), minY: Int(rect.minY), maxX: Int(rect.maxX), maxY: Int(rect.maxY))
      }
      for rect in commit.surfaceDamage { copy(rect, to: picture, from: current) }
    }
    if let (x, y) = picture.firstDifference(from: current) {
      compositor.note(.missingDamage, "pixel (\(x), \(y)), commit \(commits.last?.number ?? 0)")
      picture.copy(current, minX: 0, minY: 0, maxX: current.width, maxY: current.height)
    }
  }

  /// Copies damage that is given in points, with the pixels that it touches in part.
  private func copy(_ rect: IntRect, to picture: Bitmap, from buffer: ClientBuffer) {
    guard let size = layout.size(width: buffer.width, height: buffer.height), size.width > 0, size.height > 0 else { return }
    let (x, y) = (Double(buffer.width) / Double(size.width), Double(buffer.height) / Double(size.height))
    func pixel(_ value: Int32, _ factor: Double) -> Double { min(max(Double(value) * factor, -1e6), 1e6) }
    picture.copy(
      buffer, minX: Int(pixel(rect.minX, x).rounded(.down)), minY: Int(pixel(rect.minY, y).rounded(.down)),
      maxX: Int(pixel(rect.maxX, x).rounded(.up)), maxY: Int(pixel(rect.maxY, y).rounded(.up)))
  }

  /// The client has read the event with this serial, and so all before it.
  func heard(_ serial: UInt32) {
    if serial >= scaleSerial, let newest = scales.last { scales = [newest] }
  }

  /// A buffer is gone.
  func forget(_ buffer: ClientBuffer) {
    let isSeen =
      buffer === current || queue.contains { $0.0.buffer === buffer } || cached.contains { $0.0.buffer === buffer }
    if isSeen, buffer.isHeld { compositor.note(.destroyedBuffer, "commit \(commitCount)") }
  }

  func end() {
    for (commit, _, _) in queue { end(commit) }
    for (commit, _) in cached { end(commit) }
    for commit in applied { end(commit) }
    (queue, cached, applied) = ([], [], [])
    end(pending)
  }

  private func end(_ commit: SurfaceCommit) {
    for callback in commit.callbacks { callback.destroy() }
    for feedback in commit.feedback { feedback.send("discarded"); feedback.destroy() }
  }
}

/// A frame of a window that is seen.
public struct ShownFrame: Hashable, Sendable {
  /// The true time of the vblank since which it is seen, by the loop's clock.
  public var time: MonotonicTime
  /// The vblank's number.
  public var vblank: UInt64
  /// The number of its commit among those of the surface, from 1.
  public var commit: Int
  /// The size of the buffer.
  public var width: Int
  public var height: Int
}
