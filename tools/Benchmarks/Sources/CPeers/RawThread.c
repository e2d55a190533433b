// Another thread in C: it runs functions for a caller that waits, and answers messages.
#define _GNU_SOURCE
#include "CPeers.h"

#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

static int watch(int descriptor) {
  int set = epoll_create1(EPOLL_CLOEXEC);
  struct epoll_event event = {.events = EPOLLIN};
  if (set >= 0) epoll_ctl(set, EPOLL_CTL_ADD, descriptor, &event);
  return set;
}

static void wait_for(int set) {
  struct epoll_event ready;
  while (epoll_wait(set, &ready, 1, -1) < 1) {}
}

// MARK: Calls

typedef struct Call {
  void (*body)(struct Call *call);
  sem_t done;
  struct Call *next;
} Call;

typedef struct {
  pthread_mutex_t lock;
  Call *first;
  int event, set, left;
} Worker;

static void answer(Call *call) { sem_post(&call->done); }

static void *work(void *opaque) {
  Worker *worker = opaque;
  while (worker->left > 0) {
    wait_for(worker->set);
    uint64_t count;
    (void)!read(worker->event, &count, sizeof count);
    pthread_mutex_lock(&worker->lock);
    Call *call = worker->first;
    worker->first = NULL;
    pthread_mutex_unlock(&worker->lock);
    for (Call *next; call; call = next) {
      next = call->next;
      worker->left--;
      call->body(call);
    }
  }
  return NULL;
}

int peer_call_thread(int count, int64_t *time) {
  Worker worker = {.event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), .left = count};
  worker.set = watch(worker.event);
  pthread_mutex_init(&worker.lock, NULL);
  pthread_t thread;
  int error = pthread_create(&thread, NULL, work, &worker);
  if (error) return error;
  Call call = {.body = answer};
  sem_init(&call.done, 0, 0);
  int64_t start = peer_now();
  for (int index = 0; index < count; index++) {
    pthread_mutex_lock(&worker.lock);
    call.next = worker.first;
    worker.first = &call;
    pthread_mutex_unlock(&worker.lock);
    uint64_t one = 1;
    (void)!write(worker.event, &one, sizeof one);
    sem_wait(&call.done);
  }
  *time = peer_now() - start;
  pthread_join(thread, NULL);
  sem_destroy(&call.done);
  pthread_mutex_destroy(&worker.lock);
  close(worker.set);
  close(worker.event);
  return 0;
}

// MARK: Messages

typedef struct {
  int socket, set, left;
} End;

static void *echo(void *opaque) {
  End *end = opaque;
  char message[64];
  while (end->left-- > 0) {
    wait_for(end->set);
    ssize_t size = recv(end->socket, message, sizeof message, 0);
    if (size > 0) send(end->socket, message, size, MSG_NOSIGNAL);
  }
  return NULL;
}

int peer_message_thread(int count, int64_t *time) {
  int sockets[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) != 0) return 1;
  End here = {sockets[0], watch(sockets[0]), count}, there = {sockets[1], watch(sockets[1]), count};
  pthread_t thread;
  int error = pthread_create(&thread, NULL, echo, &there);
  if (error) return error;
  char message[64] = {0};
  int64_t start = peer_now();
  while (here.left-- > 0) {
    send(here.socket, message, sizeof message, MSG_NOSIGNAL);
    wait_for(here.set);
    (void)!recv(here.socket, message, sizeof message, 0);
  }
  *time = peer_now() - start;
  pthread_join(thread, NULL);
  close(here.set);
  close(there.set);
  close(here.socket);
  close(there.socket);
  return 0;
}
