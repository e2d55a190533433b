#define _GNU_SOURCE
#include "CPeers.h"
#include "PeerLoop.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

typedef struct {
  int64_t time;
  int timer;
} Node;

typedef struct {
  int set, event, clock;
  bool running;
  atomic_bool pending;
  void (*body)(void *);
  void *context;
  int left;

  void (**observers)(void *);
  int observer_count;
  int observed;

  // A heap with four children for each node. `places` has the index of each timer in it.
  Node *heap;
  int *places;
  int timer_count, heap_count;
  int64_t *times;
  int64_t armed;

  // The repeating timer is the last one.
  int64_t interval;
  int64_t *lateness;
} Loop;

// MARK: Timers

static void put(Loop *loop, int place, Node node) {
  loop->heap[place] = node;
  loop->places[node.timer] = place;
}

static void sift_up(Loop *loop, int place, Node node) {
  while (place > 0) {
    int parent = (place - 1) / 4;
    if (loop->heap[parent].time <= node.time) break;
    put(loop, place, loop->heap[parent]);
    place = parent;
  }
  put(loop, place, node);
}

static void sift_down(Loop *loop, int place, Node node) {
  for (;;) {
    int first = place * 4 + 1, least = first;
    if (first >= loop->heap_count) break;
    for (int child = first + 1; child < first + 4 && child < loop->heap_count; child++) {
      if (loop->heap[child].time < loop->heap[least].time) least = child;
    }
    if (loop->heap[least].time >= node.time) break;
    put(loop, place, loop->heap[least]);
    place = least;
  }
  put(loop, place, node);
}

static void move(Loop *loop, int timer, int64_t time) {
  int place = loop->places[timer];
  int64_t before = loop->heap[place].time;
  Node node = {time, timer};
  if (time < before) sift_up(loop, place, node);
  else sift_down(loop, place, node);
}

static void add(Loop *loop, int timer, int64_t time) {
  Node node = {time, timer};
  sift_up(loop, loop->heap_count++, node);
}

static void arm(Loop *loop) {
  int64_t time = loop->heap_count > 0 ? loop->heap[0].time : INT64_MAX;
  if (time == loop->armed) return;
  loop->armed = time;
  struct itimerspec when = {0};
  if (time != INT64_MAX) {
    when.it_value.tv_sec = time / 1000000000;
    when.it_value.tv_nsec = time % 1000000000;
  }
  timerfd_settime(loop->clock, TFD_TIMER_ABSTIME, &when, NULL);
}

static void fire(Loop *loop) {
  int64_t now = peer_now();
  while (loop->heap_count > 0 && loop->heap[0].time <= now) {
    int64_t time = loop->heap[0].time;
    *loop->lateness++ = peer_now() - time;
    if (--loop->left == 0) loop->running = false;
    int64_t after = peer_now();
    move(loop, loop->heap[0].timer, time + ((after - time) / loop->interval + 1) * loop->interval);
  }
}

// MARK: Passes

static void pass(Loop *loop, int timeout) {
  for (int index = 0; index < loop->observer_count; index++) loop->observers[index](loop);
  arm(loop);
  struct epoll_event ready;
  if (epoll_wait(loop->set, &ready, 1, timeout) < 1) return;
  if (ready.data.fd == loop->clock) {
    fire(loop);
    return;
  }
  uint64_t count;
  (void)!read(loop->event, &count, sizeof count);
  loop->body(loop->context);
}

static void run(Loop *loop) {
  loop->running = true;
  while (loop->running) pass(loop, -1);
}

static void *make(void) {
  Loop *loop = calloc(1, sizeof *loop);
  if (!loop) return NULL;
  loop->set = epoll_create1(EPOLL_CLOEXEC);
  loop->event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  loop->clock = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
  struct epoll_event event = {.events = EPOLLIN, .data = {.fd = loop->event}};
  struct epoll_event clock = {.events = EPOLLIN, .data = {.fd = loop->clock}};
  loop->armed = INT64_MAX;
  if (epoll_ctl(loop->set, EPOLL_CTL_ADD, loop->event, &event) == 0 &&
      epoll_ctl(loop->set, EPOLL_CTL_ADD, loop->clock, &clock) == 0) {
    return loop;
  }
  free(loop);
  return NULL;
}

static void destroy(void *opaque) {
  Loop *loop = opaque;
  close(loop->set);
  close(loop->event);
  close(loop->clock);
  free(loop->observers);
  free(loop->heap);
  free(loop->places);
  free(loop->times);
  free(loop);
}

// MARK: Signals

static void serve(void *opaque, void (*body)(void *), void *context) {
  Loop *loop = opaque;
  loop->body = body;
  loop->context = context;
  pass(loop, -1);
}

static void signal_once(void *opaque) {
  Loop *loop = opaque;
  uint64_t one = 1;
  (void)!write(loop->event, &one, sizeof one);
}

// While a wake-up is pending, another one needs no system call, only a look at the mark.
static void wake_up(void *opaque, int repeats) {
  Loop *loop = opaque;
  for (int index = 0; index < repeats; index++) {
    if (!atomic_exchange(&loop->pending, true)) signal_once(loop);
  }
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
  loop->context = loop;
  signal_once(loop);
  run(loop);
}

static void poll_often(void *opaque, int repeats) {
  for (int index = 0; index < repeats; index++) pass(opaque, 0);
}

// MARK: Observers and timers

static void observe(void *opaque) {
  Loop *loop = opaque;
  loop->observed++;
}

static void add_observers(void *opaque, int count) {
  Loop *loop = opaque;
  loop->observers = realloc(loop->observers, (loop->observer_count + count) * sizeof *loop->observers);
  for (int index = 0; index < count; index++) loop->observers[loop->observer_count++] = observe;
}

static void make_timers(void *opaque, const int64_t *times, int count) {
  Loop *loop = opaque;
  loop->times = realloc(loop->times, count * sizeof *times);
  if (count > 0) memcpy(loop->times, times, count * sizeof *times);
  // The additional node is for the repeating timer.
  loop->heap = realloc(loop->heap, (count + 1) * sizeof *loop->heap);
  loop->places = realloc(loop->places, (count + 1) * sizeof *loop->places);
  loop->timer_count = count;
}

static void add_timers(void *opaque) {
  Loop *loop = opaque;
  for (int index = 0; index < loop->timer_count; index++) add(loop, index, loop->times[index]);
}

static void move_timers(void *opaque, const int32_t *which, const int64_t *times, int count) {
  for (int index = 0; index < count; index++) move(opaque, which[index], times[index]);
}

static void tick(void *opaque, int64_t interval, int count, int64_t *lateness) {
  Loop *loop = opaque;
  if (!loop->heap) make_timers(loop, NULL, 0);
  loop->interval = interval;
  loop->lateness = lateness;
  loop->left = count;
  add(loop, loop->timer_count, peer_now() + interval);
  run(loop);
  // The timer is the first one, since all others are far away. The last one takes its place.
  int place = loop->places[loop->timer_count];
  Node last = loop->heap[--loop->heap_count];
  if (place < loop->heap_count) sift_down(loop, place, last);
}

const PeerLoop peer_raw_loop = {
  "raw", make, destroy, serve, signal_once, wake_up, signal_and_pass, poll_often, NULL,
  add_observers, make_timers, add_timers, move_timers, tick,
};
