#include "AllocationCounter.h"

#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stddef.h>

#if defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer) || __has_feature(memory_sanitizer)
#define COUNTS 0
#endif
#endif
#ifndef COUNTS
#define COUNTS 1
#endif

// The counter is always on: an addition for each call costs less than checking for a reader. The TLS model must not be a
// dynamic one, which would allocate the thread's block with malloc.
// that would allocate the thread's block with malloc.
static _Thread_local AllocationCounts now __attribute__((tls_model("initial-exec")));
static _Thread_local AllocationCounts begin __attribute__((tls_model("initial-exec")));

static atomic_bool counting_all;
static atomic_uint_least64_t all_allocations, all_frees, all_bytes;

bool allocation_counter_is_available(void) { return COUNTS; }

uint64_t allocation_counter_heap_bytes(void) {
  struct mallinfo2 heap = mallinfo2();
  return heap.uordblks + heap.hblkhd;
}

void allocation_counter_begin(void) { begin = now; }

AllocationCounts allocation_counter_end(void) {
  return (AllocationCounts){
      .allocations = now.allocations - begin.allocations,
      .frees = now.frees - begin.frees,
      .bytes = now.bytes - begin.bytes,
  };
}

void allocation_counter_begin_all_threads(void) {
  atomic_store(&all_allocations, 0);
  atomic_store(&all_frees, 0);
  atomic_store(&all_bytes, 0);
  atomic_store(&counting_all, true);
}

AllocationCounts allocation_counter_end_all_threads(void) {
  atomic_store(&counting_all, false);
  return (AllocationCounts){
      .allocations = atomic_load(&all_allocations),
      .frees = atomic_load(&all_frees),
      .bytes = atomic_load(&all_bytes),
  };
}

#if COUNTS

// These are the C library's own functions. glibc exports them for this purpose.
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);
extern void __libc_free(void *block);

static inline void count_allocation(size_t size) {
  now.allocations += 1;
  now.bytes += size;
  if (__builtin_expect(atomic_load_explicit(&counting_all, memory_order_relaxed), 0)) {
    atomic_fetch_add_explicit(&all_allocations, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&all_bytes, size, memory_order_relaxed);
  }
}

static inline void count_free(void) {
  now.frees += 1;
  if (__builtin_expect(atomic_load_explicit(&counting_all, memory_order_relaxed), 0)) {
    atomic_fetch_add_explicit(&all_frees, 1, memory_order_relaxed);
  }
}

void *malloc(size_t size) {
  count_allocation(size);
  return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
  count_allocation(count * size);
  return __libc_calloc(count, size);
}

void *realloc(void *old, size_t size) {
  count_allocation(size);
  return __libc_realloc(old, size);
}

void *memalign(size_t alignment, size_t size) {
  count_allocation(size);
  return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  count_allocation(size);
  return __libc_memalign(alignment, size);
}

int posix_memalign(void **result, size_t alignment, size_t size) {
  if (alignment % sizeof(void *) != 0 || alignment == 0 || (alignment & (alignment - 1)) != 0) return EINVAL;
  // The call must not change errno, but __libc_memalign sets it.
  int saved = errno;
  count_allocation(size);
  void *block = __libc_memalign(alignment, size);
  if (block == NULL) {
    errno = saved;
    return ENOMEM;
  }
  *result = block;
  return 0;
}

void free(void *block) {
  if (block == NULL) return;
  count_free();
  __libc_free(block);
}

#endif
