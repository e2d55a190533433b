import Glibc
import LinuxSystem
import Synchronization

/// The last regions that ended, on any thread, in memory that is allocated once.
///
/// A writer takes the next number, fills that number's place and marks it with the number. Two writers share a place when one of them is
/// suspended while the others go once around the ring, so each place has a check sum of its number and parts: a reader that finds the parts of
/// several regions counts the region as lost.
///
/// Safe to share although unchecked: the places are never moved, and all in them is atomic.
final class RegionRing: @unchecked Sendable {
  fileprivate struct Slot: ~Copyable {
    /// The largest number of a region that was written here, from 1 on; 0 before the first.
    let number = Atomic<Int>(0)
    /// The address of the name's bytes, and how many there are.
    let name = Atomic<UInt>(0)
    let nameLength = Atomic<Int>(0)
    let begin = Atomic<Int64>(0)
    let end = Atomic<Int64>(0)
    let thread = Atomic<UInt>(0)
    /// `checkSum` of the number and the parts.
    let check = Atomic<UInt64>(0)
  }

  private let slots: UnsafeMutablePointer<Slot>
  private let capacity: Int
  private let count = Atomic<Int>(0)

  init(capacity: Int) {
    self.capacity = capacity
    slots = .allocate(capacity: capacity)
    for index in 0..<capacity { (slots + index).initialize(to: Slot()) }
  }

  deinit {
    slots.deinitialize(count: capacity)
    slots.deallocate()
  }

  /// The regions that were ever appended.
  var total: Int { count.load(ordering: .acquiring) }

  func append(_ name: StaticString, begin: MonotonicTime, end: MonotonicTime, thread: UInt) {
    // A name of one character may have no address.
    guard name.hasPointerRepresentation else { return }
    write(name, begin: begin, end: end, thread: thread, number: takeNumber())
  }

  /// The number of the next region. A reader waits for it to be written.
  func takeNumber() -> Int { count.wrappingAdd(1, ordering: .relaxed).newValue }

  /// Writes the region whose number was taken.
  func write(_ name: StaticString, begin: MonotonicTime, end: MonotonicTime, thread: UInt, number: Int) {
    let slot = slots + (number - 1) % capacity
    let address = UInt(bitPattern: name.utf8Start)
    let length = name.utf8CodeUnitCount
    slot.pointee.name.store(address, ordering: .relaxed)
    slot.pointee.nameLength.store(length, ordering: .relaxed)
    slot.pointee.begin.store(begin.nanoseconds, ordering: .relaxed)
    slot.pointee.end.store(end.nanoseconds, ordering: .relaxed)
    slot.pointee.thread.store(thread, ordering: .relaxed)
    slot.pointee.check.store(
      Self.checkSum(number, address, length, begin.nanoseconds, end.nanoseconds, thread), ordering: .relaxed)
    slot.pointee.number.max(number, ordering: .releasing)
  }

  /// A polynomial in a large odd number, modulo 2⁶⁴: parts of two regions do not cancel out.
  private static func checkSum(
    _ number: Int, _ name: UInt, _ length: Int, _ begin: Int64, _ end: Int64, _ thread: UInt
  ) -> UInt64 {
    let factor: UInt64 = 0x9E37_79B9_7F4A_7C15
    var sum = UInt64(bitPattern: Int64(number))
    sum = sum &* factor &+ UInt64(name)
    sum = sum &* factor &+ UInt64(bitPattern: Int64(length))
    sum = sum &* factor &+ UInt64(bitPattern: begin)
    sum = sum &* factor &+ UInt64(bitPattern: end)
    return sum &* factor &+ UInt64(thread)
  }

  enum Place {
    case region(Region, thread: UInt)
    /// Its number is taken, and it is not written yet.
    case unfinished
    /// Another region has written into its place, whole or in part.
    case overwritten
  }

  /// The region with a number from 1 to `total`.
  func region(_ number: Int) -> Place {
    let slot = slots + (number - 1) % capacity
    let found = slot.pointee.number.load(ordering: .acquiring)
    guard found == number else {
      return found > number || total - number >= capacity ? .overwritten : .unfinished
    }
    let address = slot.pointee.name.load(ordering: .relaxed)
    let length = slot.pointee.nameLength.load(ordering: .relaxed)
    let begin = slot.pointee.begin.load(ordering: .relaxed)
    let end = slot.pointee.end.load(ordering: .relaxed)
    let thread = slot.pointee.thread.load(ordering: .relaxed)
    let check = slot.pointee.check.load(ordering: .relaxed)
    guard check == Self.checkSum(number, address, length, begin, end, thread) else { return .overwritten }
    let bytes = UnsafeBufferPointer(start: UnsafePointer<UInt8>(bitPattern: address), count: length)
    return .region(
      Region(
        name: String(decoding: bytes, as: UTF8.self), begin: MonotonicTime(nanoseconds: begin),
        end: MonotonicTime(nanoseconds: end), thread: 0),
      thread: thread)
  }
}

/// Reads the regions of a ring in the order in which they ended.
package struct RegionReader {
  private let ring: RegionRing
  private var next: Int
  private var threads = [UInt(pthread_self())]
  /// The regions that were overwritten before they were read.
  package private(set) var lost = 0

  init(ring: RegionRing) {
    self.ring = ring
    next = ring.total + 1
  }

  /// Passes on the regions that have ended since the last call.
  package mutating func read(_ body: (Region) -> Void) {
    let total = ring.total
    while next <= total {
      switch ring.region(next) {
      case .region(var region, let thread):
        region.thread = threads.firstIndex(of: thread) ?? threads.count
        if region.thread == threads.count { threads.append(thread) }
        body(region)
      case .overwritten: lost += 1
      case .unfinished: return
      }
      next += 1
    }
  }
}
