// Event loops in C, each behind the same table of functions.
#pragma once

#include <stdbool.h>
#include <stdint.h>

/// A kind of loop. Each function repeats its operation inside, so that calls through this table do not count. A loop belongs
/// to the thread that made it; `signal` and `wake_up` may be called from any thread.
typedef struct PeerLoop {
  const char *_Nonnull name;
  void *_Nullable (*_Nonnull make)(void);
  void (*_Nonnull destroy)(void *_Nonnull loop);

  /// Runs until the loop's source is signalled, and calls `body` in the source's callback.
  void (*_Nonnull serve)(void *_Nonnull loop, void (*_Nonnull body)(void *_Nullable), void *_Nullable context);
  /// Signals the source, with the library's function for any thread.
  void (*_Nonnull signal)(void *_Nonnull loop);
  /// Wakes the loop `repeats` times.
  void (*_Nonnull wake_up)(void *_Nonnull loop, int repeats);
  /// Runs while the source's callback signals the source again, `repeats` times.
  void (*_Nonnull signal_and_pass)(void *_Nonnull loop, int repeats);
  /// Looks for something to do, `repeats` times.
  void (*_Nonnull poll)(void *_Nonnull loop, int repeats);
  /// Queues `count` blocks and runs them; NULL if the loop has no blocks.
  void (*_Nullable run_blocks)(void *_Nonnull loop, int count);

  /// Adds `count` callbacks that are called once in every pass.
  void (*_Nonnull add_observers)(void *_Nonnull loop, int count);

  /// Makes timers without adding them. Times are nanoseconds on CLOCK_MONOTONIC.
  void (*_Nonnull make_timers)(void *_Nonnull loop, const int64_t *_Nonnull times, int count);
  void (*_Nonnull add_timers)(void *_Nonnull loop);
  void (*_Nonnull move_timers)(
    void *_Nonnull loop, const int32_t *_Nonnull which, const int64_t *_Nonnull times, int count);
  /// Adds a repeating timer, runs for `count` ticks of it, and writes the lateness of each.
  void (*_Nonnull tick)(void *_Nonnull loop, int64_t interval, int count, int64_t *_Nonnull lateness);
} PeerLoop;

/// A minimal loop: epoll, eventfd, timerfd and a heap.
extern const PeerLoop peer_raw_loop;
extern const PeerLoop peer_uv_loop;
extern const PeerLoop peer_glib_loop;
