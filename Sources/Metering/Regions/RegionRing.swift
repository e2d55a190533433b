import Glibc
import LinuxSystem
import Synchronization

/// The last regions that ended, on any thread, in memory that is allocated once.
///
/// A writer takes the next place, marks it as unfinished, fills it and marks it with its number. A reader takes what it finds under the number
/// that it looks for before and after; what was overwritten meanwhile is lost, and counted.
///
/// Safe to share although unchecked: the places are never moved, and all in them is atomic.
final class RegionRing: @unchecked Sendable {
  fileprivate struct Slot: ~Copyable {
    /// The number of the region that it holds, from 1 on; 0 while it is written.
    let number = Atomic<Int>(0)
    /// The address of the name's bytes, and how many there are.
    let name = Atomic<UInt>(0)
    let nameLength = Atomic<Int>(0)
    let begin = Atomic<Int64>(0)
    let end = Atomic<Int64>(0)
    let thread = Atomic<UInt>(0)
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
    let number = count.wrappingAdd(1, ordering: .relaxed).newValue
    let slot = slots + (number - 1) % capacity
    slot.pointee.number.store(0, ordering: .relaxed)
    atomicMemoryFence(ordering: .releasing)
    slot.pointee.name.store(UInt(bitPattern: name.utf8Start), ordering: .relaxed)
    slot.pointee.nameLength.store(name.utf8CodeUnitCount, ordering: .relaxed)
    slot.pointee.begin.store(begin.nanoseconds, ordering: .relaxed)
    slot.pointee.end.store(end.nanoseconds, ordering: .relaxed)
    slot.pointee.thread.store(thread, ordering: .relaxed)
    slot.pointee.number.store(number, ordering: .releasing)
  }

  enum Place {
    case region(Region, thread: UInt)
    /// It is written now.
    case unfinished
    /// A later region took its place.
    case overwritten
  }

  /// The region with a number from 1 to `total`.
  func region(_ number: Int) -> Place {
    let slot = slots + (number - 1) % capacity
    let found = slot.pointee.number.load(ordering: .acquiring)
    guard found == number else {
      return found > number || total - number >= capacity ? .overwritten : .unfinished
    }
    let address = UnsafePointer<UInt8>(bitPattern: slot.pointee.name.load(ordering: .relaxed))
    let length = slot.pointee.nameLength.load(ordering: .relaxed)
    let begin = slot.pointee.begin.load(ordering: .relaxed)
    let end = slot.pointee.end.load(ordering: .relaxed)
    let thread = slot.pointee.thread.load(ordering: .relaxed)
    atomicMemoryFence(ordering: .acquiring)
    guard slot.pointee.number.load(ordering: .relaxed) == number else { return .overwritten }
    let name = String(decoding: UnsafeBufferPointer(start: address, count: length), as: UTF8.self)
    return .region(
      Region(
        name: name, begin: MonotonicTime(nanoseconds: begin), end: MonotonicTime(nanoseconds: end), thread: 0),
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
