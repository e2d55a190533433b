// The process that writes the report of its parent's death. It was forked from a process with threads, and so calls nothing
// that could wait for one of them: no malloc, no stdio.
#define _GNU_SOURCE
#include "CFatalSignals.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

// MARK: Text

struct text {
  char bytes[32 * 1024];
  size_t count;
};

static struct text text;

static void add(const char *string) {
  while (*string && text.count < sizeof text.bytes) text.bytes[text.count++] = *string++;
}

static void add_number(uint64_t value, unsigned base) {
  char digits[24];
  size_t count = sizeof digits;
  digits[--count] = 0;
  do digits[--count] = "0123456789abcdef"[value % base];
  while ((value /= base) != 0);
  add(digits + count);
}

static void add_decimal(int64_t value) {
  if (value < 0) add("-");
  add_number(value < 0 ? (uint64_t)-value : (uint64_t)value, 10);
}

static void add_hexadecimal(uint64_t value) {
  add("0x");
  add_number(value, 16);
}

// MARK: The file of an address

static char maps[256 * 1024];
static size_t maps_size;

static void read_maps(int32_t process) {
  char path[64];
  text.count = 0;
  add("/proc/");
  add_decimal(process);
  add("/maps");
  memcpy(path, text.bytes, text.count);
  path[text.count] = 0;
  text.count = 0;

  maps_size = 0;
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  ssize_t count;
  while (maps_size < sizeof maps - 1 && (count = read(file, maps + maps_size, sizeof maps - 1 - maps_size)) != 0) {
    if (count > 0) maps_size += (size_t)count;
    else if (errno != EINTR) break;
  }
  close(file);
  maps[maps_size] = 0;
}

static const char *hexadecimal(const char *at, uint64_t *value) {
  *value = 0;
  for (;; at++) {
    int digit = *at >= '0' && *at <= '9' ? *at - '0' : *at >= 'a' && *at <= 'f' ? *at - 'a' + 10 : -1;
    if (digit < 0) return at;
    *value = *value * 16 + (uint64_t)digit;
  }
}

// Adds the file that is mapped at an address, and the offset in it for `addr2line -e FILE OFFSET`.
static void add_place(uint64_t address) {
  // The load address of the current line's file: its mappings stand together, that of the file's beginning first.
  uint64_t base = 0;
  for (const char *line = maps; *line;) {
    // START-END PERMISSIONS OFFSET DEVICE INODE PATH
    uint64_t start, end, offset;
    const char *at = hexadecimal(line, &start);
    at = hexadecimal(at + (*at == '-'), &end);
    const char *line_end = strchr(line, '\n');
    if (!line_end) line_end = maps + maps_size;
    const char *permissions = at + 1 < line_end ? memchr(at + 1, ' ', (size_t)(line_end - at - 1)) : NULL;
    if (!permissions) return;
    at = hexadecimal(permissions + 1, &offset);
    if (offset == 0) base = start;
    if (address >= start && address < end) {
      const char *path = memchr(at, '/', (size_t)(line_end - at));
      if (!path) return;
      add("  ");
      while (path < line_end && text.count < sizeof text.bytes) text.bytes[text.count++] = *path++;
      add(" + ");
      add_hexadecimal(address - base);
      return;
    }
    line = *line_end ? line_end + 1 : line_end;
  }
}

// MARK: The report

const char *cfatal_signal_name(int32_t signal) { return sigabbrev_np(signal); }

static void compose(const struct cfatal_fault *fault) {
  const char *name = cfatal_signal_name(fault->signal);
  add("framepace: fatal signal ");
  add_decimal(fault->signal);
  add(" (SIG");
  add(name ? name : "?");
  add("), ");
  if (fault->code <= 0) {
    add("sent to the process");
  } else {
    add("code ");
    add_decimal(fault->code);
    add(", address ");
    add_hexadecimal(fault->address);
  }
  add("\n  process ");
  add_decimal(fault->process);
  add(", thread ");
  add_decimal(fault->thread);
  add(" '");
  add(fault->thread_name);
  add("'\n");
  for (uint32_t index = 0; index < fault->frame_count && index < CFATAL_FRAMES; index++) {
    add("  #");
    add_decimal(index);
    add(index < 10 ? "  " : " ");
    add_hexadecimal(fault->frames[index]);
    add_place(fault->frames[index]);
    add("\n");
  }
}

static void write_text(int file) {
  for (size_t done = 0; done < text.count;) {
    ssize_t count = write(file, text.bytes + done, text.count - done);
    if (count > 0) done += (size_t)count;
    else if (errno != EINTR) return;
  }
}

static _Noreturn void run_reporter(int channel, int output, const char *path) {
  struct cfatal_fault fault;
  ssize_t size;
  while ((size = recv(channel, &fault, sizeof fault, 0)) < 0 && errno == EINTR) {}
  // Nothing was sent: the parent ended in another way.
  if (size == sizeof fault) {
    fault.thread_name[sizeof fault.thread_name - 1] = 0;
    read_maps(fault.process);
    compose(&fault);
    int file = path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644) : output;
    if (file >= 0) {
      write_text(file);
      if (path) fsync(file);
    }
    char done = 1;
    send(channel, &done, 1, MSG_NOSIGNAL);
  }
  _exit(0);
}

// Closes all descriptors from a number on. Before Linux 5.9, or where a filter forbids close_range, it closes them one by one.
static void close_from(unsigned first) {
  if (syscall(SYS_close_range, first, ~0u, 0u) == 0) return;
  int folder = open("/proc/self/fd", O_RDONLY | O_DIRECTORY);
  // The kernel's struct linux_dirent64: number, offset, the entry's size, kind, name.
  static _Alignas(8) char entries[4096];
  long size;
  while ((size = syscall(SYS_getdents64, folder, entries, sizeof entries)) > 0) {
    for (long at = 0; at < size;) {
      unsigned short entry_size;
      memcpy(&entry_size, entries + at + 16, sizeof entry_size);
      unsigned number = 0;
      const char *name = entries + at + 19;
      for (; *name >= '0' && *name <= '9'; name++) number = number * 10 + (unsigned)(*name - '0');
      if (*name == 0 && number >= first && number != (unsigned)folder) close((int)number);
      at += entry_size;
    }
  }
  close(folder);
}

int cfatal_start_reporter(const char *path, pid_t *process) {
  int channels[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, channels) != 0) return -1;
  // The child must not take signals that are meant for its parent, not for a moment.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  pid_t child = fork();
  if (child == 0) {
    setsid();
    // The parent's descriptors must not stay open in the child: a display would stay taken.
    int channel = 3, output = 2;
    if (dup2(channels[1], channel) < 0) _exit(1);
    close_from(4);
    close(0);
    close(1);
    run_reporter(channel, output, path);
  }
  int error = errno;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  close(channels[1]);
  if (child < 0) {
    close(channels[0]);
    errno = error;
    return -1;
  }
  *process = child;
  return channels[0];
}
