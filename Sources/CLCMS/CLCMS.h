#pragma once
#include <lcms2.h>

// Forms of pixels, which the library has as macros that Swift does not see.
static const cmsUInt32Number clcms_bgra_8 = TYPE_BGRA_8;
static const cmsUInt32Number clcms_cmyk_8 = TYPE_CMYK_8;
// Grey in the first of four bytes.
static const cmsUInt32Number clcms_grey_in_4_bytes =
    COLORSPACE_SH(PT_GRAY) | EXTRA_SH(3) | CHANNELS_SH(1) | BYTES_SH(1);
