// Copies the registers and the stack of a running thread, from a signal handler, and what another thread needs to make frames
// of the copy.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// The largest part of a stack that is copied, from the innermost frame on.
#define CSTACK_BYTES (128 * 1024)
// Registers by their DWARF numbers; the last one is the interrupted instruction's address.
#define CSTACK_REGISTERS 34
#define CSTACK_PC (CSTACK_REGISTERS - 1)

struct cstack_sample {
  uint64_t registers[CSTACK_REGISTERS];
  // The copy is of `stack_size` bytes from `stack_address` on, which is the stack pointer. Empty for a thread that was not on
  // its own stack.
  uint64_t stack_address;
  uint64_t stack_size;
  // True when the copy reaches the outermost frame.
  bool is_whole;
  // For how long the thread was stopped in the handler.
  int64_t nanoseconds;
  _Alignas(16) unsigned char stack[CSTACK_BYTES];
};

// Handles a real-time signal that nobody else handles. Returns its number, or -1 with errno: EBUSY when all are taken. Later
// calls return the same signal.
int cstack_install(void);

// Addresses from `low` up to `high`; empty when they are unknown.
struct cstack_range {
  uint64_t low, high;
};

// The calling thread's stack.
struct cstack_range cstack_own_stack(void);

// The calling thread's number. (glibc hides `gettid` behind _GNU_SOURCE.)
pid_t cstack_thread_number(void);

// Lets the calling thread take the signal.
void cstack_accept(void);

// Copies the registers and the stack of a thread of this process, which is stopped meanwhile. Returns NULL when the thread does
// not take the signal in time, or has ended, or the program handles the signal itself by now. What is returned is overwritten by
// the next call: one at a time.
const struct cstack_sample *_Nullable cstack_take(pid_t thread, struct cstack_range stack, int milliseconds);

// The copied bytes. (Swift does not import a field of this size.)
static inline const void *_Nonnull cstack_copy(const struct cstack_sample *_Nonnull sample) { return sample->stack; }

// Reads memory of this process that may not be there. Returns the number of bytes that could be read.
size_t cstack_peek(uint64_t address, void *_Nonnull into, size_t size);

// The file that an address belongs to.
struct cstack_module {
  // The difference between an address in memory and the same one in the file.
  uint64_t bias;
  // The address of its unwind table (.eh_frame_hdr); 0 when it has none.
  uint64_t unwind_table;
  // Empty or NULL for the program itself.
  const char *_Nullable path;
};

// Without a lock, and so harmless while a thread hangs in the dynamic loader.
bool cstack_module_of(uint64_t address, struct cstack_module *_Nonnull into);

// libswiftCore's function. With NULL for the buffer it allocates the result; returns NULL for a name that is no Swift name.
char *_Nullable swift_demangle(
    const char *_Nonnull name, size_t length, char *_Nullable buffer, size_t *_Nullable size, uint32_t flags);
