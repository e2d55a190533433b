import Glibc
public import LinuxSystem
import Synchronization

/// Regions of an application's own work, which `framepace profile` shows beside the phases of frames.
///
/// ```swift
/// let image = FrameProfile.region("decode") { decode(bytes) }
/// ```
///
/// A region belongs to the frame in whose work it lies. Regions may lie in each other, and on any thread. While nobody records, one costs an
/// atomic load; while somebody does, two readings of the clock and some 10 ns more, no lock and no allocation.
public enum FrameProfile {
  /// Runs `body`, whose time counts under this name.
  ///
  /// - Parameter name: a literal; equal texts are one region.
  @inlinable
  public static func region<Result, Failure: Error>(
    _ name: StaticString, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    guard let begin = begin() else { return try body() }
    defer { end(name, begin) }
    return try body()
  }

  @usableFromInline
  static func begin() -> MonotonicTime? { recorders.load(ordering: .relaxed) == 0 ? nil : clock.now }

  @usableFromInline
  static func end(_ name: StaticString, _ begin: MonotonicTime) {
    ring.append(name, begin: begin, end: clock.now, thread: UInt(pthread_self()))
  }

  /// How many record.
  private static let recorders = Atomic<Int>(0)
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
    return RegionReader(ring: ring)
  }

  package static func stopRecording() { recorders.subtract(1, ordering: .releasing) }
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
