public import LinuxSystem

/// Encodes pictures on threads while the caller makes the next ones, and delivers what became of them in their order.
///
/// ```swift
/// let queue = EncodingQueue<[UInt8]>(pool: WorkerPool()) { bytes in file += bytes }
/// for image in images { try queue.add { try PNG.encode(image) } }
/// try queue.finish()
/// ```
///
/// One thread uses a queue. It waits when each thread of the pool has a picture and another one waits for it, so that no more
/// pictures are in memory than that.
public final class EncodingQueue<Encoded: Sendable> {
  /// A picture under way.
  ///
  /// Safe to share although unchecked: the thread that encodes writes `result` before it opens the latch, and the queue's
  /// thread reads it afterwards.
  private final class Picture: @unchecked Sendable {
    let isDone = Latch()
    var result: Result<Encoded, any Error>?
  }

  private let pool: WorkerPool
  private let limit: Int
  private let deliver: (Encoded) throws -> Void
  /// Those that were not delivered, the oldest first.
  private var pictures: [Picture] = []

  /// - Parameters:
  ///   - pool: whose threads encode.
  ///   - deliver: called on the queue's thread, inside `add` and `finish`.
  public init(pool: WorkerPool, deliver: @escaping (Encoded) throws -> Void) {
    self.pool = pool
    limit = 2 * max(pool.threadCount, 1)
    self.deliver = deliver
  }

  /// Has a picture encoded.
  ///
  /// - Throws: the error of an earlier picture, or of its delivery. The queue is of no use then.
  public func add(_ encode: @escaping @Sendable () throws -> Encoded) throws {
    while pictures.count >= limit { try deliverFirst() }
    let picture = Picture()
    pictures.append(picture)
    let work: @Sendable () -> Void = {
      picture.result = Result { try encode() }
      picture.isDone.open()
    }
    // A pool that was shut down takes no work.
    if !pool.submit(.drawing, work) { work() }
  }

  /// Waits for all pictures.
  ///
  /// - Throws: the first error of a picture, or of its delivery.
  public func finish() throws {
    while !pictures.isEmpty { try deliverFirst() }
  }

  private func deliverFirst() throws {
    let picture = pictures.removeFirst()
    picture.isDone.wait()
    if let result = picture.result { try deliver(result.get()) }
  }
}
