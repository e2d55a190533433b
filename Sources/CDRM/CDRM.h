#pragma once
#include <drm.h>
#include <drm_fourcc.h>
#include <drm_mode.h>
#include <stdint.h>
#include <xf86drm.h>
#include <xf86drmMode.h>

// The four-character codes are macros with arguments, which Swift does not import.
static const uint32_t cdrm_format_xrgb8888 = DRM_FORMAT_XRGB8888;
static const uint32_t cdrm_format_argb8888 = DRM_FORMAT_ARGB8888;

// The same of an ioctl's number.
static const unsigned long cdrm_ioctl_mode_atomic = DRM_IOCTL_MODE_ATOMIC;
