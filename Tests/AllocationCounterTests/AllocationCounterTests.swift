import AllocationCounter
import Glibc
import Testing

/// Other tests rely on this counter for "0 allocations", so it must count every allocation and nothing else.
@Suite(.enabled(if: allocation_counter_is_available(), "a sanitizer's allocator is in place"))
struct AllocationCounterTests {
  final class Object {
    var value: Int
    init(_ value: Int) { self.value = value }
  }

  @inline(never) func counts(_ body: () -> Void) -> AllocationCounts {
    allocation_counter_begin()
    body()
    return allocation_counter_end()
  }

  // An object that is passed to an opaque call stays on the heap.
  @inline(never) func blackHole(_ object: AnyObject?) { withExtendedLifetime(object) {} }

  @Test func nothingIsCountedForNothing() {
    var sum = 0
    let counts = counts { for index in 0..<1000 { sum &+= index } }
    #expect(counts.allocations == 0)
    #expect(counts.frees == 0)
    #expect(counts.bytes == 0)
    #expect(sum == 499_500)
  }

  @Test func oneObjectIsOneAllocation() {
    var kept: Object?
    let made = counts { kept = Object(1) }
    #expect(made.allocations == 1)
    #expect(made.frees == 0)
    #expect(made.bytes >= 24)
    blackHole(kept)
    let released = counts { kept = nil }
    #expect(released.allocations == 0)
    #expect(released.frees == 1)
  }

  // The test uses single variables, because an array's accessors allocate in a debug build.
  @Test func everyEntryOfTheCLibraryIsSeen() {
    var first: UnsafeMutableRawPointer?
    var second: UnsafeMutableRawPointer?
    var third: UnsafeMutableRawPointer?
    var fourth: UnsafeMutableRawPointer?
    var fifth: UnsafeMutableRawPointer?
    let made = counts {
      first = malloc(100)
      second = calloc(10, 20)
      third = aligned_alloc(64, 320)
      _ = posix_memalign(&fourth, 256, 400)
      fifth = realloc(nil, 500)
    }
    #expect(made.allocations == 5)
    #expect(made.bytes == 100 + 200 + 320 + 400 + 500)
    #expect(first != nil && second != nil && fifth != nil)
    #expect(third != nil && UInt(bitPattern: third) % 64 == 0)
    #expect(fourth != nil && UInt(bitPattern: fourth) % 256 == 0)
    let released = counts {
      free(first)
      free(second)
      free(third)
      free(fourth)
      free(fifth)
      free(nil)
    }
    #expect(released.allocations == 0)
    #expect(released.frees == 5)
  }

  @Test func aBadAlignmentIsRefusedAsTheCLibraryDoes() {
    var block: UnsafeMutableRawPointer?
    #expect(posix_memalign(&block, 3, 10) == EINVAL)
    #expect(block == nil)
  }

  /// The counter also sees calls from inside shared libraries: `strdup` is in the C library.
  @Test func callsFromSharedLibrariesAreSeen() {
    let text: StaticString = "a string of some length"
    var copy: UnsafeMutablePointer<CChar>?
    let made = counts {
      text.utf8Start.withMemoryRebound(to: CChar.self, capacity: text.utf8CodeUnitCount + 1) { copy = strdup($0) }
    }
    #expect(made.allocations == 1)
    #expect(made.bytes == 24)
    free(copy)
  }

  /// Tests beside this one have far less.
  @Test func theHeapHoldsWhatIsNotFreed() {
    let (large, rest) = (1 << 26, 1 << 24)
    let before = Int(allocation_counter_heap_bytes())
    let block = malloc(large)
    // The optimizer keeps a block that the C library sees.
    #expect(read(-1, block, 1) == -1)
    let during = Int(allocation_counter_heap_bytes())
    free(block)
    let after = Int(allocation_counter_heap_bytes())
    #expect(abs(during - before - large) < rest)
    #expect(abs(after - before) < rest)
  }

  @Test func otherThreadsCountOnlyWhereAllAreAsked() {
    allocation_counter_begin_all_threads()
    let own = counts {
      var thread = pthread_t()
      pthread_create(&thread, nil, { _ in malloc(12_345) }, nil)
      var block: UnsafeMutableRawPointer?
      pthread_join(thread, &block)
      free(block)
    }
    let all = allocation_counter_end_all_threads()
    #expect(all.bytes >= 12_345)
    #expect(own.bytes < 12_345)
  }
}
