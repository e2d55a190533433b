// Event loops of the C world, each behind the same table of functions.
#pragma once

#include <stdbool.h>
#include <stdint.h>

/// A kind of loop. Whatever is measured repeats its operation inside, so that no call through this table counts. A loop
/// belongs to the thread that made it; `signal` and `wake_up` may be called from any.
typedef struct PeerLoop {
  const char *_Nonnull name;
  void *_Nullable (*_Nonnull make)(void);
  void (*_Nonnull destroy)(void *_Nonnull loop);

  /// Runs until its source is signalled, and calls `body` in the source's callback.
  void (*_Nonnull serve)(void *_Nonnull loop, void (*_Nonnull body)(void *_Nullable), void *_Nullable context);
  /// Signals the source, with what the library has for code that does not know which thread it is on.
  void (*_Nonnull signal)(void *_Nonnull loop);
  /// Wakes the loop.
  void (*_Nonnull wake_up)(void *_Nonnull loop, int repeats);
  /// Runs; the source's callback signals it again until it was called so often.
  void (*_Nonnull signal_and_pass)(void *_Nonnull loop, int repeats);
  /// Looks once for something to do.
  void (*_Nonnull poll)(void *_Nonnull loop, int repeats);
  /// Queues so many blocks and runs them; NULL where there are none.
  void (*_Nullable run_blocks)(void *_Nonnull loop, int count);

  /// From now on so many callbacks more are called once in every pass.
  void (*_Nonnull add_observers)(void *_Nonnull loop, int count);

  /// Makes timers, without adding them. Times are nanoseconds on CLOCK_MONOTONIC.
  void (*_Nonnull make_timers)(void *_Nonnull loop, const int64_t *_Nonnull times, int count);
  void (*_Nonnull add_timers)(void *_Nonnull loop);
  void (*_Nonnull move_timers)(
    void *_Nonnull loop, const int32_t *_Nonnull which, const int64_t *_Nonnull times, int count);
  /// Runs for so many ticks of one more timer, and writes how late each was.
  void (*_Nonnull tick)(void *_Nonnull loop, int64_t interval, int count, int64_t *_Nonnull lateness);
} PeerLoop;

/// epoll, eventfd, timerfd and a heap: the least that does it.
extern const PeerLoop peer_raw_loop;
extern const PeerLoop peer_uv_loop;
extern const PeerLoop peer_glib_loop;
