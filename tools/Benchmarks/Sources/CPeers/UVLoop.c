#include "CPeers.h"
#include "PeerLoop.h"

#include <stdlib.h>
#include <string.h>
#include <uv.h>

typedef struct {
  uv_loop_t loop;
  uv_async_t signal;
  void (*body)(void *);
  void *context;
  int left, observed;

  uv_timer_t *timers;
  int timer_count;
  int64_t *times;
  uv_timer_t ticker;
  int64_t interval, next;
  int64_t *lateness;
} Loop;

static void signalled(uv_async_t *signal) {
  Loop *loop = signal->data;
  loop->body(loop->context);
}

static void *make(void) {
  Loop *loop = calloc(1, sizeof *loop);
  if (!loop) return NULL;
  loop->signal.data = loop;
  if (uv_loop_init(&loop->loop) == 0 && uv_async_init(&loop->loop, &loop->signal, signalled) == 0) return loop;
  free(loop);
  return NULL;
}

static void close_handle(uv_handle_t *handle, void *unused) {
  (void)unused;
  if (!uv_is_closing(handle)) uv_close(handle, handle->type == UV_PREPARE ? (uv_close_cb)free : NULL);
}

static void destroy(void *opaque) {
  Loop *loop = opaque;
  uv_walk(&loop->loop, close_handle, NULL);
  uv_run(&loop->loop, UV_RUN_DEFAULT);
  uv_loop_close(&loop->loop);
  free(loop->timers);
  free(loop->times);
  free(loop);
}

static void call_and_stop(void *opaque) {
  void **call = opaque;
  ((void (*)(void *))call[0])(call[1]);
  uv_stop(call[2]);
}

static void serve(void *opaque, void (*body)(void *), void *context) {
  Loop *loop = opaque;
  void *call[] = {(void *)body, context, &loop->loop};
  loop->body = call_and_stop;
  loop->context = call;
  uv_run(&loop->loop, UV_RUN_DEFAULT);
}

static void signal_once(void *opaque) { uv_async_send(&((Loop *)opaque)->signal); }

static void wake_up(void *opaque, int repeats) {
  for (int index = 0; index < repeats; index++) signal_once(opaque);
}

static void signal_again(void *opaque) {
  Loop *loop = opaque;
  if (--loop->left > 0) signal_once(loop);
  else uv_stop(&loop->loop);
}

static void signal_and_pass(void *opaque, int repeats) {
  Loop *loop = opaque;
  loop->left = repeats;
  loop->body = signal_again;
  loop->context = loop;
  signal_once(loop);
  uv_run(&loop->loop, UV_RUN_DEFAULT);
}

static void poll_often(void *opaque, int repeats) {
  for (int index = 0; index < repeats; index++) uv_run(&((Loop *)opaque)->loop, UV_RUN_NOWAIT);
}

static void observe(uv_prepare_t *prepare) { ((Loop *)prepare->data)->observed++; }

static void add_observers(void *opaque, int count) {
  Loop *loop = opaque;
  for (int index = 0; index < count; index++) {
    uv_prepare_t *prepare = malloc(sizeof *prepare);
    if (!prepare) abort();
    prepare->data = loop;
    uv_prepare_init(&loop->loop, prepare);
    uv_prepare_start(prepare, observe);
  }
}

static void ignore(uv_timer_t *timer) { (void)timer; }

static void make_timers(void *opaque, const int64_t *times, int count) {
  Loop *loop = opaque;
  loop->timer_count = count;
  loop->times = malloc(count * sizeof *times);
  loop->timers = calloc(count, sizeof *loop->timers);
  if (!loop->timers || !loop->times) abort();
  memcpy(loop->times, times, count * sizeof *times);
  for (int index = 0; index < count; index++) uv_timer_init(&loop->loop, &loop->timers[index]);
}

// libuv counts milliseconds from its last reading of the clock.
static uint64_t milliseconds(Loop *loop, int64_t time) {
  int64_t left = time - (int64_t)uv_now(&loop->loop) * 1000000;
  return left > 0 ? (left + 999999) / 1000000 : 0;
}

static void add_timers(void *opaque) {
  Loop *loop = opaque;
  for (int index = 0; index < loop->timer_count; index++) {
    uv_timer_start(&loop->timers[index], ignore, milliseconds(loop, loop->times[index]), 0);
  }
}

static void move_timers(void *opaque, const int32_t *which, const int64_t *times, int count) {
  Loop *loop = opaque;
  for (int index = 0; index < count; index++) {
    uv_timer_start(&loop->timers[which[index]], ignore, milliseconds(loop, times[index]), 0);
  }
}

static void start_ticker(Loop *loop);

static void ticked(uv_timer_t *timer) {
  Loop *loop = timer->data;
  *loop->lateness++ = peer_now() - loop->next;
  if (--loop->left == 0) {
    uv_stop(&loop->loop);
    return;
  }
  loop->next += ((peer_now() - loop->next) / loop->interval + 1) * loop->interval;
  start_ticker(loop);
}

static void start_ticker(Loop *loop) {
  uv_update_time(&loop->loop);
  // libuv supports whole milliseconds only.
  int64_t left = loop->next - peer_now();
  uv_timer_start(&loop->ticker, ticked, left > 0 ? (left + 999999) / 1000000 : 0, 0);
}

static void tick(void *opaque, int64_t interval, int count, int64_t *lateness) {
  Loop *loop = opaque;
  loop->interval = interval;
  loop->lateness = lateness;
  loop->left = count;
  if (!loop->ticker.data) uv_timer_init(&loop->loop, &loop->ticker);
  loop->ticker.data = loop;
  loop->next = peer_now() + interval;
  start_ticker(loop);
  uv_run(&loop->loop, UV_RUN_DEFAULT);
}

const PeerLoop peer_uv_loop = {
  "libuv", make, destroy, serve, signal_once, wake_up, signal_and_pass, poll_often, NULL,
  add_observers, make_timers, add_timers, move_timers, tick,
};
