#pragma once
// gif_lib.h uses size_t and bool.
#include <stdbool.h>
#include <stddef.h>

#include <gif_lib.h>
