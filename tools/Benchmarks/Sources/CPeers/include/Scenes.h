// The scenes `dashboard` and `swarm` drawn by Cairo, each frame whole, as a program does that has no layers.
#pragma once

#include <stdint.h>

/// Draws into pixels that stay where they are; 1920×1080 of them without padding. Returns NULL if a font cannot be read.
/// `regular`, `medium` and `bold` are the paths of the fonts.
struct peer_scenes *peer_scenes_make(uint32_t *pixels, const char *regular, const char *medium, const char *bold);
void peer_scenes_free(struct peer_scenes *scenes);

/// Draws the scene as it is `time` seconds after its start.
void peer_scenes_dashboard(struct peer_scenes *scenes, double time);
void peer_scenes_swarm(struct peer_scenes *scenes, double time);
