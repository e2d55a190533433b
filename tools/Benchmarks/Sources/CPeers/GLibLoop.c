#include "CPeers.h"
#include "PeerLoop.h"

#include <glib.h>
#include <stdlib.h>

typedef struct {
  GMainContext *context;
  GSource *signal;
  bool running;
  void (*body)(void *);
  void *body_context;
  int left, observed;

  GSource **timers;
  int timer_count;
  int64_t interval, next;
  int64_t *lateness;
} Loop;

// A custom source with its loop and its callback.
typedef struct {
  GSource base;
  Loop *loop;
  void (*ready)(Loop *, GSource *);
} Source;

static gboolean dispatch(GSource *base, GSourceFunc callback, gpointer data) {
  (void)callback;
  (void)data;
  Source *source = (Source *)base;
  source->ready(source->loop, base);
  return G_SOURCE_CONTINUE;
}

static gboolean prepare_observer(GSource *base, gint *timeout) {
  *timeout = -1;
  ((Source *)base)->loop->observed++;
  return FALSE;
}

static GSourceFuncs by_time = {.dispatch = dispatch};
static GSourceFuncs by_pass = {.prepare = prepare_observer, .dispatch = dispatch};

static GSource *new_source(Loop *loop, GSourceFuncs *functions, void (*ready)(Loop *, GSource *)) {
  GSource *base = g_source_new(functions, sizeof(Source));
  ((Source *)base)->loop = loop;
  ((Source *)base)->ready = ready;
  return base;
}

static void signalled(Loop *loop, GSource *source) {
  g_source_set_ready_time(source, -1);
  loop->body(loop->body_context);
}

static void *make(void) {
  Loop *loop = g_new0(Loop, 1);
  loop->context = g_main_context_new();
  g_main_context_acquire(loop->context);
  loop->signal = new_source(loop, &by_time, signalled);
  g_source_attach(loop->signal, loop->context);
  return loop;
}

static void destroy(void *opaque) {
  Loop *loop = opaque;
  g_source_unref(loop->signal);
  for (int index = 0; index < loop->timer_count; index++) {
    g_source_destroy(loop->timers[index]);
    g_source_unref(loop->timers[index]);
  }
  g_free(loop->timers);
  g_main_context_release(loop->context);
  g_main_context_unref(loop->context);
  g_free(loop);
}

static void run(Loop *loop) {
  loop->running = true;
  while (loop->running) g_main_context_iteration(loop->context, TRUE);
}

static void call_and_stop(void *opaque) {
  void **call = opaque;
  ((void (*)(void *))call[0])(call[1]);
  ((Loop *)call[2])->running = false;
}

static void serve(void *opaque, void (*body)(void *), void *context) {
  Loop *loop = opaque;
  void *call[] = {(void *)body, context, loop};
  loop->body = call_and_stop;
  loop->body_context = call;
  run(loop);
}

static void signal_once(void *opaque) { g_source_set_ready_time(((Loop *)opaque)->signal, 0); }

static void wake_up(void *opaque, int repeats) {
  for (int index = 0; index < repeats; index++) g_main_context_wakeup(((Loop *)opaque)->context);
}

static void signal_again(void *opaque) {
  Loop *loop = opaque;
  if (--loop->left > 0) signal_once(loop);
  else loop->running = false;
}

static void signal_and_pass(void *opaque, int repeats) {
  Loop *loop = opaque;
  loop->left = repeats;
  loop->body = signal_again;
  loop->body_context = loop;
  signal_once(loop);
  run(loop);
}

static void poll_often(void *opaque, int repeats) {
  for (int index = 0; index < repeats; index++) g_main_context_iteration(((Loop *)opaque)->context, FALSE);
}

static gboolean run_block(gpointer data) {
  Loop *loop = data;
  if (--loop->left == 0) loop->running = false;
  return G_SOURCE_REMOVE;
}

static void run_blocks(void *opaque, int count) {
  Loop *loop = opaque;
  loop->left = count;
  for (int index = 0; index < count; index++) {
    GSource *idle = g_idle_source_new();
    g_source_set_callback(idle, run_block, loop, NULL);
    g_source_attach(idle, loop->context);
    g_source_unref(idle);
  }
  run(loop);
}

static void nothing(Loop *loop, GSource *source) {
  (void)loop;
  (void)source;
}

static void add_observers(void *opaque, int count) {
  Loop *loop = opaque;
  for (int index = 0; index < count; index++) {
    GSource *source = new_source(loop, &by_pass, nothing);
    g_source_attach(source, loop->context);
    g_source_unref(source);
  }
}

// GLib counts microseconds on CLOCK_MONOTONIC and sleeps whole milliseconds.
static gint64 microseconds(int64_t time) { return (time + 999) / 1000; }

static void make_timers(void *opaque, const int64_t *times, int count) {
  Loop *loop = opaque;
  loop->timers = g_new0(GSource *, count);
  loop->timer_count = count;
  for (int index = 0; index < count; index++) {
    loop->timers[index] = new_source(loop, &by_time, nothing);
    g_source_set_ready_time(loop->timers[index], microseconds(times[index]));
  }
}

static void add_timers(void *opaque) {
  Loop *loop = opaque;
  for (int index = 0; index < loop->timer_count; index++) g_source_attach(loop->timers[index], loop->context);
}

static void move_timers(void *opaque, const int32_t *which, const int64_t *times, int count) {
  Loop *loop = opaque;
  for (int index = 0; index < count; index++) {
    g_source_set_ready_time(loop->timers[which[index]], microseconds(times[index]));
  }
}

static void ticked(Loop *loop, GSource *source) {
  *loop->lateness++ = peer_now() - loop->next;
  loop->next += ((peer_now() - loop->next) / loop->interval + 1) * loop->interval;
  g_source_set_ready_time(source, microseconds(loop->next));
  if (--loop->left == 0) loop->running = false;
}

static void tick(void *opaque, int64_t interval, int count, int64_t *lateness) {
  Loop *loop = opaque;
  loop->interval = interval;
  loop->lateness = lateness;
  loop->left = count;
  loop->next = peer_now() + interval;
  GSource *source = new_source(loop, &by_time, ticked);
  g_source_set_ready_time(source, microseconds(loop->next));
  g_source_attach(source, loop->context);
  run(loop);
  g_source_destroy(source);
  g_source_unref(source);
}

const PeerLoop peer_glib_loop = {
  "GLib", make, destroy, serve, signal_once, wake_up, signal_and_pass, poll_often, run_blocks,
  add_observers, make_timers, add_timers, move_timers, tick,
};
