/// Memory for what lives no longer than a turn of a loop: taken by moving a mark, given back all at once.
///
/// A loop drains it at the end of each turn, as Apple's loops drain their autorelease pools; see `FrameLoop.FrameMemory`. It
/// holds plain bytes: nothing in it is counted, retained or deinitialised. Levels nest: what was taken on an outer level stays
/// while inner ones are drained. In steady state it asks the system for nothing, since it keeps what the largest turn needed.
///
/// Belongs to one thread.
public final class FrameArena {
  /// What drained memory is filled with in debug mode: a pattern that as a number is large and odd, as a pointer invalid.
  public static let poison: UInt8 = 0xDB

  /// Whether memory is filled with `poison` when it is drained, so that who kept a buffer too long reads rubbish and not
  /// what once was there.
  public let poisonsDrainedMemory: Bool
  /// Bytes taken now, on all levels, alignment included.
  public private(set) var used = 0
  /// The most bytes that were taken at a time.
  public private(set) var highWaterMark = 0
  /// Bytes that are kept from the system.
  public var capacity: Int { chunks.reduce(0) { $0 + $1.count } }

  /// Where a level began.
  private struct Mark {
    var chunk = 0
    var offset = 0
    var used = 0
  }

  /// Every buffer begins at a multiple of this at most; a cache line.
  private static let alignment = 64

  /// Memory that was got from the system in one piece.
  private struct Chunk {
    let base: UnsafeMutableRawPointer
    let count: Int
  }

  private var chunks: [Chunk] = []
  /// Where the next buffer is taken from.
  private var next = Mark()
  private var levels: [Mark] = []

  /// - Parameters:
  ///   - capacity: bytes to begin with; it grows as need be.
  ///   - poisonsDrainedMemory: in debug builds at first.
  public init(capacity: Int = 64 * 1024, poisonsDrainedMemory: Bool = FrameArena.isDebugBuild) {
    self.poisonsDrainedMemory = poisonsDrainedMemory
    addChunk(atLeast: max(capacity, 1))
    levels.reserveCapacity(8)
  }

  deinit {
    for chunk in chunks { chunk.base.deallocate() }
  }

  /// Whether this is a debug build.
  public static var isDebugBuild: Bool {
    var isDebug = false
    // An assertion's condition is evaluated in debug builds only.
    assert(
      {
        isDebug = true
        return true
      }())
    return isDebug
  }

  // MARK: Taking

  /// Takes memory for `count` elements, 0 or more, until the level that is current now is drained. Its bytes are not set.
  public func take<Element: BitwiseCopyable>(_ type: Element.Type, count: Int) -> UnsafeMutableBufferPointer<Element> {
    precondition(count >= 0, "FrameArena: \(count) elements cannot be taken")
    let (size, overflow) = count.multipliedReportingOverflow(by: MemoryLayout<Element>.stride)
    precondition(!overflow, "FrameArena: \(count) elements are more than there are addresses")
    let bytes = take(bytes: size, alignment: MemoryLayout<Element>.alignment)
    return UnsafeMutableBufferPointer(start: bytes.bindMemory(to: Element.self, capacity: count), count: count)
  }

  /// Takes memory and copies `elements` into it.
  public func copy<Elements: Collection>(_ elements: Elements) -> UnsafeMutableBufferPointer<Elements.Element>
  where Elements.Element: BitwiseCopyable {
    let buffer = take(Elements.Element.self, count: elements.count)
    _ = buffer.initialize(from: elements)
    return buffer
  }

  private func take(bytes: Int, alignment: Int) -> UnsafeMutableRawPointer {
    let mask = min(alignment, Self.alignment) - 1
    var start = (next.offset + mask) & ~mask
    if start + bytes > chunks[next.chunk].count {
      nextChunk(holding: bytes)
      start = 0
    }
    used += start + bytes - next.offset
    highWaterMark = max(highWaterMark, used)
    next.offset = start + bytes
    return chunks[next.chunk].base + start
  }

  private func nextChunk(holding bytes: Int) {
    while next.chunk + 1 < chunks.count {
      next.chunk += 1
      next.offset = 0
      if bytes <= chunks[next.chunk].count { return }
    }
    addChunk(atLeast: max(bytes, 2 * capacity))
    next.chunk = chunks.count - 1
    next.offset = 0
  }

  private func addChunk(atLeast bytes: Int) {
    let size = (bytes + Self.alignment - 1) & ~(Self.alignment - 1)
    chunks.append(Chunk(base: .allocate(byteCount: size, alignment: Self.alignment), count: size))
  }

  // MARK: Levels

  /// Begins a level inside the current one.
  public func push() {
    next.used = used
    levels.append(next)
  }

  /// Gives back what was taken since the current level began. Its buffers must not be used any more.
  public func drain() {
    let start = levels.last ?? Mark()
    if poisonsDrainedMemory { poison(from: start) }
    next = start
    used = start.used
    // Several pieces become one that holds what they held together, once nobody has anything of them.
    if used == 0, chunks.count > 1 {
      let size = capacity
      for chunk in chunks { chunk.base.deallocate() }
      chunks.removeAll(keepingCapacity: true)
      addChunk(atLeast: size)
    }
  }

  /// Drains the current level and ends it; the outermost one is drained and stays.
  public func pop() {
    drain()
    _ = levels.popLast()
  }

  private func poison(from start: Mark) {
    for index in start.chunk...next.chunk {
      let first = index == start.chunk ? start.offset : 0
      let end = index == next.chunk ? next.offset : chunks[index].count
      (chunks[index].base + first).initializeMemory(as: UInt8.self, repeating: Self.poison, count: max(end - first, 0))
    }
  }
}
