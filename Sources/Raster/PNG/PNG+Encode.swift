public import LinuxSystem

extension PNG {
  /// Makes the bytes of a PNG file. On one machine the same pixels always give the same bytes, with any
  /// number of threads.
  ///
  /// An opaque image becomes RGB. Any other becomes RGBA, with each component divided by alpha and rounded to the nearest.
  ///
  /// - Parameters:
  ///   - scale: pixels a point. The file states 72 × `scale` pixels an inch, from which viewers find the size of a picture
  ///     that was drawn for a dense display. At 1 it says nothing.
  ///   - pool: whose threads work on a large picture together with the caller; nil for the caller alone.
  public static func encode(
    _ image: Image, effort: Effort = .fast, scale: Double = 1, pool: WorkerPool? = nil
  ) throws(PNGError) -> [UInt8] {
    let rows = PNGRows(image)
    // While the array grows, its old bytes are there beside the new ones.
    guard Memory.hasRoom(for: 3 * rows.size) else { throw .outOfMemory(bytes: 3 * rows.size) }
    let stream = try PNGStream(rows, effort: effort, threads: threads(of: pool))
    var file: [UInt8] = []
    write(rows, stream, scale: scale, pool: pool) { file += $0 }
    return file
  }

  /// Writes a PNG file. If writing fails, a file that was there before stays as it was. The file is written as its bands are
  /// compressed, which takes about 2 MB of memory a thread with the fast effort on amd64, and that of the picture otherwise.
  ///
  /// - Parameters:
  ///   - path: a file, a device or a pipe.
  ///   - scale: pixels a point; see `encode(_:effort:scale:pool:)`.
  ///   - pool: whose threads work on a large picture together with the caller; nil for the caller alone.
  public static func write(
    _ image: Image, to path: String, effort: Effort = .fast, scale: Double = 1, pool: WorkerPool? = nil
  ) throws(PNGError) {
    let rows = PNGRows(image)
    let stream = try PNGStream(rows, effort: effort, threads: threads(of: pool))
    do throws(SystemError) {
      try AtomicFile.replace(path) { (file) throws(SystemError) in
        try write(rows, stream, scale: scale, pool: pool) { (bytes) throws(SystemError) in try file.write(bytes) }
      }
    } catch {
      throw .file(error)
    }
  }

  private static func threads(of pool: WorkerPool?) -> Int { 1 + (pool?.threadCount ?? 0) }

  private static func write<Failure: Error>(
    _ rows: PNGRows, _ stream: borrowing PNGStream, scale: Double, pool: WorkerPool?,
    to output: (UnsafeRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) {
    let head =
      PNGChunk.signature + PNGChunk.header(width: rows.width, height: rows.height, channels: rows.channels)
      + PNGChunk.description(scale: scale)
    try head.withUnsafeBufferPointer { (head) throws(Failure) in try output(UnsafeRawBufferPointer(head)) }
    try stream.forEachPiece(pool: pool) { (piece) throws(Failure) in
      try PNGChunk.write("IDAT", piece, to: output)
    }
    let end = PNGChunk.end
    try end.withUnsafeBufferPointer { (end) throws(Failure) in try output(UnsafeRawBufferPointer(end)) }
  }
}
