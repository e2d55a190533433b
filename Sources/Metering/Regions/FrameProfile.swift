import Glibc
package import LinuxSystem
import Synchronization

/// Regions of an application's own work, which `framepace profile` shows beside the phases of frames.
///
/// ```swift
/// let image = FrameProfile.region("decode") { decode(bytes) }
/// ```
///
/// A region belongs to the frame in whose work it lies. Regions may lie in each other, and on any thread. While nobody records, one costs an
/// atomic load; while somebody does, two readings of the clock and some 10 ns more, no lock and no allocation. The report of a hang
/// names the region that the main thread is in, where an engine was asked for `hangFacts()`.
public enum FrameProfile {
  /// Runs `body`, whose time counts under this name.
  ///
  /// - Parameter name: a literal; equal texts are one region.
  @inlinable
  public static func region<Result, Failure: Error>(
    _ name: StaticString, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    guard let open = begin(name) else { return try body() }
    defer { end(name, open) }
    return try body()
  }

  /// A region that has begun.
  @usableFromInline
  struct OpenRegion {
    /// Nil if nobody recorded.
    var begin: MonotonicTime?
    /// The address of the name of the region around it, 0 for none; nil on a thread that is not watched.
    var outer: UInt?
  }

  @usableFromInline
  static func begin(_ name: StaticString) -> OpenRegion? {
    guard users.load(ordering: .relaxed) > 0 else { return nil }
    var open = OpenRegion()
    if watchedThread.load(ordering: .relaxed) == UInt(pthread_self()), name.hasPointerRepresentation {
      open.outer = openName.load(ordering: .relaxed)
      openName.store(UInt(bitPattern: name.utf8Start), ordering: .relaxed)
    }
    if recorders.load(ordering: .relaxed) > 0 { open.begin = clock.now }
    return open
  }

  @usableFromInline
  static func end(_ name: StaticString, _ open: OpenRegion) {
    if let begin = open.begin { ring.append(name, begin: begin, end: clock.now, thread: UInt(pthread_self())) }
    if let outer = open.outer { openName.store(outer, ordering: .relaxed) }
  }

  /// How many record, and with those who watch a thread.
  private static let recorders = Atomic<Int>(0)
  private static let users = Atomic<Int>(0)
  /// The thread whose open region is noted, 0 for none, and the address of that region's name, 0 for none.
  private static let watchedThread = Atomic<UInt>(0)
  private static let openName = Atomic<UInt>(0)
  /// The manual clock of a test, which lives for ever; 0 for the machine's clock.
  private static let manualClock = Atomic<UInt>(0)
  static let ring = RegionRing(capacity: 8192)

  private static var clock: SystemClock {
    guard let place = UnsafeRawPointer(bitPattern: manualClock.load(ordering: .relaxed)) else { return .monotonic }
    return .manual(Unmanaged<ManualClock>.fromOpaque(place).takeUnretainedValue())
  }

  /// Lets regions be recorded until `stopRecording()`, which is to be called once for each call of this.
  ///
  /// - Parameter clock: the loop's. All who record at one time have the same.
  /// - Returns: reads the regions that end from now on.
  package static func startRecording(clock: SystemClock) -> RegionReader {
    let manual = clock.manual.map { UInt(bitPattern: Unmanaged.passRetained($0).toOpaque()) } ?? 0
    manualClock.store(manual, ordering: .relaxed)
    recorders.add(1, ordering: .releasing)
    users.add(1, ordering: .releasing)
    return RegionReader(ring: ring)
  }

  package static func stopRecording() {
    users.subtract(1, ordering: .releasing)
    recorders.subtract(1, ordering: .releasing)
  }

  /// Notes from now on which region the calling thread is in.
  package static func watchThread() {
    if watchedThread.exchange(UInt(pthread_self()), ordering: .relaxed) == 0 { users.add(1, ordering: .releasing) }
  }

  /// The innermost region that the watched thread is in; nil outside of all. From any thread.
  package static var openRegion: String? {
    // The text of a literal lives for ever, and ends with a zero.
    UnsafePointer<CChar>(bitPattern: openName.load(ordering: .relaxed)).map { String(cString: $0) }
  }
}

/// A region that has ended.
package struct Region: Equatable, Sendable {
  package var name: String
  package var begin: MonotonicTime
  package var end: MonotonicTime
  /// 0 for the thread that reads the regions, which is the loop's; others are counted as they come.
  package var thread: Int

  package init(name: String, begin: MonotonicTime, end: MonotonicTime, thread: Int) {
    (self.name, self.begin, self.end, self.thread) = (name, begin, end, thread)
  }

  package var time: Nanoseconds { end - begin }
}
