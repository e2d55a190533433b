// Counts heap allocations: it replaces the process's malloc, calloc, realloc, memalign, aligned_alloc and posix_memalign.
//
// Linking this target into an executable is enough: its definitions come before those of the C library, also for Swift's
// runtime and for every shared library. The memory still comes from the C library's own allocator.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#if defined(__cplusplus)
extern "C" {
#endif

/// The heap traffic of a span of time.
typedef struct {
  /// The number of requested blocks. A `realloc` counts as one, since it may move the block.
  uint64_t allocations;
  /// The number of freed blocks.
  uint64_t frees;
  /// The sum of the requested bytes.
  uint64_t bytes;
} AllocationCounts;

/// True if allocations are counted. False under the thread, address and memory sanitizers, whose own allocator must stay.
/// All counts are 0 then, and tests skip their comparisons.
bool allocation_counter_is_available(void);

/// Starts counting the allocations of the calling thread. Calls cannot be nested.
void allocation_counter_begin(void);
/// Returns the calling thread's allocations since its `allocation_counter_begin`.
AllocationCounts allocation_counter_end(void);

/// Starts counting the allocations of all threads together. One caller at a time may use it.
void allocation_counter_begin_all_threads(void);
/// Returns all threads' allocations since `allocation_counter_begin_all_threads`.
AllocationCounts allocation_counter_end_all_threads(void);

/// The bytes of the heap that the process has in use, as the C library counts them.
uint64_t allocation_counter_heap_bytes(void);

#if defined(__cplusplus)
}
#endif
