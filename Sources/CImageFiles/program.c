// Runs a program that makes a picture, within bounds that the kernel keeps.

#define _GNU_SOURCE
#include "CImageFiles.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

int cimagefiles_memory_file(void) {
  int file = memfd_create("picture", MFD_CLOEXEC);
  if (file < 0 || file > 2) return file;
  // The standard descriptors are given to programs.
  int moved = fcntl(file, F_DUPFD_CLOEXEC, 3);
  close(file);
  return moved;
}

static int spawn(pid_t *pid, const char *const *arguments, int input, int output, int messages) {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  int error = posix_spawn_file_actions_init(&files);
  if (error) return error;
  error = posix_spawnattr_init(&attributes);
  if (error) {
    posix_spawn_file_actions_destroy(&files);
    return error;
  }
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  error = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
  if (!error) error = posix_spawnattr_setsigmask(&attributes, &none);
  if (!error) error = posix_spawnattr_setsigdefault(&attributes, &all);
  if (!error) error = posix_spawn_file_actions_adddup2(&files, input, 0);
  if (!error) error = posix_spawn_file_actions_adddup2(&files, output, 1);
  if (!error) error = posix_spawn_file_actions_adddup2(&files, messages, 2);
  if (!error) error = posix_spawn_file_actions_addclosefrom_np(&files, 3);
  if (!error) error = posix_spawnp(pid, arguments[0], &files, &attributes, (char *const *)arguments, environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return error;
}

static void bound(pid_t pid, int resource, size_t limit) {
  struct rlimit value = {limit, limit};
  prlimit(pid, (enum __rlimit_resource)resource, &value, NULL);
}

int cimagefiles_program_start(struct cimagefiles_program *program, const char *const *arguments, int input, int output,
                              int messages, size_t memory, size_t bytes, size_t seconds) {
  int error = spawn(&program->pid, arguments, input, output, messages);
  if (error) return error;
  // It has not begun to read yet, or has taken little.
  bound(program->pid, RLIMIT_AS, memory);
  bound(program->pid, RLIMIT_FSIZE, bytes);
  bound(program->pid, RLIMIT_CPU, seconds);
  bound(program->pid, RLIMIT_CORE, 0);
  program->descriptor = (int)syscall(SYS_pidfd_open, program->pid, 0);
  if (program->descriptor >= 0 || errno == ESRCH) return 0;
  error = errno;
  kill(program->pid, SIGKILL);
  waitpid(program->pid, NULL, 0);
  return error;
}

bool cimagefiles_program_wait(struct cimagefiles_program *program, int milliseconds) {
  // Without a descriptor the process is gone: somebody else has waited for it.
  if (program->descriptor < 0) return true;
  struct pollfd request = {.fd = program->descriptor, .events = POLLIN};
  return poll(&request, 1, milliseconds) > 0;
}

int cimagefiles_program_end(struct cimagefiles_program *program) {
  if (program->descriptor < 0) return 0;
  syscall(SYS_pidfd_send_signal, program->descriptor, SIGKILL, NULL, 0);
  siginfo_t info = {.si_code = CLD_EXITED};
  int result;
  do result = waitid(P_PIDFD, (id_t)program->descriptor, &info, WEXITED);
  while (result < 0 && errno == EINTR);
  close(program->descriptor);
  program->descriptor = -1;
  // The application may have asked that nobody needs to wait for its children.
  if (result < 0) return 0;
  return info.si_code == CLD_EXITED ? info.si_status : 256 + info.si_status;
}
