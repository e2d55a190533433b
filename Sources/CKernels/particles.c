// The finder of particles without instructions that not every processor of its kind has.

#include "tables.h"

#define VECTOR_BYTES 16
#include "particle_finder.h"

int64_t ckernels_find_particles_portable(const struct ckernels_emission *emission, struct ckernels_box box, int64_t *next,
                                         int64_t end, struct ckernels_particle *particles, int64_t capacity) {
  return find_particles(emission, box, next, end, particles, capacity);
}
