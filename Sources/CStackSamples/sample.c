#define _GNU_SOURCE
#include "CStackSamples.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

// The number of the thread that is to be copied, which its handler takes to COPYING and DONE; or FREE, to which the requester
// goes back when the handler does not come.
enum { FREE = 0, COPYING = -1, DONE = -2 };

static struct cstack_sample sample;
static _Atomic pid_t request = FREE;
static struct cstack_range wanted_stack;
static sem_t done;
static int installed = -1;
static pthread_mutex_t installing = PTHREAD_MUTEX_INITIALIZER;

static int64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000ll + time.tv_nsec;
}

static uint64_t read_registers(const ucontext_t *context) {
  const mcontext_t *from = &context->uc_mcontext;
  uint64_t *to = sample.registers;
#if defined(__x86_64__)
  static const int order[16] = {REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP,
                                REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
  for (int index = 0; index < 16; index++) to[index] = (uint64_t)from->gregs[order[index]];
  to[CSTACK_PC] = (uint64_t)from->gregs[REG_RIP];
  return to[7];
#elif defined(__aarch64__)
  for (int index = 0; index < 31; index++) to[index] = from->regs[index];
  to[31] = from->sp;
  to[CSTACK_PC] = from->pc;
  return to[31];
#else
  (void)from;
  return 0;
#endif
}

// A copy by memcpy would be watched by sanitizers: others may be writing to this stack, and it has places that nothing may read.
__attribute__((no_sanitize("thread", "address"))) static void copy(void *to, const void *from, size_t size) {
  volatile uint64_t *words = to;
  const volatile uint64_t *stack = from;
  for (size_t index = 0; index < size / 8; index++) words[index] = stack[index];
}

// Async-signal-safe calls only: it may have interrupted anything.
static void handle(int signal, siginfo_t *info, void *context) {
  (void)signal;
  (void)info;
  int error = errno;
  pid_t expected = (pid_t)syscall(SYS_gettid);
  if (atomic_compare_exchange_strong(&request, &expected, COPYING)) {
    int64_t start = now();
    uint64_t stack = read_registers(context);
    sample.stack_address = stack;
    // A thread may be on another stack than its own. Its own has no holes above the stack pointer.
    bool is_own = stack >= wanted_stack.low && stack < wanted_stack.high;
    uint64_t size = is_own ? wanted_stack.high - stack : 0;
    sample.is_whole = is_own && size <= CSTACK_BYTES;
    sample.stack_size = size > CSTACK_BYTES ? CSTACK_BYTES : size / 8 * 8;
    copy(sample.stack, (const void *)stack, sample.stack_size);
    sample.nanoseconds = now() - start;
    atomic_store(&request, DONE);
    sem_post(&done);
  }
  errno = error;
}

int cstack_install(void) {
  pthread_mutex_lock(&installing);
  for (int signal = SIGRTMAX - 1; installed < 0 && signal > SIGRTMIN; signal--) {
    struct sigaction old, action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART};
    sigfillset(&action.sa_mask);
    if (sigaction(signal, NULL, &old) != 0 || (old.sa_flags & SA_SIGINFO) || old.sa_handler != SIG_DFL) continue;
    sem_init(&done, 0, 0);
    // The handler meets no page for the first time.
    memset(&sample, 0, sizeof sample);
    if (sigaction(signal, &action, NULL) == 0) installed = signal;
  }
  if (installed < 0) errno = EBUSY;
  int result = installed;
  pthread_mutex_unlock(&installing);
  return result;
}

struct cstack_range cstack_own_stack(void) {
  struct cstack_range stack = {0, 0};
  pthread_attr_t attributes;
  void *address;
  size_t size;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return stack;
  if (pthread_attr_getstack(&attributes, &address, &size) == 0) {
    stack.low = (uint64_t)address;
    stack.high = stack.low + size;
  }
  pthread_attr_destroy(&attributes);
  return stack;
}

pid_t cstack_thread_number(void) { return gettid(); }

void cstack_accept(void) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, installed);
  pthread_sigmask(SIG_UNBLOCK, &signals, NULL);
}

const struct cstack_sample *cstack_take(pid_t thread, struct cstack_range stack, int milliseconds) {
  // The program may have taken the signal for itself since.
  struct sigaction action;
  if (installed < 0 || sigaction(installed, NULL, &action) != 0 || action.sa_sigaction != handle) return NULL;
  while (sem_trywait(&done) == 0) {}
  wanted_stack = stack;
  atomic_store(&request, thread);
  if (syscall(SYS_tgkill, getpid(), thread, installed) == 0) {
    int64_t limit = now() + milliseconds * 1000000ll;
    struct timespec until = {.tv_sec = limit / 1000000000, .tv_nsec = limit % 1000000000};
    while (sem_clockwait(&done, CLOCK_MONOTONIC, &until) != 0 && errno == EINTR) {}
  }
  // When the handler has not come, it finds nothing to do any more.
  if (atomic_compare_exchange_strong(&request, &thread, FREE)) return NULL;
  // It has begun to copy, and has microseconds to go.
  while (atomic_load(&request) != DONE) sched_yield();
  atomic_store(&request, FREE);
  return &sample;
}

size_t cstack_peek(uint64_t address, void *into, size_t size) {
  struct iovec local = {into, size}, remote = {(void *)address, size};
  ssize_t count = process_vm_readv(getpid(), &local, 1, &remote, 1, 0);
  return count < 0 ? 0 : (size_t)count;
}

bool cstack_module_of(uint64_t address, struct cstack_module *into) {
  struct dl_find_object found;
  if (_dl_find_object((void *)address, &found) != 0) return false;
  into->bias = found.dlfo_link_map->l_addr;
  into->unwind_table = (uint64_t)found.dlfo_eh_frame;
  into->path = found.dlfo_link_map->l_name ? found.dlfo_link_map->l_name : "";
  return true;
}
