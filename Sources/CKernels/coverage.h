// The coverage kernels of both tables. They are in one file because they share a definition.
#pragma once

#include "CKernels.h"

void ckernels_coverage_portable(uint8_t *coverage, int64_t count, int32_t x, int32_t y, const struct ckernels_shape *shape);
void ckernels_coverage_avx2(uint8_t *coverage, int64_t count, int32_t x, int32_t y, const struct ckernels_shape *shape);
