/// Memory that is taken by moving a mark and released all at once, for buffers that live no longer than a turn of a loop.
///
/// A `FrameLoop.FrameMemory` drains it at the end of each turn. It holds plain bytes: nothing in it is retained or
/// deinitialised. Levels nest: draining an inner level keeps the buffers of outer ones. The arena keeps the memory that the
/// largest turn needed, so that in steady state it allocates nothing.
///
/// ```swift
/// let arena = FrameArena()
/// let widths = arena.take(Double.self, count: 100)
/// widths.initialize(repeating: 0)
/// …
/// arena.drain()  // `widths` is invalid from here on
/// ```
///
/// An arena belongs to one thread.
public final class FrameArena {
  /// The pattern that fills drained memory in debug mode: a large odd number, and an invalid pointer.
  public static let poison: UInt8 = 0xDB

  /// True if drained memory is filled with `poison`, so that the use of a buffer after its turn shows.
  public let poisonsDrainedMemory: Bool
  /// The number of bytes taken on all levels, alignment included.
  public private(set) var used = 0
  /// The largest number of bytes that were taken at a time.
  public private(set) var highWaterMark = 0
  /// The number of bytes allocated from the system.
  public var capacity: Int { chunks.reduce(0) { $0 + $1.count } }

  /// The beginning of a level.
  private struct Mark {
    var chunk = 0
    var offset = 0
    var used = 0
  }

  /// The largest alignment of a buffer; a cache line.
  private static let alignment = 64

  /// One allocation from the system.
  private struct Chunk {
    let base: UnsafeMutableRawPointer
    let count: Int
  }

  private var chunks: [Chunk] = []
  /// The place of the next buffer.
  private var next = Mark()
  private var levels: [Mark] = []

  /// - Parameters:
  ///   - capacity: the number of bytes at first; the arena grows as needed.
  ///   - poisonsDrainedMemory: by default true in debug builds.
  public init(capacity: Int = 64 * 1024, poisonsDrainedMemory: Bool = FrameArena.isDebugBuild) {
    self.poisonsDrainedMemory = poisonsDrainedMemory
    addChunk(atLeast: max(capacity, 1))
    levels.reserveCapacity(8)
  }

  deinit {
    for chunk in chunks { chunk.base.deallocate() }
  }

  /// True in debug builds.
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

  /// Takes uninitialised memory for `count` elements, until the current level is drained.
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

  /// Releases the buffers of the current level. They must not be used any more.
  public func drain() {
    let start = levels.last ?? Mark()
    if poisonsDrainedMemory { poison(from: start) }
    next = start
    used = start.used
    // Several chunks become one of their total size, once no buffer is left in them.
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
