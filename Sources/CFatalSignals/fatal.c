// Signal handlers and the reporter's process: async-signal-safe calls only.
#define _GNU_SOURCE
#include "CFatalSignals.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

// The longest time for which the dying process waits for its report. The reporter answers when that is written, and its end ends
// the wait too: the time is used up only where it has no processor, or its file's disk does not answer.
#define REPORT_MILLISECONDS 2000

static struct sigaction previous[NSIG];
static int32_t handled[NSIG];
static int32_t handled_count;
static int wake_descriptor = -1, done_descriptor = -1, reporter_descriptor = -1;
static int32_t patience;
static pid_t loop_thread;
// The thread whose fault ends the process.
static _Atomic pid_t owner;
static struct cfatal_fault fault;
static _Atomic bool is_fault_known;
// For a loop's thread that has exhausted its own stack.
static _Alignas(16) char alternate_stack[64 * 1024];

static pid_t current_thread(void) { return (pid_t)syscall(SYS_gettid); }

static void post(int event) {
  uint64_t one = 1;
  while (write(event, &one, sizeof one) < 0 && errno == EINTR) {}
}

static int64_t milliseconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void wait_for(int descriptor, int64_t milliseconds) {
  struct pollfd item = {.fd = descriptor, .events = POLLIN};
  for (int64_t end = milliseconds_now() + milliseconds, left = milliseconds; left > 0; left = end - milliseconds_now())
    if (poll(&item, 1, (int)left) >= 0 || errno != EINTR) return;
}

// Reads memory that may not be there: the kernel says so instead of sending a signal.
static bool peek(uint64_t address, void *into, size_t size) {
  struct iovec local = {into, size}, remote = {(void *)address, size};
  return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == (ssize_t)size;
}

uint32_t cfatal_walk(const void *context, uint64_t *frames, uint32_t capacity) {
  const mcontext_t *registers = &((const ucontext_t *)context)->uc_mcontext;
#if defined(__x86_64__)
  uint64_t pc = (uint64_t)registers->gregs[REG_RIP], frame = (uint64_t)registers->gregs[REG_RBP];
#elif defined(__aarch64__)
  uint64_t pc = registers->pc, frame = registers->regs[29];
#else
  uint64_t pc = 0, frame = 0;
#endif
  uint32_t count = 0;
  if (pc != 0 && capacity > 0) frames[count++] = pc;
  while (count > 0 && count < capacity && frame != 0 && frame % 8 == 0) {
    // The caller's frame, and the return address.
    uint64_t link[2];
    if (!peek(frame, link, sizeof link) || link[1] == 0) break;
    frames[count++] = link[1];
    // Stacks grow downwards: anything else is no chain.
    if (link[0] <= frame) break;
    frame = link[0];
  }
  return count;
}

static void describe(int signal, const siginfo_t *info, const void *context) {
  fault.signal = signal;
  fault.code = info->si_code;
  fault.address = info->si_code > 0 ? (uint64_t)info->si_addr : 0;
  fault.process = getpid();
  fault.thread = current_thread();
  prctl(PR_GET_NAME, fault.thread_name, 0, 0, 0);
  fault.frame_count = cfatal_walk(context, fault.frames, CFATAL_FRAMES);
}

static void report(void) {
  if (reporter_descriptor < 0) return;
  if (send(reporter_descriptor, &fault, sizeof fault, MSG_NOSIGNAL) == sizeof fault)
    wait_for(reporter_descriptor, REPORT_MILLISECONDS);
}

// Lets the signal do what it would have done without this handler: when the handler returns, before anything else is
// executed. An earlier handler gets the kernel's own information about the fault.
static void die_of(int signal, siginfo_t *info) {
  sigaction(signal, &previous[signal], NULL);
  if (syscall(SYS_rt_tgsigqueueinfo, getpid(), current_thread(), signal, info) != 0)
    syscall(SYS_tgkill, getpid(), current_thread(), signal);
}

static void handle(int signal, siginfo_t *info, void *context) {
  int error = errno;
  pid_t self = current_thread(), none = 0;
  if (!atomic_compare_exchange_strong(&owner, &none, self)) {
    if (none != self) {
      // The process is dying of another thread's fault already, and shall die of that one. A loop that faults meanwhile
      // shows nothing more, and need not be waited for.
      if (self == loop_thread) post(done_descriptor);
      for (;;) pause();
    }
    // This handler itself faulted.
    die_of(signal, info);
    return;
  }
  describe(signal, info, context);
  report();
  if (self != loop_thread) {
    atomic_store(&is_fault_known, true);
    post(wake_descriptor);
    wait_for(done_descriptor, patience);
  }
  die_of(signal, info);
  errno = error;
}

static bool is_handled(int signal) {
  for (int32_t index = 0; index < handled_count; index++)
    if (handled[index] == signal) return true;
  return false;
}

int cfatal_install(
    const int32_t *signals, int32_t count, int wake, int done, int reporter, int32_t patience_milliseconds,
    int32_t *refused) {
  if (handled_count > 0) {
    errno = EBUSY;
    return -1;
  }
  wake_descriptor = wake;
  done_descriptor = done;
  reporter_descriptor = reporter;
  patience = patience_milliseconds;
  loop_thread = current_thread();

  stack_t stack = {.ss_sp = alternate_stack, .ss_size = sizeof alternate_stack}, old;
  if (sigaltstack(NULL, &old) == 0 && (old.ss_flags & SS_DISABLE)) sigaltstack(&stack, NULL);

  struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_ONSTACK};
  sigfillset(&action.sa_mask);
  for (int32_t index = 0; index < count; index++) {
    int signal = signals[index];
    // The earlier handler was saved when the signal was named first.
    if (is_handled(signal)) continue;
    if (signal <= 0 || signal >= NSIG || sigaction(signal, &action, &previous[signal]) != 0) {
      int error = signal <= 0 || signal >= NSIG ? EINVAL : errno;
      cfatal_remove();
      *refused = signal;
      errno = error;
      return -1;
    }
    handled[handled_count++] = signal;
  }
  return 0;
}

void cfatal_remove(void) {
  while (handled_count > 0) {
    int signal = handled[--handled_count];
    sigaction(signal, &previous[signal], NULL);
  }
}

bool cfatal_current(struct cfatal_fault *into) {
  if (!atomic_load(&is_fault_known)) return false;
  *into = fault;
  return true;
}
