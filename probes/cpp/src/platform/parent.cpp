#include "platform/parent.hpp"

#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

namespace threadping::platform {

void die_with_parent(std::optional<int> expected_parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (expected_parent && getppid() != *expected_parent) _exit(EXIT_FAILURE);
}

}  // namespace threadping::platform
