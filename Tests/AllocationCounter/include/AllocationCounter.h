// Counts heap allocations: the process's malloc, calloc, realloc, memalign, aligned_alloc and posix_memalign go through here.
//
// Linking this target into an executable is enough: its definitions come before those of the C library, for Swift's
// runtime and for every shared library too. What these functions return is real memory of the C library's own allocator.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#if defined(__cplusplus)
extern "C" {
#endif

/// Heap traffic over a span of time.
typedef struct {
  /// Blocks asked for. A `realloc` counts as one: it may move.
  uint64_t allocations;
  /// Blocks given back.
  uint64_t frees;
  /// Bytes asked for, in all.
  uint64_t bytes;
} AllocationCounts;

/// Whether allocations are counted at all. False under the thread, address and memory sanitizers: they have an allocator of
/// their own, which must stay. All counts are 0 then; a test says so and leaves out what it would have compared.
bool allocation_counter_is_available(void);

/// Begins to count the allocations of the calling thread. Does not nest.
void allocation_counter_begin(void);
/// What the calling thread has allocated since its `allocation_counter_begin`.
AllocationCounts allocation_counter_end(void);

/// Begins to count the allocations of all threads together. One caller at a time.
void allocation_counter_begin_all_threads(void);
/// What all threads have allocated since `allocation_counter_begin_all_threads`.
AllocationCounts allocation_counter_end_all_threads(void);

#if defined(__cplusplus)
}
#endif
