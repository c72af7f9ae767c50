// Pins a bare program's threads, and refuses with one line what the program cannot do.

#pragma once

#include <pthread.h>
#include <sched.h>

#include <cstdio>
#include <cstdlib>
#include <string>

[[noreturn]] inline void refuse(const std::string& why) {
  std::fprintf(stderr, "%s\n", why.c_str());
  std::exit(2);
}

// pthread_setaffinity_np returns a positive error, and what was set may not be what holds: it is read back.
inline void pin_this_thread(int cpu) {
  cpu_set_t wanted;
  CPU_ZERO(&wanted);
  CPU_SET(cpu, &wanted);
  cpu_set_t got;
  const bool set = pthread_setaffinity_np(pthread_self(), sizeof wanted, &wanted) == 0;
  const bool read = pthread_getaffinity_np(pthread_self(), sizeof got, &got) == 0;
  if (!set || !read || !CPU_EQUAL(&wanted, &got)) refuse("CPU " + std::to_string(cpu) + " cannot be used here.");
}
