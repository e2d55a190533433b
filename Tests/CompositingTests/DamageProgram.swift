import Geometry
import Glibc
import LinuxSystem
import Raster
import RenderTree

@testable import Compositing

/// Edits of a random tree, in frames on a ring of buffers. Every part of a program is a program: each edit is chosen by a seed of its
/// own and by what is there.
struct DamageProgram {
  struct Frame {
    /// A seed for each.
    var edits: [UInt64]
    /// The time since the frame before, in milliseconds.
    var after: Int64
    /// False if the pictures that layers have asked for are not there yet.
    var arrives: Bool
    /// The buffer, modulo the number of buffers.
    var buffer: Int
    /// True to paint the damage on poison too.
    var isProbed: Bool
  }

  let seed: UInt64
  /// Every second program scrolls a list, on an output that is large enough for damage to be apart.
  var isScrolled: Bool { seed % 2 == 0 }
  var width: Int { isScrolled ? 160 : 90 }
  var height: Int { isScrolled ? 130 : 80 }
  let buffers: Int
  var frames: [Frame] = []

  var edits: Int { frames.reduce(0) { $0 + $1.edits.count } }

  init(seed: UInt64, frames count: Int) {
    self.seed = seed
    var random = SplitMix64(seed: seed &* 0x9E37_79B9)
    buffers = Int.random(in: 1...4, using: &random)
    var buffer = 0
    for _ in 0..<count {
      var edits = [random.next()]
      while random.chance(0.5) { edits.append(random.next()) }
      // Mostly in turn; sometimes a buffer waits for several frames, or comes twice.
      buffer = random.chance(0.8) ? buffer + 1 : Int.random(in: 0..<4, using: &random)
      frames.append(
        Frame(
          edits: edits, after: random.chance(0.8) ? 8 : .random(in: 0...60, using: &random), arrives: random.chance(0.6),
          buffer: buffer, isProbed: random.chance(0.3)))
    }
  }
}

/// Plays a program: after each frame the buffer equals, byte for byte, what is painted whole; pixels outside of the damage are those of
/// the frame before; and nothing outside of what is to be painted is touched.
@MainActor
struct DamagePlayer {
  struct Failure {
    let frame: Int
    let difference: String
    /// The names of all edits so far.
    let edits: [[String]]
    /// The text of the scene before the frame.
    let text: String
    let before: TreeSnapshot
    let after: TreeSnapshot
    let change: FrameChange
  }

  /// Spoils each frame's change, to see the proof fail; nil to spoil none.
  typealias Fault = (inout FrameChange) -> Void

  private static let poison: UInt32 = 0xDEAD_BEEF

  private let output: IntRect
  private var whole: DamageRegion { DamageRegion(output) }
  private let model: RandomTree
  private let compositor: Compositor
  private let painting: Compositor
  /// The output is too small for moves that would pay.
  private var diff = SceneDiff(WorthwhileMove(pixels: 16, slowShare: 0))
  private var full: Bitmap
  private var previous: Bitmap
  private let probe: Bitmap
  private let ring: [Bitmap]
  private var pending: [FrameChange]

  private init(_ program: DamageProgram) throws {
    func bitmap(_ end: Bitmap.GuardedEnd) -> Bitmap { .guarded(width: program.width, height: program.height, at: end) }
    output = IntRect(x: 0, y: 0, width: program.width, height: program.height)
    let blending = Blending.allCases[Int(program.seed / 2 % 2)]
    (compositor, painting) = (Compositor(blending: blending), Compositor(keptBytes: 0, blending: blending))
    model = try RandomTree(
      seed: program.seed, layers: 8, width: program.width, height: program.height, isGuarded: true,
      isScrolled: program.isScrolled)
    (full, previous, probe) = (bitmap(.end), bitmap(.start), bitmap(.end))
    ring = (0..<program.buffers).map { bitmap($0 % 2 == 0 ? .end : .start) }
    pending = Array(repeating: FrameChange(DamageRegion(output)), count: program.buffers)
  }

  /// The result of a program.
  struct Outcome {
    var failure: Failure?
    /// The number of edits that were made.
    var edits = 0
    /// The number of frames in which pixels were moved.
    var moves = 0
  }

  /// Plays a program up to its first failure.
  ///
  /// - Parameter limit: the time after which the program is left. One in twenty has layers in perspective whose pictures are so large that
  ///   it would take as long as all others.
  static func play(
    _ program: DamageProgram, upTo limit: Nanoseconds = .seconds(3600), fault: Fault? = nil
  ) throws -> Outcome {
    var player = try DamagePlayer(program)
    return player.play(program, upTo: SystemClock.monotonic.now + limit, fault)
  }

