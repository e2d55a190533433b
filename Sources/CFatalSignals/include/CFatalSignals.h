// The handlers of fatal signals, and the process that writes their report. Signal handlers may call very little; everything
// they do is here.
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define CFATAL_FRAMES 64

// A fault, as its handler saw it.
struct cfatal_fault {
  int32_t signal;
  // The kernel's si_code: 0 or less when somebody sent the signal.
  int32_t code;
  // The address that could not be accessed or executed; 0 where the signal has none.
  uint64_t address;
  int32_t process;
  int32_t thread;
  // The thread's name, at most 15 bytes.
  char thread_name[16];
  // Return addresses as cfatal_walk finds them.
  uint32_t frame_count;
  uint64_t frames[CFATAL_FRAMES];
};

// Walks the stack of an interrupted thread by its frame pointers, and stores the interrupted instruction and then return
// addresses, at most `capacity`. `context` is a signal handler's third argument. Returns their count. Safe in any signal
// handler and on any thread: it allocates nothing, has no state, and reads memory that may not be there without a fault.
uint32_t cfatal_walk(const void *_Nonnull context, uint64_t *_Nonnull frames, uint32_t capacity);

// "SEGV"; NULL for a number that is no signal.
const char *_Nullable cfatal_signal_name(int32_t signal);

// Starts the process that writes reports: appended to the file at `path`, or to the standard error output when it is NULL. It
// holds none of this process's descriptors but that output's, and ends with this process.
// Returns a descriptor to it, or -1 with errno; *process becomes its number.
int cfatal_start_reporter(const char *_Nullable path, pid_t *_Nonnull process);

// Handles the signals from now on. The calling thread is the loop's. `wake` and `done` are event descriptors: the first is
// written when another thread has faulted, the second ends that thread's wait. `reporter` may be -1. At least one signal is
// named; a repeated one counts once.
// Returns 0, or -1 with errno: EBUSY when signals are handled already; EINVAL when *refused cannot be handled.
int cfatal_install(
    const int32_t *_Nonnull signals, int32_t count, int wake, int done, int reporter, int32_t patience_milliseconds,
    int32_t *_Nonnull refused);

// Restores the handlers from before.
void cfatal_remove(void);

// The fault that is ending the process; false when there is none.
bool cfatal_current(struct cfatal_fault *_Nonnull fault);
