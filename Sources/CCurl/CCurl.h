#pragma once
// The checks of types are macros around the functions, which Swift does not see.
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

// Swift cannot call functions with variable arguments.

static inline CURLcode ccurl_set_long(CURL *easy, CURLoption option, long value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_set_string(CURL *easy, CURLoption option, const char *value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode ccurl_set_list(CURL *easy, CURLoption option, struct curl_slist *list) {
  return curl_easy_setopt(easy, option, list);
}

typedef size_t (*ccurl_bytes_function)(char *bytes, size_t size, size_t count, void *context);

static inline void ccurl_set_receivers(
    CURL *easy, ccurl_bytes_function head, ccurl_bytes_function body, curl_prereq_callback connected, void *context) {
  curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, head);
  curl_easy_setopt(easy, CURLOPT_HEADERDATA, context);
  curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, body);
  curl_easy_setopt(easy, CURLOPT_WRITEDATA, context);
  curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, connected);
  curl_easy_setopt(easy, CURLOPT_PREREQDATA, context);
}

static inline CURLMcode ccurl_set_watchers(
    CURLM *multi, curl_socket_callback sockets, curl_multi_timer_callback timer, void *context) {
  CURLMcode code = curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, sockets);
  if (code == CURLM_OK) code = curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, context);
  if (code == CURLM_OK) code = curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, timer);
  if (code == CURLM_OK) code = curl_multi_setopt(multi, CURLMOPT_TIMERDATA, context);
  return code;
}

static inline CURLMcode ccurl_set_multi_long(CURLM *multi, CURLMoption option, long value) {
  return curl_multi_setopt(multi, option, value);
}

// Null if there is no such string.
static inline const char *ccurl_string(CURL *easy, CURLINFO info) {
  const char *string = 0;
  return curl_easy_getinfo(easy, info, &string) == CURLE_OK ? string : 0;
}

// The error number of the call that failed; 0 if none did.
static inline int ccurl_system_error(CURL *easy) {
  long number = 0;
  return curl_easy_getinfo(easy, CURLINFO_OS_ERRNO, &number) == CURLE_OK ? (int)number : 0;
}
