#include "guarded.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

struct guarded_row guarded_row(void) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  uint8_t *base = mmap(NULL, 3 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (base == MAP_FAILED || mprotect(base + page, page, PROT_READ | PROT_WRITE) != 0) {
    perror("FAILED no memory for a row between guard pages");
    exit(1);
  }
  return (struct guarded_row){base + page, page};
}