  static func failure(of program: DamageProgram, fault: Fault? = nil) throws -> Failure? {
    try play(program, fault: fault).failure
  }

  private mutating func play(_ program: DamageProgram, upTo end: MonotonicTime, _ fault: Fault?) -> Outcome {
    var outcome = Outcome()
    var shown = model.snapshot()
    compositor.render(shown, damage: whole, into: full)
    var edits: [[String]] = []
    for (number, frame) in program.frames.enumerated() where SystemClock.monotonic.now < end {
      outcome.edits += frame.edits.count
      // The text is made again only for a failure: it takes longer than the frame.
      edits.append(frame.edits.map(model.edit(seed:)))
      let next = model.snapshot(after: .milliseconds(frame.after), arrives: frame.arrives)
      var change = diff.change(from: shown, to: next, width: output.width, height: output.height)
      if change.move != nil { outcome.moves += 1 }
      fault?(&change)
      if let difference = next.inconsistency ?? difference(of: next, change, frame) {
        outcome.failure = Failure(
          frame: number, difference: difference, edits: edits, text: Self.text(of: program, before: number), before: shown,
          after: next, change: change)
        break
      }
      shown = next
    }
    return outcome
  }

  private mutating func difference(of tree: TreeSnapshot, _ change: FrameChange, _ frame: DamageProgram.Frame) -> String? {
    for index in pending.indices { pending[index].add(change) }
    let buffer = frame.buffer % ring.count
    let lacked = pending[buffer]
    pending[buffer] = FrameChange()
    compositor.render(tree, change: lacked, into: ring[buffer])
    swap(&full, &previous)
    // Painted anew, without what the other keeps.
    painting.render(tree, damage: whole, into: full)
    if let difference = full.difference(from: ring[buffer]) { return "buffer \(buffer) of \(ring.count): \(difference)" }
    if let difference = full.difference(from: previous, but: change) { return "the diff misses that \(difference)" }
    guard frame.isProbed else { return nil }
    for y in 0..<probe.height { probe.pixels(y).update(repeating: Self.poison, count: probe.width) }
    compositor.render(tree, change: lacked, into: probe)
    for y in 0..<probe.height {
      for x in 0..<probe.width {
        let isInside = lacked.damage.intersects(IntRect(x: x, y: y, width: 1, height: 1))
        guard probe.pixels(y)[x] != (isInside ? full.pixels(y)[x] : Self.poison) else { continue }
        return
          "pixel \(x), \(y) \(isInside ? "inside of the damage is not painted so on poison" : "outside of the damage is touched")"
      }
    }
    return nil
  }

  private static func text(of program: DamageProgram, before frame: Int) -> String {
    guard let player = try? DamagePlayer(program) else { return "no text" }
    _ = player.model.snapshot()
    for frame in program.frames.prefix(frame) {
      for edit in frame.edits { _ = player.model.edit(seed: edit) }
      _ = player.model.snapshot(after: .milliseconds(frame.after), arrives: frame.arrives)
    }
    return player.model.text
  }
}

extension Bitmap {
  fileprivate func pixels(_ y: Int) -> UnsafeMutablePointer<UInt32> { row(y).assumingMemoryBound(to: UInt32.self) }

  /// The first pixel of `other` that is another one, apart from what `change` makes of it.
  fileprivate func difference(from other: Bitmap, but change: FrameChange = FrameChange()) -> String? {
    for y in 0..<height {
      guard let move = change.move, (Int(move.rect.minY)..<Int(move.rect.maxY)).contains(y) else {
        if let difference = difference(from: other, 0..<width, y, change.damage) { return difference }
        continue
      }
      let (start, end) = (Int(move.rect.minX), Int(move.rect.maxX))
      let difference =
        difference(from: other, 0..<start, y, change.damage)
        ?? difference(from: other, start..<end, y, change.damage, moved: (Int(move.dx), Int(move.dy)))
        ?? difference(from: other, end..<width, y, change.damage)
      if let difference { return difference }
    }
    return nil
  }

  private func difference(
    from other: Bitmap, _ columns: Range<Int>, _ y: Int, _ damage: DamageRegion, moved: (dx: Int, dy: Int) = (0, 0)
  ) -> String? {
    let (row, was) = (pixels(y), other.pixels(y - moved.dy) - moved.dx)
    if memcmp(row + columns.lowerBound, was + columns.lowerBound, columns.count * 4) == 0 { return nil }
    for x in columns where row[x] != was[x] && !damage.intersects(IntRect(x: x, y: y, width: 1, height: 1)) {
      return "pixel \(x), \(y) is \(String(was[x], radix: 16)) and should be \(String(row[x], radix: 16))"
    }
    return nil
  }
}
