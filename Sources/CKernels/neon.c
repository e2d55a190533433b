// The kernels with NEON, which every 64-bit ARM processor has, four pixels at a time.

#include "tables.h"

#if defined(__aarch64__)

#define VECTOR_BYTES 16
#include "blend.h"
#include "blur.h"
#include "gradient.h"
#include "source_over.h"
#include "strips.h"

static const struct ckernels_table table = {
    .name = "NEON",
    SOURCE_OVER_KERNELS,
    BLEND_KERNELS,
    BLUR_KERNELS,
    GRADIENT_KERNELS,
    STRIP_KERNELS,
    .sample = ckernels_sample_neon,
    .find_particles = ckernels_find_particles_portable,
    .particles = ckernels_particles_portable,
    .coverage = ckernels_coverage_portable,
};

const struct ckernels_table *ckernels_neon(void) { return &table; }

#else

const struct ckernels_table *ckernels_neon(void) { return 0; }

#endif
